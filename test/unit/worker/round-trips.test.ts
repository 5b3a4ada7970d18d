// The shortest round trip is told only once it can be relied on.

import { equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { RoundTrips } from "../../../src/worker/round-trips.ts"

const api = [{ limit: "api" }]

/** So many that are sent one after the other, from a time on. */
function answers(trips: RoundTrips, gates: readonly { limit: string }[], count: number, rttMs: number, fromMs = 1_000): number | null {
  let told: number | null = null
  for (let i = 0; i < count; i++) told = trips.leastMs(gates, fromMs + i * 1_000, fromMs + i * 1_000 + rttMs)
  return told
}

describe("round trips", () => {
  it("are no measure where all went out before the first answer, however many", () => {
    const trips = new RoundTrips()
    for (let i = 0; i < 30; i++) equal(trips.leastMs(api, 0, 200 + i), null)
  })

  it("are told from the tenth on that was sent after an answer: the shortest of all", () => {
    const trips = new RoundTrips()
    trips.leastMs(api, 0, 300)
    equal(answers(trips, api, 9, 40), null)
    equal(answers(trips, api, 1, 90, 20_000), 40)
    equal(answers(trips, api, 1, 25, 30_000), 25)
  })

  it("are known for each limit, and told where all of a task's are", () => {
    const trips = new RoundTrips()
    trips.leastMs(api, 0, 300)
    equal(answers(trips, api, 10, 40), 40)
    const both = [...api, { limit: "tokens" }]
    trips.leastMs(both, 50_000, 50_100)
    equal(answers(trips, both, 9, 60, 60_000), null)
    equal(answers(trips, both, 1, 60, 90_000), 40)
  })
})

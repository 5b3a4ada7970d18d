// A quota that somebody else uses as well. What is told says how much is left, and not how much of it the others will take.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { emptyGate, type GatePolicy, learn, scoutDefaults } from "../../../src/limits/index.ts"
import { answer, second, startUs } from "./answers.ts"
import { fixedSide, shared, slidingSide, Told } from "./telling.ts"

const minute = 60 * second

/** Answers in the hour after the first one, as many as there are. */
function secondHour(told: Told): { refused: number; served: number } {
  told.run(60 * minute)
  const { refused, served } = told
  told.run(60 * minute)
  return { refused: told.refused - refused, served: told.served - served }
}

describe("a quota that is shared with somebody else", () => {
  it("is not fought for: of a log that slides, whose reset says nothing of its length, the limit is looked for instead", () => {
    const told = new Told(shared(slidingSide(100, minute), 1.5 * second), "seconds")
    const { refused, served } = secondHour(told)
    ok(refused < served / 50, `${refused} refused beside ${served} served`)
    ok(served > 0.6 * 60 * 60, `${served} served in an hour in which the other leaves 3,600`)
    ok(told.state.learned?.quota !== undefined)
  })

  it("is kept to where it says what is left: a window loses little to the other, and is not doubted", () => {
    const told = new Told(shared(fixedSide(100, minute), 1.5 * second), "seconds")
    const { refused, served } = secondHour(told)
    ok(refused < served / 100, `${refused} refused beside ${served} served`)
    ok(served > 0.9 * 60 * 60, `${served} served in an hour in which the other leaves 3,600`)
    equal(told.state.learned?.quota?.doubtedUntilUs, 0)
  })

  it("is not doubted for a few refusals among thousands, where only refusals tell of it", () => {
    const policy: GatePolicy = { rates: [], concurrency: null, adaptive: scoutDefaults }
    let state = emptyGate(policy)
    for (let nowUs = startUs, i = 0; i < 6 * 500; i++, nowUs += second) {
      const isRefused = i % 500 === 0
      const quota = isRefused ? { limit: 100, remaining: 0, resetUs: 30 * second, windowUs: null } : null
      const more = { respondedAtUs: nowUs, quota, retryAfterUs: isRefused ? second : null }
      state = learn(policy, state, nowUs, answer(isRefused ? "refused" : "served", nowUs - 50_000, more))
    }
    equal(state.learned?.quota?.doubtedUntilUs, 0)
  })
})

// A worker tells of a gate that keeps another distance since it was refused, once for each change.

import { deepEqual } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask, RateLimitError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/index.ts"

describe("a worker whose gate learns", () => {
  it("tells of each new distance and number of slots", async () => {
    let refusals = 6
    const site = defineLimit("site", { concurrency: 3, adaptive: { preset: "linear", maxRetries: null } })
    const crawl = defineTask("crawl", {
      limits: [site],
      run: () => {
        if (refusals-- > 0) throw new RateLimitError()
      },
    })
    const queue = await testQueue([crawl])
    const told: unknown[] = []
    queue.ownWorker.on("gate.paced", (event) => told.push(event))
    await queue.submit(crawl, null)
    await queue.advance("2m")
    const paced = [1, 2, 3, 4].map((streak) => ({ gate: "site", everyMs: 500 + 1_000 * streak, slots: 3, errorStreak: streak }))
    deepEqual(told, [
      ...paced,
      { gate: "site", everyMs: 5_500, slots: 2, errorStreak: 5 },
      { gate: "site", everyMs: 6_500, slots: 2, errorStreak: 6 },
    ])
    await queue.close()
  })
})

// When something that a server tells of has happened, on the process's own clock.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { ServerClock } from "../../../src/store/server-clock.ts"
import { Dice } from "../../../src/testing/dice.ts"

describe("the earliest moment of what a server has told", () => {
  const aheadMs = 1_794_960_000_000

  it("is when it was asked, where nothing else is known", () => {
    const clock = new ServerClock(1)
    equal(clock.earliest({ atMs: aheadMs + 200, sentAtMs: 100, receivedAtMs: 300 }), 100)
  })

  it("is close to when it was so, once an answer has come soon, however long this one has stood in line", () => {
    const clock = new ServerClock(1)
    clock.earliest({ atMs: aheadMs + 51, sentAtMs: 50, receivedAtMs: 53 })
    const earliestMs = clock.earliest({ atMs: aheadMs + 390, sentAtMs: 100, receivedAtMs: 400 })
    ok(earliestMs > 387 && earliestMs <= 390, `expected about 388, got ${earliestMs}`)
  })

  it("is never later than it was", () => {
    const dice = new Dice(7)
    for (let round = 0; round < 200; round++) {
      const clock = new ServerClock(1)
      const rate = 1 + (dice.random() - 0.5) * 300e-6
      let nowMs = 10
      for (let i = 0; i < 50; i++) {
        const sentAtMs = nowMs + dice.random() * 2_000
        const trueMs = sentAtMs + dice.random() * 300
        const receivedAtMs = trueMs + dice.random() * 300
        const earliestMs = clock.earliest({ atMs: Math.floor(aheadMs + trueMs * rate), sentAtMs, receivedAtMs })
        ok(earliestMs >= sentAtMs && earliestMs <= trueMs, `expected ${sentAtMs} to ${trueMs}, got ${earliestMs}`)
        nowMs = receivedAtMs
      }
    }
  })

  it("is when it was asked, where the server's clock was set in between", () => {
    const clock = new ServerClock(1)
    clock.earliest({ atMs: aheadMs, sentAtMs: 0, receivedAtMs: 1 })
    equal(clock.earliest({ atMs: aheadMs + 3_600_000, sentAtMs: 10, receivedAtMs: 200 }), 10)
    equal(clock.earliest({ atMs: aheadMs, sentAtMs: 210, receivedAtMs: 400 }), 210)
  })
})

// A gate in words.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { levelText, opensText, slotsText, stateWords } from "../../../src/cli/gate-text.ts"
import type { GateView } from "../../../src/index.ts"

const now = new Date("2026-01-28T12:00:00Z")
const after = (ms: number) => new Date(now.getTime() + ms)

const gate = (changes: Partial<GateView> = {}): GateView => ({
  gate: "api/a",
  limit: "api",
  key: "a",
  policy: { rates: [], concurrency: null },
  isOverridden: false,
  levels: [],
  slots: null,
  waitingTasks: 0,
  waitingCost: 0,
  waitingCalls: 0,
  opensAt: now,
  isPaused: false,
  closedUntil: null,
  cooldown: null,
  refusals: 0,
  learned: null,
  ...changes,
})

describe("a gate in words", () => {
  it("opens now, later, or when somebody resumes it", () => {
    assert.equal(opensText(gate(), now), "now")
    // The store was asked for the time after it was asked for the gate.
    assert.equal(opensText(gate({ opensAt: after(-2) }), now), "now")
    assert.equal(opensText(gate({ opensAt: after(12_000) }), now), "in 12s")
    assert.equal(opensText(gate({ opensAt: null }), now), "when resumed")
  })

  it("has a level for each rate, and slots where it is bound by them", () => {
    const levels = [
      { used: 10, of: 10, perMs: 1_500 },
      { used: 3, of: 100, perMs: 60_000 },
    ]
    assert.equal(levelText(gate({ levels })), "10/10 in 1500ms, 3/100 in 1m")
    assert.equal(slotsText(gate({ slots: { held: 2, of: 5 } })), "2/5")
    assert.equal(slotsText(gate()), "")
  })

  it("is paused, closed, cooling down or overridden, and what is over is not told", () => {
    const cooldown = (ms: number) => ({ until: after(ms), count: 2 })
    assert.deepEqual(stateWords(gate({ isPaused: true, isOverridden: true }), now), ["paused", "overridden"])
    assert.deepEqual(stateWords(gate({ closedUntil: after(60_000), cooldown: cooldown(5_000) }), now), [
      "closed for 1m",
      "cools down for 5s",
    ])
    assert.deepEqual(stateWords(gate({ closedUntil: after(0), cooldown: cooldown(-1) }), now), [])
  })
})

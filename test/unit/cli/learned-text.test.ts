// What a gate has learned, in words.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { gateFields, levelText } from "../../../src/cli/gate-text.ts"
import { learnedText } from "../../../src/cli/learned-text.ts"
import { policyInShort } from "../../../src/cli/limit-text.ts"
import { defineLimit, type GateView, type LearnedView } from "../../../src/index.ts"
import { everyText } from "../../../src/queue/window-text.ts"

const now = new Date("2026-01-28T12:00:00Z")
const { policy } = defineLimit("crawl", { adaptive: "linear", concurrency: 10 })

const gate = (learned: Partial<LearnedView> | null, changes: Partial<GateView> = {}): GateView => ({
  gate: "crawl/a",
  limit: "crawl",
  key: "a",
  policy,
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
  learned: learned && {
    preset: "linear",
    everyMs: 1_500,
    slots: 10,
    errorStreak: 0,
    successStreak: 0,
    adaptiveDelayMs: 1_500,
    delayFloorMs: 0,
    nextAvailable: null,
    lastSuccess: null,
    version: 3,
    ...learned,
  },
  ...changes,
})

describe("what a gate has learned, in words", () => {
  it("has its distance, how it learns, its floor, streaks and slots, as far as there are any", () => {
    assert.equal(
      learnedText(gate({ delayFloorMs: 500, errorStreak: 2, successStreak: 7, slots: 8 })),
      "a start every 1.5s, learned (linear): floor 500ms, 429 streak 2, 7 answers since; 8 of 10 slots",
    )
    assert.equal(learnedText(gate({})), "a start every 1.5s, learned (linear)")
    assert.equal(learnedText(gate({ everyMs: null, successStreak: 1 })), "no distance between starts, learned (linear): 1 answer since")
    assert.equal(learnedText(gate({ preset: null })), "a start every 1.5s, learned (after refusals)")
    assert.equal(learnedText(gate({ version: 0, everyMs: null })), "nothing yet (linear)")
    assert.equal(learnedText(gate(null)), null)
  })

  it("is a line of the gate, and its distance stands in the column of levels", () => {
    assert.deepEqual(gateFields(gate({}), null, now)[2], ["learned", "a start every 1.5s, learned (linear)"])
    assert.equal(levelText(gate({}, { levels: [{ used: 1, of: 10, perMs: 1_000 }] })), "1/10 in 1s, every 1.5s")
    assert.equal(levelText(gate({ everyMs: null })), "")
  })

  it("has distances to three digits", () => {
    for (const [ms, text] of [
      [0.125, "0.125ms"],
      [120, "120ms"],
      [333.333, "333ms"],
      [1_000, "1s"],
      [1_523.4, "1.52s"],
      [59_990, "60s"],
      [125_000, "2m 5s"],
    ] as const) {
      assert.equal(everyText(ms), text)
    }
  })

  it("a policy in short keeps how it learns, without the numbers", () => {
    const { policy } = defineLimit("api", { rate: "10/10s", adaptive: { preset: "linear", step: "2s" }, concurrency: 5 })
    assert.equal(policyInShort(policy), "10/10s, 5 at once, adaptive (linear)")
    assert.equal(policyInShort(defineLimit("api", { adaptive: true }).policy), "adaptive (scout)")
  })
})

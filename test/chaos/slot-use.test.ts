// What counts as use of a slot, in small numbers: one slot, ten seconds.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Fact, type HistoryEvent, historyLog } from "../../src/testing/index.ts"
import { SlotMeter } from "./slot-use.ts"

const submitted: Fact = { op: "submit", phase: "ok", atMs: 1_000, tasks: [] }
const run = (task: string, worker: string, fromMs: number, toMs: number | null, leaseMs = 3_000): Fact[] => [
  { op: "claim", task, fence: 1, worker, atMs: fromMs, untilMs: fromMs + leaseMs, gates: [] },
  { op: "run", phase: "start", task, fence: 1, atMs: fromMs },
  ...(toMs === null ? [] : [{ op: "run", phase: "end", task, fence: 1, atMs: toMs } as const]),
]
const fault = (kind: "kill" | "pause", victim: string, atMs: number): Fact => {
  return { op: "fault", fault: kind, victim, atMs, untilMs: kind === "kill" ? null : atMs + 60_000 }
}

function measure(facts: readonly Fact[]) {
  const meter = new SlotMeter()
  const write = historyLog(
    "test",
    () => 0,
    (event: HistoryEvent) => meter.add(event),
  )
  for (const fact of facts) write(fact)
  return meter.measure(1)
}

describe("slot use", () => {
  it("is all of it where one run follows the other at once, whatever runs after the last claim", () => {
    const use = measure([submitted, ...run("a", "w1", 1_000, 6_000), ...run("b", "w1", 6_000, 11_000), ...run("c", "w1", 11_000, 99_000)])
    assert.equal(use.share, 1)
    assert.equal(use.windowMs, 10_000)
    assert.equal(use.runs, 3)
  })

  it("counts the way from one run to the next as lost", () => {
    const use = measure([submitted, ...run("a", "w1", 1_100, 6_000), ...run("b", "w1", 6_100, 11_000), ...run("c", "w1", 11_000, 12_000)])
    assert.equal(use.share, 0.98)
  })

  it("counts a killed run until the kill, though its lease goes on", () => {
    const use = measure([
      submitted,
      ...run("a", "w1", 1_000, null),
      fault("kill", "w1", 3_000),
      ...run("b", "w2", 4_000, 11_000),
      ...run("c", "w2", 11_000, 12_000),
    ])
    assert.equal(use.share, 0.9)
    assert.equal(use.killedRuns, 1)
  })

  it("counts a stopped run until its lease ends, and strictly until it was stopped", () => {
    const use = measure([
      submitted,
      ...run("a", "w1", 1_000, 90_000),
      fault("pause", "w1", 2_000),
      ...run("b", "w2", 4_000, 11_000),
      ...run("c", "w2", 11_000, 12_000),
    ])
    assert.equal(use.share, 1)
    assert.equal(use.strictShare, 0.8)
    assert.equal(use.stoppedRuns, 1)
  })
})

// Settle: under the current fence, once; each outcome leads where it says, and the lease is over.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Outcome, settle } from "../../../src/task/index.ts"
import { claimed, reschedule, retryIn, running, settled, startMs, throttle } from "./task-kit.ts"

const laterMs = startMs + 5_000
const outcomes: readonly (readonly [Outcome, string])[] = [
  [{ kind: "completed", output: "1" }, "completed"],
  [{ kind: "failed", error: "no" }, "failed"],
  [{ kind: "cancelled" }, "cancelled"],
  [retryIn(1_000), "pending"],
  [reschedule(1_000), "pending"],
  [throttle(1_000), "pending"],
  [{ kind: "released", reason: "drain" }, "pending"],
]

describe("settle", () => {
  for (const [outcome, status] of outcomes) {
    it(`${outcome.kind} leads to ${status} and ends the lease`, () => {
      const { task, entries } = settled(running(), outcome, laterMs)
      assert.equal(task.status, status)
      assert.deepEqual([task.workerId, task.claimNumber, task.leaseExpiresAtMs], [null, null, null])
      assert.deepEqual([task.version, task.updatedAtMs, task.lastOutcome, task.fence], [3, laterMs, outcome.kind, 1])
      assert.deepEqual([entries.length, entries[0]?.event, entries[0]?.status], [1, outcome.kind, status])
      assert.equal(task.completedAtMs, status === "pending" ? null : laterMs)
    })

    it(`${outcome.kind} breaks a row of crashes`, () => {
      assert.equal(settled(running({ crashCount: 2 }), outcome).task.crashCount, 0)
    })

    it(`${outcome.kind} under another fence is stale`, () => {
      for (const fence of [0, 2]) assert.deepEqual(settle(running(), fence, outcome, laterMs), { kind: "stale" })
    })

    it(`${outcome.kind} again is a repetition, and another outcome is stale`, () => {
      const { task } = settled(running(), outcome)
      for (const [other] of outcomes) {
        assert.deepEqual(settle(task, 1, other, laterMs), { kind: other.kind === outcome.kind ? "repeat" : "stale" })
      }
    })
  }

  it("is stale once the task was claimed again", () => {
    const { task } = settled(running(), retryIn(0))
    const again = claimed(task).task
    assert.deepEqual(settle(again, 1, retryIn(0), startMs), { kind: "stale" })
  })

  it("works on a lease that ran out and was not swept", () => {
    assert.equal(settle(running(), 1, { kind: "completed", output: null }, startMs + 999_999).kind, "ok")
  })

  it("puts a retried or rescheduled task where its delay ends, and leaves a throttled or released one its place", () => {
    const places = [retryIn(1_000), reschedule(1_000), throttle(1_000), { kind: "released", reason: "" } as const].map((outcome) => {
      const { availableAtMs, readyAtMs } = settled(running(), outcome, laterMs).task
      return [outcome.kind, availableAtMs - laterMs, readyAtMs - startMs]
    })
    assert.deepEqual(places, [
      ["retried", 1_000, 6_001],
      ["rescheduled", 1_000, 6_001],
      ["throttled", 1_000, 0],
      ["released", 0, 0],
    ])
  })

  it("sends a task that was asked to stop nowhere but to its end", () => {
    const asked = running({ cancelRequestedAtMs: startMs })
    const ends = outcomes.map(([outcome]) => settled(asked, outcome).task.status)
    assert.deepEqual(ends, ["completed", "failed", "cancelled", "cancelled", "cancelled", "cancelled", "cancelled"])
  })

  it("gives a released task its attempt back", () => {
    assert.equal(settled(running(), { kind: "released", reason: "" }).task.attempt, 0)
    assert.equal(settled(running({ attempt: 3 }), { kind: "released", reason: "" }).task.attempt, 2)
    assert.equal(settled(running(), retryIn(0)).task.attempt, 1)
  })

  it("keeps a far delay within what a date can hold", () => {
    assert.equal(settled(running(), reschedule(Number.MAX_SAFE_INTEGER - startMs)).task.availableAtMs, 8.64e15)
  })
})

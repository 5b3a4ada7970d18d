// The history as people read it: the lines of the seeds, to the letter, and a bound that keeps the numbers right.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  type Change,
  cancel,
  describeEntry,
  expire,
  type HistoryEntry,
  historyLimit,
  numberHistory,
  type TaskRecord,
  trimHistory,
} from "../../../src/task/index.ts"
import { claimed, created, reschedule, retryIn, settled, startMs, throttle } from "./task-kit.ts"

/** Applies one change after the other and tells all of them. */
function told(first: Change, ...steps: ((task: TaskRecord) => Change)[]): string[] {
  let { task } = first
  const entries = [...first.entries]
  for (const step of steps) {
    const change = step(task)
    task = change.task
    entries.push(...change.entries)
  }
  return numberHistory(entries, task.version).map(describeEntry)
}

const by = (workerId: string) => (task: TaskRecord) => claimed(task, startMs, workerId)

describe("history", () => {
  it("tells reschedules like the seed", () => {
    const lines = told(
      created(),
      by("worker-1"),
      (task) => settled(task, reschedule(60_000)),
      by("worker-2"),
      (task) => settled(task, reschedule(120_000)),
      by("worker-1"),
      (task) => settled(task, { kind: "completed", output: null }),
    )
    assert.deepEqual(lines, [
      "Version 1: pending (created)",
      "Version 2: running (claimed by worker-1)",
      "Version 3: pending (rescheduled, available_at: +60s, count: 1)",
      "Version 4: running (claimed by worker-2)",
      "Version 5: pending (rescheduled, available_at: +120s, count: 2)",
      "Version 6: running (claimed by worker-1)",
      "Version 7: completed",
    ])
  })

  it("tells expiry like the seed", () => {
    const lines = told(created({ expiry: { atMs: Date.UTC(2026, 0, 28, 17) } }), (task) => expire(task, Date.UTC(2026, 0, 28, 17, 0, 5)))
    assert.deepEqual(lines, [
      "Version 1: pending (created, expires_at: 2026-01-28T17:00:00Z)",
      "Version 2: expired (expired_at: 2026-01-28T17:00:05Z)",
    ])
  })

  it("tells everything else in the same way", () => {
    const lines = told(
      created({ schedule: { inMs: 1_500 } }),
      by("w"),
      (task) => settled(task, retryIn(250, "connection refused")),
      by("w"),
      (task) => settled(task, throttle(2_000)),
      by("w"),
      (task) => settled(task, { kind: "released", reason: "draining" }),
      by("w"),
      (task) => settled(task, reschedule(0, 0, "market closed")),
      by("w"),
      (task) => {
        const result = cancel(task, startMs)
        assert.ok(result.kind === "ok" && result.change)
        return result.change
      },
      (task) => settled(task, { kind: "failed", error: "bad input" }),
    )
    assert.deepEqual(
      lines.filter((line) => !line.includes("claimed")),
      [
        "Version 1: pending (created, available_at: +1.5s)",
        "Version 3: pending (retried, available_at: +0.25s, count: 1, error: connection refused)",
        "Version 5: pending (throttled, available_at: +2s, count: 1)",
        "Version 7: pending (released, reason: draining)",
        "Version 9: pending (rescheduled, available_at: +0s, count: 1, reason: market closed)",
        "Version 11: running (cancel requested)",
        "Version 12: failed (error: bad input)",
      ],
    )
  })

  it("tells an extension", () => {
    const lines = told(created({ expiry: { inMs: 60_000 } }), by("w"), (task) => settled(task, reschedule(60_000, 120_000)))
    assert.equal(lines[2], "Version 3: pending (rescheduled, available_at: +60s, count: 1, expires_at: 2026-01-28T12:03:00Z)")
  })

  it("keeps the first entry and the latest, and numbers them by version", () => {
    const entry = (atMs: number): HistoryEntry => ({ atMs, status: "pending", event: "released" })
    let entries: readonly HistoryEntry[] = []
    for (let version = 1; version <= 250; version++) entries = trimHistory([...entries, entry(version)])
    assert.equal(entries.length, historyLimit)
    const numbered = numberHistory(entries, 250)
    assert.ok(numbered.every(({ atMs, version }) => atMs === version))
    assert.deepEqual([numbered[0]?.version, numbered[1]?.version, numbered.at(-1)?.version], [1, 152, 250])
  })
})

// Cancel, retry and archive from every status: what changes, and what is refused with both statuses.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { archive, cancel, type Moved, markExpired, retry, type Status, statuses, type TaskRecord } from "../../../src/task/index.ts"
import { pending, running, startMs } from "./task-kit.ts"

const laterMs = startMs + 1_000
const having = (status: Status): TaskRecord => ({ ...(status === "pending" ? pending() : running()), status })

function reached(move: (task: TaskRecord, nowMs: number) => Moved): Record<string, string> {
  const ends = statuses.map((from) => {
    const result = move(having(from), laterMs)
    if (result.kind === "illegal") {
      assert.equal(result.from, from)
      return [from, `not ${result.to}`]
    }
    return [from, result.change?.task.status ?? "unchanged"]
  })
  return Object.fromEntries(ends)
}

describe("moves that are asked for", () => {
  it("cancel ends what waits and asks what runs", () => {
    const no = "not cancelled"
    assert.deepEqual(reached(cancel), {
      pending: "cancelled",
      running: "running",
      completed: no,
      failed: no,
      cancelled: no,
      expired: no,
      archived: no,
    })
  })

  it("retry brings back what failed or was cancelled", () => {
    const no = "not pending"
    assert.deepEqual(reached(retry), {
      pending: no,
      running: no,
      completed: no,
      failed: "pending",
      cancelled: "pending",
      expired: no,
      archived: no,
    })
  })

  it("archive takes what is finished", () => {
    const [yes, no] = ["archived", "not archived"]
    assert.deepEqual(reached(archive), {
      pending: no,
      running: no,
      completed: yes,
      failed: yes,
      cancelled: yes,
      expired: yes,
      archived: no,
    })
  })

  it("expire takes what waits", () => {
    const no = "not expired"
    assert.deepEqual(reached(markExpired), {
      pending: "expired",
      running: no,
      completed: no,
      failed: no,
      cancelled: no,
      expired: no,
      archived: no,
    })
  })

  it("asking a running task to stop twice changes nothing the second time", () => {
    const first = cancel(running(), laterMs)
    assert.ok(first.kind === "ok" && first.change)
    assert.deepEqual([first.change.task.cancelRequestedAtMs, first.change.task.version], [laterMs, 3])
    assert.deepEqual(cancel(first.change.task, laterMs + 1), { kind: "ok", change: null })
  })

  it("retry gives fresh budgets and forgets the request to stop", () => {
    const used = {
      retryCount: 3,
      rescheduleCount: 2,
      throttleCount: 1,
      crashCount: 2,
      cancelRequestedAtMs: startMs,
      completedAtMs: startMs,
    }
    const result = retry({ ...having("failed"), ...used }, laterMs)
    assert.ok(result.kind === "ok" && result.change)
    const { task } = result.change
    assert.deepEqual([task.retryCount, task.rescheduleCount, task.throttleCount, task.crashCount], [0, 0, 0, 0])
    assert.deepEqual([task.cancelRequestedAtMs, task.completedAtMs, task.availableAtMs, task.readyAtMs], [null, null, laterMs, laterMs + 1])
    assert.equal(task.fence, 1)
  })

  it("nothing is changed in place", () => {
    const frozen = Object.freeze(having("pending"))
    const before = structuredClone(frozen)
    for (const move of [cancel, markExpired]) move(frozen, laterMs)
    assert.deepEqual(frozen, before)
  })
})

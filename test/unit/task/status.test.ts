// The status table: all 49 moves, each either allowed or not.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { canMove, IllegalTransitionError, isFinished, statuses } from "../../../src/task/index.ts"

const allowed = new Set([
  "pending → running",
  "pending → cancelled",
  "pending → expired",
  "running → pending",
  "running → completed",
  "running → failed",
  "running → cancelled",
  "running → expired",
  "completed → archived",
  "failed → pending",
  "failed → archived",
  "cancelled → pending",
  "cancelled → archived",
  "expired → archived",
])

describe("the status table", () => {
  for (const from of statuses) {
    for (const to of statuses) {
      const move = `${from} → ${to}`
      it(`${move} is ${allowed.has(move) ? "allowed" : "not allowed"}`, () => assert.equal(canMove(from, to), allowed.has(move)))
    }
  }

  it("has seven statuses", () => {
    assert.deepEqual([...statuses], ["pending", "running", "completed", "failed", "cancelled", "expired", "archived"])
  })

  it("calls finished what neither waits nor runs", () => {
    assert.deepEqual(statuses.filter(isFinished), ["completed", "failed", "cancelled", "expired", "archived"])
  })

  it("refuses a move with both statuses and the way out", () => {
    const error = new IllegalTransitionError("abc", "completed", "pending")
    assert.equal(error.message, 'task abc: cannot move from "completed" to "pending"; only a failed or cancelled task can be retried')
    assert.deepEqual([error.code, error.from, error.to, error.retryable], ["illegal_transition", "completed", "pending", false])
    for (const to of statuses) assert.match(new IllegalTransitionError("x", "archived", to).message, /; only a .+ task can /)
  })
})

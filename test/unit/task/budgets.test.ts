// Three budgets, never mixed: each outcome counts on its own counter and against its own cap.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Outcome, TaskRecord } from "../../../src/task/index.ts"
import { reschedule, retryIn, running, settled, throttle } from "./task-kit.ts"

const counters = ({ retryCount, rescheduleCount, throttleCount }: TaskRecord) => [retryCount, rescheduleCount, throttleCount]
const used = { retryCount: 9, rescheduleCount: 9, throttleCount: 9 }

describe("budgets", () => {
  const counted: readonly (readonly [Outcome, readonly number[]])[] = [
    [retryIn(0), [1, 0, 0]],
    [reschedule(0), [0, 1, 0]],
    [throttle(0), [0, 0, 1]],
    [{ kind: "released", reason: "drain" }, [0, 0, 0]],
    [{ kind: "completed", output: null }, [0, 0, 0]],
    [{ kind: "failed", error: "no" }, [0, 0, 0]],
  ]
  for (const [outcome, expected] of counted) {
    it(`${outcome.kind} counts ${expected.join(", ")}`, () => assert.deepEqual(counters(settled(running(), outcome).task), expected))
  }

  it("a used up budget fails its own outcome and no other", () => {
    const spent = { ...used, maxRetries: 9, maxReschedules: 9, maxThrottles: 9 }
    const free = { ...used, maxRetries: 99, maxReschedules: null, maxThrottles: null }
    const status = (fields: Partial<TaskRecord>, outcome: Outcome) => settled(running(fields), outcome).task.status
    assert.equal(status({ ...free, maxRetries: 9 }, retryIn(0)), "failed")
    assert.equal(status({ ...free, maxReschedules: 9 }, reschedule(0)), "failed")
    assert.equal(status({ ...free, maxThrottles: 9 }, throttle(0)), "failed")
    assert.equal(status({ ...spent, maxRetries: 10 }, retryIn(0)), "pending")
    assert.equal(status({ ...spent, maxReschedules: null }, reschedule(0)), "pending")
    assert.equal(status({ ...spent, maxThrottles: null }, throttle(0)), "pending")
    assert.equal(status(spent, { kind: "released", reason: "drain" }), "pending")
  })

  it("a failed task says which budget was used up", () => {
    const error = (outcome: Outcome) =>
      settled(running({ ...used, maxRetries: 9, maxReschedules: 9, maxThrottles: 9 }), outcome).task.lastError
    assert.equal(error(retryIn(0, "connection refused")), "connection refused")
    assert.equal(error(reschedule(0)), "Max reschedules (9) exceeded")
    assert.equal(error(throttle(0, 503)), "Max throttles (9) exceeded, last upstream status 503")
    assert.equal(error(throttle(0, null)), "Max throttles (9) exceeded")
  })

  it("over the cap no counter moves", () => {
    const task = running({ ...used, maxRetries: 9, maxReschedules: 9, maxThrottles: 9 })
    for (const outcome of [retryIn(0), reschedule(0), throttle(0)]) assert.deepEqual(counters(settled(task, outcome).task), [9, 9, 9])
  })
})

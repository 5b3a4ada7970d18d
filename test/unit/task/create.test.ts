// A new task: times counted from the store's clock, and one that is too late is expired from the start.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkSchedule, type NewTask } from "../../../src/task/index.ts"
import { created, pending, startMs } from "./task-kit.ts"

const lastMs = 8.64e15

describe("a new task", () => {
  it("is pending, available now, with every counter at zero", () => {
    const { task, entries } = created()
    assert.deepEqual([task.status, task.availableAtMs, task.readyAtMs, task.version, task.fence], ["pending", startMs, startMs, 1, 0])
    assert.deepEqual([task.retryCount, task.rescheduleCount, task.throttleCount, task.crashCount, task.attempt], [0, 0, 0, 0, 0])
    assert.deepEqual(entries, [{ atMs: startMs, status: "pending", event: "created" }])
  })

  it("keeps nothing of how its times were given", () => {
    const task = pending({ schedule: { inMs: 1 }, expiry: { inMs: 2 } })
    assert.equal("schedule" in task || "expiry" in task, false)
  })

  it("is available at its schedule, and never before now", () => {
    assert.equal(pending({ schedule: { inMs: 5_000 } }).availableAtMs, startMs + 5_000)
    assert.equal(pending({ schedule: { atMs: startMs + 7_000 } }).readyAtMs, startMs + 7_000)
    assert.equal(pending({ schedule: { atMs: 0 } }).availableAtMs, startMs)
  })

  it("stays within what a date can hold", () => {
    assert.equal(pending({ schedule: { inMs: lastMs } }).availableAtMs, lastMs)
    assert.equal(pending({ expiry: { inMs: Number.MAX_SAFE_INTEGER } }).expiresAtMs, lastMs)
  })

  it("is expired from the start with a ttl of 0 or an expiry in the past", () => {
    for (const expiry of [{ inMs: 0 }, { atMs: startMs }, { atMs: startMs - 1 }]) {
      const { task, entries } = created({ expiry })
      assert.deepEqual([task.status, task.expiredAtMs, task.version], ["expired", startMs, 2])
      assert.deepEqual(
        entries.map(({ event }) => event),
        ["created", "expired"],
      )
    }
  })

  it("may not be scheduled after its expiry, and the refusal names both times", () => {
    const check = (fields: Partial<NewTask>) =>
      checkSchedule({ type: "call_api", schedule: null, expiry: null, ...fields } as NewTask, startMs)
    assert.equal(check({}), null)
    assert.equal(check({ schedule: { inMs: 9 } }), null)
    assert.equal(check({ schedule: { inMs: 5 }, expiry: { inMs: 5 } }), null)
    const refused = check({ schedule: { inMs: 60_000 }, expiry: { atMs: startMs + 1_000 } })
    assert.equal(refused?.code, "schedule_after_expiry")
    assert.equal(
      refused?.message,
      "submit call_api: expected a schedule before the expiry, got schedule_at 2026-01-28T12:01:00Z after expires_at 2026-01-28T12:00:01Z",
    )
  })
})

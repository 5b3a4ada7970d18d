// Expiry: a task that was not started in time is not started at all. What runs is left to finish.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, released, retried } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

export const expiryTests = theme("expiry", {
  "a claim passes over what has expired, and marks it in the same step": async (bench) => {
    const late = await bench.submit({ expiry: { inMs: 1_000 }, priority: 1 })
    const good = await bench.submit()
    await bench.world.advance(1_000)
    sameTasks(await bench.worker().claim({ max: 1 }), [good])
    const { status, expiredAtMs, version } = await bench.get(late)
    deepEqual({ status, expiredAtMs, version }, { status: "expired", expiredAtMs: bench.world.wallMs(), version: 2 })
    equal((await bench.sweep()).expired, 0)
  },

  "until its expiry a task is claimed, from then on it is not": async (bench) => {
    const tasks = await bench.submitMany(2, { expiry: { inMs: 1_000 } })
    await bench.world.advance(999)
    sameTasks(await bench.worker().claim({ max: 1 }), tasks.slice(0, 1))
    await bench.world.advance(1)
    deepEqual(await bench.worker("b").claim(), [])
    deepEqual(await bench.counts(), { running: 1, expired: 1 })
  },

  "the sweep expires what is overdue, waiting or scheduled": async (bench) => {
    const waiting = await bench.submit({ expiry: { inMs: 1_000 } })
    const scheduled = await bench.submit({ expiry: { inMs: 1_000 }, schedule: { inMs: 900 } })
    const later = await bench.submit({ expiry: { inMs: 1_001 } })
    await bench.world.advance(999)
    equal((await bench.sweep()).expired, 0)
    await bench.world.advance(1)
    equal((await bench.sweep()).expired, 2)
    deepEqual([await bench.status(waiting), await bench.status(scheduled), await bench.status(later)], ["expired", "expired", "pending"])
    deepEqual(await bench.events(scheduled), ["created", "expired"])
    equal((await bench.sweep()).expired, 0)
  },

  "a scheduled task that is due and overdue is not claimed": async (bench) => {
    const task = await bench.submit({ schedule: { inMs: 500 }, expiry: { inMs: 1_000 } })
    await bench.world.advance(1_000)
    deepEqual(await bench.worker().claim(), [])
    equal(await bench.status(task), "expired")
  },

  "a running task never expires": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 1_000 } })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(5_000)
    equal((await bench.sweep()).expired, 0)
    deepEqual(await bench.move("expire", task), { kind: "illegal", from: "running", to: "expired" })
    deepEqual(await bench.get(task), held)
    equal(await worker.heartbeat(held), "ok")
    deepEqual(await worker.settle(held, completed()), { kind: "ok", status: "completed" })
  },

  "a released task that is past its expiry expires at once": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 1_000 } })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(1_000)
    deepEqual(await worker.settle(held, released()), { kind: "ok", status: "expired" })
    equal((await bench.get(task)).expiredAtMs, bench.world.wallMs())
  },

  "a task that waits for its retry expires like any other": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 10_000 } })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(5_000))
    await bench.world.advance(10_000)
    equal((await bench.sweep()).expired, 1)
    equal(await bench.status(task), "expired")
  },

  "`expire` ends a pending task now, whatever its expiry": async (bench) => {
    for (const fields of [{}, { expiry: { inMs: 60_000 } }, { schedule: { inMs: 60_000 } }]) {
      const task = await bench.submit(fields)
      const result = await bench.move("expire", task)
      ok(result.kind === "ok")
      const nowMs = bench.world.wallMs()
      deepEqual(result.task, { ...task, status: "expired", updatedAtMs: nowMs, expiredAtMs: nowMs, version: 2 })
      deepEqual(await bench.get(task), result.task)
    }
    await bench.world.advance(leaseMs * 10)
    deepEqual(await bench.worker().claim(), [])
  },

  "nothing but a pending task can be expired": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    deepEqual(await bench.move("expire", task), { kind: "illegal", from: "completed", to: "expired" })
    await bench.move("archive", task)
    deepEqual(await bench.move("expire", task), { kind: "illegal", from: "archived", to: "expired" })
    deepEqual(await bench.move("expire", { id: "nobody" }), { kind: "missing" })
  },

  "an expired task never returns": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 0 } })
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "expired", to: "pending" })
    deepEqual(await bench.move("cancel", task), { kind: "illegal", from: "expired", to: "cancelled" })
    deepEqual(await bench.move("expire", task), { kind: "illegal", from: "expired", to: "expired" })
    deepEqual(await bench.get(task), task)
  },
})

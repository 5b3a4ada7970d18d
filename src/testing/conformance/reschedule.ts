// "Later, not now": the handler's own delay and counter. It costs no retry, and may move the expiry.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { rescheduled, retried, throttled } from "./outcomes.ts"

export const rescheduleTests = theme("reschedule", {
  "a rescheduled task is pending again after the handler's delay, and no retry is spent": async (bench) => {
    const task = await bench.submit({ maxRetries: 0 })
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.settle(held, rescheduled(60_000, 0, "busy")), { kind: "ok", status: "pending" })
    const nowMs = bench.world.wallMs()
    deepEqual(await bench.get(task), {
      ...held,
      status: "pending",
      updatedAtMs: nowMs,
      availableAtMs: nowMs + 60_000,
      readyAtMs: nowMs + 60_001,
      rescheduleCount: 1,
      version: 3,
      workerId: null,
      claimNumber: null,
      leaseExpiresAtMs: null,
      lastOutcome: "rescheduled",
    })
    const { atMs, ...entry } = (await bench.history(task))[2] ?? { atMs: 0 }
    deepEqual(entry, { version: 3, status: "pending", event: "rescheduled", delayMs: 60_000, count: 1, reason: "busy" })
    await bench.world.advance(59_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    equal((await worker.claimOne()).attempt, 2)
  },

  "the three counters are never mixed": async (bench) => {
    const task = await bench.submit({ maxRetries: 2, maxReschedules: 2, maxThrottles: 2 })
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (const outcome of [retried(), rescheduled(), throttled(), rescheduled(), retried(), throttled()]) {
      held = await worker.again(held, outcome)
    }
    const { retryCount, rescheduleCount, throttleCount, status } = await bench.get(task)
    deepEqual(
      { retryCount, rescheduleCount, throttleCount, status },
      { retryCount: 2, rescheduleCount: 2, throttleCount: 2, status: "running" },
    )
  },

  "over the cap it fails and says so": async (bench) => {
    const task = await bench.submit({ maxReschedules: 2 })
    const worker = bench.worker()
    let held = await worker.claimOne()
    held = await worker.again(held, rescheduled())
    held = await worker.again(held, rescheduled())
    deepEqual(await worker.settle(held, rescheduled()), { kind: "ok", status: "failed" })
    const { lastError, rescheduleCount, retryCount } = await bench.get(task)
    deepEqual([lastError, rescheduleCount, retryCount], ["Max reschedules (2) exceeded", 2, 0])
  },

  "without a cap it may go on": async (bench) => {
    const task = await bench.submit({ maxRetries: 0 })
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (let i = 0; i < 20; i++) held = await worker.again(held, rescheduled())
    equal((await bench.get(task)).rescheduleCount, 20)
  },

  "the extension counts before the expiry is looked at": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 60_000 } })
    const worker = bench.worker()
    deepEqual(await worker.settle(await worker.claimOne(), rescheduled(90_000, 30_001)), { kind: "ok", status: "pending" })
    equal((await bench.get(task)).expiresAtMs, (task.expiresAtMs ?? 0) + 30_001)
    equal((await bench.history(task))[2]?.expiresAtMs, (task.expiresAtMs ?? 0) + 30_001)
    await bench.world.advance(90_000)
    equal((await bench.sweep()).expired, 0)
    equal((await worker.claimOne()).id, task.id)
  },

  "an extension revives a task whose expiry went by while it ran": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 10_000 } })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(20_000)
    deepEqual(await worker.settle(held, rescheduled(0, 15_000)), { kind: "ok", status: "pending" })
    equal((await worker.claimOne()).id, task.id)
  },

  "an extension that is too short leaves the task expired": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 60_000 } })
    const worker = bench.worker()
    deepEqual(await worker.settle(await worker.claimOne(), rescheduled(90_000, 30_000)), { kind: "ok", status: "expired" })
    equal((await bench.get(task)).expiresAtMs, (task.expiresAtMs ?? 0) + 30_000)
  },

  "without an extension the expiry stays, and is not told again": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 60_000 } })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), rescheduled(1_000))
    equal((await bench.get(task)).expiresAtMs, task.expiresAtMs)
    equal((await bench.history(task))[2]?.expiresAtMs, undefined)
  },

  "an extension does nothing to a task that never expires": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), rescheduled(0, 60_000))
    equal((await bench.get(task)).expiresAtMs, null)
    equal((await bench.history(task))[2]?.expiresAtMs, undefined)
  },

  "a reschedule past the expiry expires at once": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 60_000 } })
    const worker = bench.worker()
    deepEqual(await worker.settle(await worker.claimOne(), rescheduled(60_000)), { kind: "ok", status: "expired" })
    deepEqual(await bench.events(task), ["created", "claimed", "expired"])
  },

  "one that was asked to stop is cancelled instead": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.move("cancel", task)
    deepEqual(await worker.settle(held, rescheduled()), { kind: "ok", status: "cancelled" })
  },
  "a delay of 0 goes behind what became ready in the same millisecond": async (bench) => {
    const [first, second] = [await bench.submit(), await bench.submit()]
    const worker = bench.worker()
    const held = await worker.claimOne({ max: 1 })
    equal(held.id, first.id)
    await worker.settle(held, rescheduled(0, 0, null))
    equal((await worker.claimOne({ max: 1 })).id, second.id)
    equal((await worker.claimOne({ max: 1 })).id, first.id)
  },
})

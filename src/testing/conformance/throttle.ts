// The other side said "not now": the third budget. The task keeps its place and spends neither retries nor reschedules.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { throttled } from "./outcomes.ts"

export const throttleTests = theme("throttle", {
  "a throttled task waits as long as it was told, and keeps its place": async (bench) => {
    const task = await bench.submit({ maxRetries: 0, maxReschedules: 0 })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(500)
    deepEqual(await worker.settle(held, throttled(30_000)), { kind: "ok", status: "pending" })
    const nowMs = bench.world.wallMs()
    deepEqual(await bench.get(task), {
      ...held,
      status: "pending",
      updatedAtMs: nowMs,
      availableAtMs: nowMs + 30_000,
      throttleCount: 1,
      version: 3,
      workerId: null,
      claimNumber: null,
      leaseExpiresAtMs: null,
      lastError: "too many requests",
      lastOutcome: "throttled",
    })
    await bench.world.advance(29_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    equal((await worker.claimOne()).id, task.id)
  },

  "over the cap it fails with the last upstream status": async (bench) => {
    const worker = bench.worker()
    for (const [status, told] of [
      [503, "Max throttles (1) exceeded, last upstream status 503"],
      [null, "Max throttles (1) exceeded"],
    ] as const) {
      const task = await bench.submit({ maxThrottles: 1 })
      const held = await worker.again(await worker.claimOne(), throttled(0, 429))
      deepEqual(await worker.settle(held, throttled(0, status)), { kind: "ok", status: "failed" })
      const { lastError, throttleCount } = await bench.get(task)
      deepEqual([lastError, throttleCount], [told, 1])
    }
  },

  "a wait past the expiry expires at once": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 10_000 } })
    const worker = bench.worker()
    deepEqual(await worker.settle(await worker.claimOne(), throttled(10_000)), { kind: "ok", status: "expired" })
    equal((await bench.get(task)).expiredAtMs, bench.world.wallMs())
  },

  "one that was asked to stop is cancelled instead": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.move("cancel", task)
    deepEqual(await worker.settle(held, throttled()), { kind: "ok", status: "cancelled" })
    deepEqual(await worker.claim(), [])
  },
})

// A run that failed: one retry spent, a delay that the worker asks for, and an end when the retries are used up.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { retried } from "./outcomes.ts"

export const retryTests = theme("retry", {
  "a retried task is pending again after its delay, with one retry spent": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(250)
    deepEqual(await worker.settle(held, retried(5_000, "timeout")), { kind: "ok", status: "pending" })
    const nowMs = bench.world.wallMs()
    deepEqual(await bench.get(task), {
      ...held,
      status: "pending",
      updatedAtMs: nowMs,
      availableAtMs: nowMs + 5_000,
      readyAtMs: nowMs + 5_001,
      retryCount: 1,
      version: 3,
      workerId: null,
      claimNumber: null,
      leaseExpiresAtMs: null,
      lastError: "timeout",
      lastOutcome: "retried",
    })
    const { atMs, ...entry } = (await bench.history(task))[2] ?? { atMs: 0 }
    deepEqual(entry, { version: 3, status: "pending", event: "retried", delayMs: 5_000, count: 1, error: "timeout" })
  },

  "it is claimed again when the delay is over, not before": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(5_000))
    await bench.world.advance(4_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    const { fence, attempt } = await worker.claimOne()
    deepEqual({ fence, attempt }, { fence: 2, attempt: 2 })
  },

  "it fails with the last error when the retries are used up": async (bench) => {
    const task = await bench.submit({ maxRetries: 2 })
    const worker = bench.worker()
    let held = await worker.claimOne()
    held = await worker.again(held, retried(0, "first"))
    held = await worker.again(held, retried(0, "second"))
    deepEqual(await worker.settle(held, retried(0, "third")), { kind: "ok", status: "failed" })
    const { retryCount, lastError, attempt, lastOutcome } = await bench.get(task)
    deepEqual({ retryCount, lastError, attempt, lastOutcome }, { retryCount: 2, lastError: "third", attempt: 3, lastOutcome: "retried" })
    deepEqual(await worker.claim(), [])
  },

  "without retries the first failure is the last": async (bench) => {
    const task = await bench.submit({ maxRetries: 0 })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(0, "no"))
    equal(await bench.status(task), "failed")
  },

  "a retry that would be due at its expiry or later expires at once": async (bench) => {
    for (const delayMs of [60_000, 60_001]) {
      const task = await bench.submit({ expiry: { inMs: 60_000 } })
      const worker = bench.worker(`w${delayMs}`)
      deepEqual(await worker.settle(await worker.claimOne(), retried(delayMs, "no")), { kind: "ok", status: "expired" })
      const { expiredAtMs, availableAtMs, lastError } = await bench.get(task)
      deepEqual([expiredAtMs, availableAtMs, lastError], [bench.world.wallMs(), task.availableAtMs, "no"])
    }
  },

  "a retry that is due before its expiry waits for it": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 60_000 } })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(59_999))
    equal(await bench.status(task), "pending")
    await bench.world.advance(59_999)
    equal((await worker.claimOne()).id, task.id)
  },

  "used up retries are told before the expiry": async (bench) => {
    const task = await bench.submit({ maxRetries: 0, expiry: { inMs: 1_000 } })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(5_000, "no"))
    equal(await bench.status(task), "failed")
  },

  "a task that waits for its retry can be cancelled": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(5_000))
    equal((await bench.move("cancel", task)).kind, "ok")
    await bench.world.advance(10_000)
    deepEqual(await worker.claim(), [])
  },
})

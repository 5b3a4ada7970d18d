// A lost lease comes back by the sweep: for the price of a retry, after a backoff, and not for ever.

import { deepEqual, equal, match } from "node:assert/strict"
import type { Bench } from "./kit.ts"
import { theme } from "./kit.ts"
import { released, rescheduled } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

const backoff = { baseMs: 1_000, factor: 2, capMs: 3_000 }

/** Claims the only task there is, and is never heard of again. */
async function crash(bench: Bench, workerId: string): Promise<void> {
  await bench.worker(workerId).claimOne()
  await bench.world.advance(leaseMs)
  const { rescued } = await bench.sweep()
  equal(rescued, 1)
}

export const lostTests = theme("lost", {
  "a lost lease is back in its lane, for the price of a retry": async (bench) => {
    const task = await bench.submit()
    await crash(bench, "w1")
    const nowMs = bench.world.wallMs()
    deepEqual(await bench.get(task), {
      ...task,
      updatedAtMs: nowMs,
      availableAtMs: nowMs,
      readyAtMs: nowMs + 1,
      startedAtMs: nowMs - leaseMs,
      retryCount: 1,
      crashCount: 1,
      attempt: 1,
      fence: 1,
      version: 3,
      lastError: "lease lost by w1",
      lastOutcome: "lost",
    })
    const [, , lost] = await bench.history(task)
    deepEqual([lost?.event, lost?.count, lost?.error], ["lost", 1, "lease lost by w1"])
    equal((await bench.worker("w2").claimOne()).fence, 2)
  },

  "a live lease is left alone, to the last millisecond": async (bench) => {
    await bench.submit()
    const held = await bench.worker().claimOne()
    await bench.world.advance(leaseMs - 1)
    equal((await bench.sweep()).rescued, 0)
    await bench.world.advance(1)
    equal((await bench.sweep()).rescued, 1)
    equal((await bench.sweep()).rescued, 0)
    equal((await bench.get(held)).retryCount, 1)
  },

  "it waits for a backoff that grows with each retry up to a cap": async (bench) => {
    const task = await bench.submit({ maxRetries: 10 })
    const worker = bench.worker()
    for (const ceilingMs of [1_000, 2_000, 3_000, 3_000]) {
      const held = await worker.claimOne()
      await bench.world.advance(leaseMs)
      await bench.sweep({ backoff, random: 0.999_999_999 })
      const { availableAtMs, updatedAtMs } = await bench.get(task)
      equal(availableAtMs - updatedAtMs, ceilingMs)
      await bench.world.advance(ceilingMs - 1)
      deepEqual(await worker.claim(), [])
      await bench.world.advance(1)
      // A settle by a living worker, so that the loop is not taken for poison.
      await worker.settle(await worker.claimOne(), released())
      equal(held.id, task.id)
    }
  },

  "the jitter is the caller's, and differs from task to task": async (bench) => {
    await bench.submitMany(10)
    const held = await bench.worker().claim()
    await bench.world.advance(leaseMs)
    await bench.sweep({ backoff: { baseMs: 1_000_000, factor: 1, capMs: 1_000_000 }, random: 0.25 })
    const { tasks } = await bench.store.get({ ids: held.map(({ id }) => id) })
    const delays = tasks.map((task) => (task?.availableAtMs ?? 0) - bench.world.wallMs())
    equal(delays[0], 250_000)
    equal(new Set(delays).size, 10)
    for (const delayMs of delays) equal(delayMs >= 0 && delayMs <= 1_000_000, true)
  },

  "without retries left it fails": async (bench) => {
    const task = await bench.submit({ maxRetries: 0 })
    await crash(bench, "w1")
    const { status, lastError, retryCount, workerId } = await bench.get(task)
    deepEqual(
      { status, lastError, retryCount, workerId },
      { status: "failed", lastError: "lease lost by w1", retryCount: 0, workerId: null },
    )
  },

  "a task that loses three workers in a row is poison and fails": async (bench) => {
    const task = await bench.submit({ maxRetries: 100 })
    await crash(bench, "w1")
    await crash(bench, "w2")
    equal(await bench.status(task), "pending")
    await crash(bench, "w3")
    const { status, lastError, crashCount } = await bench.get(task)
    deepEqual([status, crashCount], ["failed", 3])
    match(lastError ?? "", /poison.*3 times in a row.*w3/)
  },

  "a settle by a living worker breaks the row": async (bench) => {
    const task = await bench.submit({ maxRetries: 100 })
    await crash(bench, "w1")
    await crash(bench, "w2")
    const worker = bench.worker("alive")
    await worker.settle(await worker.claimOne(), rescheduled())
    equal((await bench.get(task)).crashCount, 0)
    await crash(bench, "w3")
    await crash(bench, "w4")
    equal(await bench.status(task), "pending")
  },

  "one that was asked to stop is not started again": async (bench) => {
    const task = await bench.submit()
    await bench.worker().claimOne()
    await bench.move("cancel", task)
    await bench.world.advance(leaseMs)
    await bench.sweep()
    equal(await bench.status(task), "cancelled")
  },

  "one that is past its expiry by then expires at once": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: leaseMs + 10 } })
    await bench.worker().claimOne()
    await bench.world.advance(leaseMs)
    await bench.sweep({ backoff, random: 0.5 })
    const { status, expiredAtMs } = await bench.get(task)
    deepEqual([status, expiredAtMs], ["expired", bench.world.wallMs()])
  },
})

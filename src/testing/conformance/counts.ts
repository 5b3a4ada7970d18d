// Counts are exact: in every status, for every type, after every kind of step.

import { deepEqual } from "node:assert/strict"
import { statuses } from "../../task/index.ts"
import { theme } from "./kit.ts"
import { completed, failed, released, retried } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

export const countsTests = theme("counts", {
  "every status has a number, also where there is nothing": async (bench) => {
    const zeros = Object.fromEntries(statuses.map((status) => [status, 0]))
    deepEqual(await bench.store.counts({ type: null }), { byStatus: zeros })
    await bench.submit()
    deepEqual(await bench.store.counts({ type: "unknown" }), { byStatus: zeros })
    deepEqual(await bench.store.counts({ type: null }), { byStatus: { ...zeros, pending: 1 } })
  },

  "they follow a task through every step": async (bench) => {
    const worker = bench.worker()
    const expect = async (counts: object) => deepEqual(await bench.counts(), counts)
    const [first, second, third] = await bench.submitMany(3)
    if (!first || !second || !third) throw new Error("expected three tasks")
    await expect({ pending: 3 })
    const [a, b, c] = await worker.claim()
    if (!a || !b || !c) throw new Error("expected three tasks")
    await expect({ running: 3 })
    await worker.settle(a, completed())
    await worker.settle(b, failed())
    await worker.settle(c, released())
    await expect({ completed: 1, failed: 1, pending: 1 })
    await bench.move("cancel", third)
    await expect({ completed: 1, failed: 1, cancelled: 1 })
    await bench.move("retry", second)
    await bench.move("archive", first)
    await expect({ archived: 1, pending: 1, cancelled: 1 })
    await bench.move("expire", second)
    await expect({ archived: 1, expired: 1, cancelled: 1 })
    await bench.sweep({ retentionMs: 0 })
    await expect({ archived: 1 })
  },

  "they are kept by type": async (bench) => {
    await bench.submitMany(3, { type: "mail" })
    await bench.submitMany(2, { type: "resize" })
    await bench.worker().claim({ max: 1 })
    deepEqual(await bench.counts("mail"), { pending: 2, running: 1 })
    deepEqual(await bench.counts("resize"), { pending: 2 })
    deepEqual(await bench.counts(), { pending: 4, running: 1 })
  },

  "a refused submission and a stale settle count nothing": async (bench) => {
    await bench.submit({ idempotencyKey: "k", input: "1" })
    await bench.store.submit({ tasks: [bench.newTask(), bench.newTask({ idempotencyKey: "k", input: "2" })] })
    await bench.store.submit({ tasks: [bench.newTask({ idempotencyKey: "k", input: "1" })] })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await worker.settle({ id: held.id, fence: 9 }, completed())
    deepEqual(await bench.counts(), { running: 1 })
    await worker.settle(held, completed())
    await worker.settle(held, completed())
    deepEqual(await bench.counts(), { completed: 1 })
  },

  "a sweep moves them with the tasks": async (bench) => {
    await bench.submitMany(2)
    await bench.submit({ expiry: { inMs: leaseMs + 1 }, schedule: { inMs: leaseMs } })
    const worker = bench.worker()
    await worker.claim({ max: 1 })
    await bench.world.advance(leaseMs + 1)
    await bench.sweep()
    deepEqual(await bench.counts(), { pending: 2, expired: 1 })
    for (const task of await worker.claim()) await worker.settle(task, retried())
    deepEqual(await bench.counts(), { pending: 2, expired: 1 })
  },
})

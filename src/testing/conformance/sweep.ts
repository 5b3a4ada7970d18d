// Sweep: what time has done while nobody looked, in bounded steps, by any number of sweepers at once. Leases and expiry
// have themes of their own; here is what the sweep does as a whole, and retention.

import { deepEqual, equal } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, failed } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

const hour = 3_600_000

export const sweepTests = theme("sweep", {
  "nothing to do is nothing done": async (bench) => {
    await bench.submit()
    await bench.submit({ schedule: { inMs: hour } })
    const worker = bench.worker()
    await worker.claim()
    const { rescued, expired, removed, more } = await bench.sweep({ retentionMs: hour })
    deepEqual({ rescued, expired, removed, more }, { rescued: 0, expired: 0, removed: 0, more: false })
    deepEqual(await bench.counts(), { pending: 1, running: 1 })
  },

  "one sweep does all three: leases, expiry and retention": async (bench) => {
    const worker = bench.worker()
    const old = await bench.submit()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(hour)
    const lost = await bench.submit()
    await worker.claimOne()
    const late = await bench.submit({ expiry: { inMs: 1_000 } })
    await bench.world.advance(leaseMs)
    const { rescued, expired, removed, more } = await bench.sweep({ retentionMs: hour })
    deepEqual({ rescued, expired, removed, more }, { rescued: 1, expired: 1, removed: 1, more: false })
    deepEqual([await bench.status(lost), await bench.status(late)], ["pending", "expired"])
    deepEqual(await bench.store.get({ ids: [old.id] }), { tasks: [null], forecasts: [null] })
  },

  "retention removes finished tasks that are old enough, with all that was kept of them": async (bench) => {
    const worker = bench.worker()
    const done = await bench.submit({ idempotencyKey: "k" })
    await worker.settle(await worker.claimOne(), completed())
    const broken = await bench.submit()
    await worker.settle(await worker.claimOne(), failed())
    const stopped = await bench.submit()
    await bench.move("cancel", stopped)
    const late = await bench.submit({ expiry: { inMs: 0 } })
    const waiting = await bench.submit({ type: "resize" })
    await bench.world.advance(hour - 1)
    equal((await bench.sweep({ retentionMs: hour })).removed, 0)
    await bench.world.advance(1)
    const young = await bench.submit({ expiry: { inMs: 0 } })
    equal((await bench.sweep({ retentionMs: hour })).removed, 4)
    for (const { id } of [done, broken, stopped, late]) {
      deepEqual(await bench.store.get({ ids: [id] }), { tasks: [null], forecasts: [null] })
      deepEqual(await bench.store.history({ id }), { entries: null })
      deepEqual(await bench.move("archive", { id }), { kind: "missing" })
    }
    sameTasks(await bench.list(), [young, waiting])
    deepEqual(await bench.counts(), { pending: 1, expired: 1 })
  },

  "retention counts from the end of a task, not from its beginning": async (bench) => {
    const task = await bench.submit()
    await bench.world.advance(hour * 2)
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    equal((await bench.sweep({ retentionMs: hour })).removed, 0)
    await bench.world.advance(hour)
    equal((await bench.sweep({ retentionMs: hour })).removed, 1)
    deepEqual(await bench.store.get({ ids: [task.id] }), { tasks: [null], forecasts: [null] })
  },

  "without retention everything is kept": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 0 } })
    await bench.world.advance(hour * 24 * 365 * 10)
    equal((await bench.sweep({ retentionMs: null })).removed, 0)
    equal(await bench.status(task), "expired")
  },

  "sweepers at once do everything once": async (bench) => {
    await bench.submitMany(20)
    await bench.worker().claim()
    await bench.submitMany(20, { expiry: { inMs: 1_000 } })
    const others = [bench, await bench.connect(), await bench.connect()]
    await bench.world.advance(leaseMs)
    const answers = await bench.together(others.map((desk) => desk.sweep()))
    equal(
      answers.reduce((sum, { rescued }) => sum + rescued, 0),
      20,
    )
    equal(
      answers.reduce((sum, { expired }) => sum + expired, 0),
      20,
    )
    deepEqual(await bench.counts(), { pending: 20, expired: 20 })
    equal(Math.max(...(await bench.list({ statuses: ["pending"] })).map(({ retryCount }) => retryCount)), 1)
  },

  "a lane that was forgotten is there again when it is needed": async (bench) => {
    const worker = bench.worker()
    for (let round = 0; round < 3; round++) {
      const tasks = [await bench.submit({ flow: "x" }), await bench.submit({ flow: "y", gates: [{ limit: "l", key: "k", cost: 1 }] })]
      const claimed = await worker.claim()
      sameTasks(claimed, tasks)
      for (const task of claimed) await worker.settle(task, completed())
      await bench.world.advance(hour * 24 * 2)
      await bench.sweep()
      await bench.sweep()
    }
    deepEqual(await bench.counts(), { completed: 6 })
  },
})

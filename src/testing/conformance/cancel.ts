// Cancel: what waits ends at once, what runs is asked to stop, and the request is not lost before the run is over.

import { deepEqual, equal, ok } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed, failed, released, retried } from "./outcomes.ts"

export const cancelTests = theme("cancel", {
  "a pending task ends at once, scheduled or not": async (bench) => {
    for (const schedule of [null, { inMs: 10_000 }]) {
      const task = await bench.submit({ schedule })
      const nowMs = bench.world.wallMs()
      const result = await bench.move("cancel", task)
      ok(result.kind === "ok")
      const cancelled = { ...task, status: "cancelled", updatedAtMs: nowMs, completedAtMs: nowMs, cancelRequestedAtMs: nowMs, version: 2 }
      deepEqual(result.task, cancelled)
      deepEqual(await bench.get(task), cancelled)
    }
    await bench.world.advance(20_000)
    deepEqual(await bench.worker().claim(), [])
  },

  "a running task is asked to stop, and its worker is told": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.cancelled(), [])
    await bench.world.advance(100)
    const result = await bench.move("cancel", held)
    ok(result.kind === "ok")
    const nowMs = bench.world.wallMs()
    deepEqual(result.task, { ...held, updatedAtMs: nowMs, cancelRequestedAtMs: nowMs, version: 3 })
    deepEqual(await worker.cancelled(), [{ id: held.id, fence: held.fence }])
    deepEqual(await bench.events(held), ["created", "claimed", "cancel_requested"])
  },

  "the request is told until the run is over, whatever else is said": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.move("cancel", held)
    const told = [{ id: held.id, fence: held.fence }]
    deepEqual(await worker.cancelled(), told)
    await worker.heartbeat(held, '"still here"')
    deepEqual((await worker.exchange({ claim: worker.nextClaim() })).cancelled, told)
    equal((await bench.get(held)).cancelRequestedAtMs, bench.world.wallMs())
    await worker.settle(held, completed())
    deepEqual(await worker.cancelled(), [])
  },

  "only the worker that runs the task is told, and on any connection": async (bench) => {
    await bench.submitMany(2)
    const [a, b] = [bench.worker("a"), bench.worker("b")]
    const [mine] = await a.claim({ max: 1 })
    const [theirs] = await b.claim({ max: 1 })
    ok(mine && theirs)
    const other = await bench.connect()
    await other.move("cancel", mine)
    deepEqual(await b.cancelled(), [])
    deepEqual(await other.worker("a").cancelled(), [{ id: mine.id, fence: 1 }])
  },

  "cancelling again changes nothing": async (bench) => {
    await bench.submit()
    const held = await bench.worker().claimOne()
    const first = await bench.move("cancel", held)
    await bench.world.advance(1_000)
    deepEqual(await bench.move("cancel", held), first)
    equal((await bench.history(held)).length, 3)
  },

  "a handler that finishes all the same has finished": async (bench) => {
    for (const outcome of [completed('"done"'), failed("no")]) {
      await bench.submit()
      const worker = bench.worker(outcome.kind)
      const held = await worker.claimOne()
      await bench.move("cancel", held)
      deepEqual(await worker.settle(held, outcome), { kind: "ok", status: outcome.kind })
    }
  },

  "a task that was asked to stop is not run again": async (bench) => {
    for (const outcome of [retried(0, "aborted"), released()]) {
      await bench.submit()
      const worker = bench.worker(outcome.kind)
      const held = await worker.claimOne()
      await bench.move("cancel", held)
      deepEqual(await worker.settle(held, outcome), { kind: "ok", status: "cancelled" })
      const { completedAtMs, retryCount } = await bench.get(held)
      deepEqual([completedAtMs, retryCount], [bench.world.wallMs(), 0])
      deepEqual(await worker.claim(), [])
    }
  },

  "a finished task cannot be cancelled": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    deepEqual(await bench.move("cancel", task), { kind: "illegal", from: "completed", to: "cancelled" })
    const second = await bench.submit()
    await bench.move("cancel", second)
    deepEqual(await bench.move("cancel", second), { kind: "illegal", from: "cancelled", to: "cancelled" })
  },

  "many are cancelled in one step, each answered for itself": async (bench) => {
    const [waiting, running] = [await bench.submit({ type: "resize" }), await bench.submit()]
    await bench.worker().claimOne()
    const finished = await bench.submit({ expiry: { inMs: 0 } })
    const { results } = await bench.store.cancel({ ids: [running.id, "nobody", waiting.id, finished.id, running.id] })
    deepEqual(
      results.map((result) => (result.kind === "ok" ? result.task.status : result.kind)),
      ["running", "missing", "cancelled", "illegal", "running"],
    )
    deepEqual(results[4], results[0])
    deepEqual(await bench.events(running), ["created", "claimed", "cancel_requested"])
    deepEqual(await bench.counts(), { running: 1, cancelled: 1, expired: 1 })
  },

  "a claim and a cancel at once leave the task cancelled or told": async (bench) => {
    const tasks = await bench.submitMany(10)
    const other = await bench.connect()
    const worker = bench.worker()
    await bench.together<unknown>(tasks.flatMap((task) => [worker.claim({ max: 1 }), other.move("cancel", task)]))
    const told = (await worker.cancelled()).map(({ id }) => id)
    for (const task of tasks) {
      const { status } = await bench.get(task)
      equal(
        status === "running" ? told.includes(task.id) : status === "cancelled",
        true,
        `task is ${status}, told: ${told.includes(task.id)}`,
      )
    }
  },
})

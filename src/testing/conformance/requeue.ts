// Retry by hand: what failed or was cancelled is pending again with fresh budgets, unless it is too late for it.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, failed, rescheduled, retried, throttled } from "./outcomes.ts"

export const requeueTests = theme("requeue", {
  "a failed task is pending again with fresh budgets": async (bench) => {
    const task = await bench.submit({ maxRetries: 1 })
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (const outcome of [rescheduled(), throttled(), retried()]) held = await worker.again(held, outcome)
    await worker.settle(held, retried(0, "last"))
    await bench.world.advance(1_000)
    const before = await bench.get(task)
    const result = await bench.move("retry", task)
    ok(result.kind === "ok")
    const nowMs = bench.world.wallMs()
    deepEqual(result.task, {
      ...before,
      status: "pending",
      updatedAtMs: nowMs,
      availableAtMs: nowMs,
      readyAtMs: nowMs + 1,
      completedAtMs: null,
      retryCount: 0,
      rescheduleCount: 0,
      throttleCount: 0,
      crashCount: 0,
      version: before.version + 1,
    })
    equal((await bench.events(task)).at(-1), "requeued")
    const again = await worker.claimOne()
    equal(again.fence, held.fence + 1)
    await worker.settle(again, retried(0))
    equal(await bench.status(task), "pending")
  },

  "a cancelled task is pending again, and the request to stop is forgotten": async (bench) => {
    const task = await bench.submit()
    await bench.move("cancel", task)
    const result = await bench.move("retry", task)
    ok(result.kind === "ok")
    deepEqual([result.task.status, result.task.cancelRequestedAtMs, result.task.completedAtMs], ["pending", null, null])
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.cancelled(), [])
    await worker.settle(held, retried(0))
    equal(await bench.status(task), "pending")
  },

  "it goes to the back of its lane": async (bench) => {
    const first = await bench.submit()
    await bench.move("cancel", first)
    const second = await bench.submit()
    await bench.world.advance(1)
    await bench.move("retry", first)
    sameTasks(await bench.worker().claim(), [second, first])
  },

  "past its expiry it expires instead": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 1_000 } })
    await bench.move("cancel", task)
    await bench.world.advance(1_000)
    const result = await bench.move("retry", task)
    ok(result.kind === "ok")
    deepEqual([result.task.status, result.task.expiredAtMs], ["expired", bench.world.wallMs()])
    deepEqual(await bench.events(task), ["created", "cancelled", "requeued", "expired"])
    deepEqual(await bench.worker().claim(), [])
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "expired", to: "pending" })
  },

  "only what failed or was cancelled can be retried": async (bench) => {
    const task = await bench.submit()
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "pending", to: "pending" })
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "running", to: "pending" })
    await worker.settle(held, completed())
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "completed", to: "pending" })
    await bench.move("archive", task)
    deepEqual(await bench.move("retry", task), { kind: "illegal", from: "archived", to: "pending" })
    deepEqual(await bench.move("retry", { id: "nobody" }), { kind: "missing" })
  },

  "an id that is named twice in one call is retried once": async (bench) => {
    const task = await bench.submit()
    await bench.move("cancel", task)
    const { results } = await bench.store.retry({ ids: [task.id, task.id] })
    deepEqual(
      results.map(({ kind }) => kind),
      ["ok", "illegal"],
    )
    deepEqual(await bench.counts(), { pending: 1 })
    equal((await bench.history(task)).length, 3)
  },

  "retrying twice at once runs it once": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), failed())
    const other = await bench.connect()
    const results = await bench.together([bench.move("retry", task), other.move("retry", task)])
    deepEqual(results.map(({ kind }) => kind).sort(), ["illegal", "ok"])
    equal((await worker.claim()).length, 1)
  },

  "retention counts from the new end": async (bench) => {
    const task = await bench.submit()
    await bench.move("cancel", task)
    await bench.world.advance(50_000)
    await bench.move("retry", task)
    await bench.world.advance(50_000)
    equal((await bench.sweep({ retentionMs: 60_000 })).removed, 0)
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(59_999)
    equal((await bench.sweep({ retentionMs: 60_000 })).removed, 0)
    equal(await bench.status(task), "completed")
  },
})

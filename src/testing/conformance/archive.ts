// Archive: a finished task is put away. It is kept as it was, out of retention's reach, and comes back to nothing.

import { deepEqual, equal, ok } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed, failed } from "./outcomes.ts"

export const archiveTests = theme("archive", {
  "every finished task can be archived, and keeps what it had": async (bench) => {
    const worker = bench.worker()
    const done = await bench.submit({ input: "[1]", tags: ["keep"] })
    await worker.settle(await worker.claimOne(), completed("2"))
    const broken = await bench.submit()
    await worker.settle(await worker.claimOne(), failed("no"))
    const stopped = await bench.submit()
    await bench.move("cancel", stopped)
    const late = await bench.submit({ expiry: { inMs: 0 } })
    await bench.world.advance(10)
    for (const { id } of [done, broken, stopped, late]) {
      const before = await bench.get({ id })
      const result = await bench.move("archive", { id })
      ok(result.kind === "ok")
      deepEqual(result.task, { ...before, status: "archived", updatedAtMs: bench.world.wallMs(), version: before.version + 1 })
      deepEqual(await bench.get({ id }), result.task)
    }
    deepEqual(await bench.counts(), { archived: 4 })
  },

  "what is not finished cannot be archived": async (bench) => {
    const task = await bench.submit()
    deepEqual(await bench.move("archive", task), { kind: "illegal", from: "pending", to: "archived" })
    await bench.worker().claimOne()
    deepEqual(await bench.move("archive", task), { kind: "illegal", from: "running", to: "archived" })
    deepEqual(await bench.move("archive", { id: "nobody" }), { kind: "missing" })
  },

  "archiving again changes nothing": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 0 } })
    await bench.move("archive", task)
    const archived = await bench.get(task)
    deepEqual(await bench.move("archive", task), { kind: "illegal", from: "archived", to: "archived" })
    deepEqual(await bench.get(task), archived)
  },

  "retention leaves archived tasks alone": async (bench) => {
    const task = await bench.submit({ expiry: { inMs: 0 }, idempotencyKey: "k" })
    await bench.move("archive", task)
    await bench.world.advance(1_000_000)
    equal((await bench.sweep({ retentionMs: 0 })).removed, 0)
    equal(await bench.status(task), "archived")
    equal((await bench.submit({ idempotencyKey: "k" })).id, task.id)
  },
})

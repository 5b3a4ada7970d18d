// Idempotency keys: the first submission wins, the same again gets its task, and something else under the same key is told so.

import { deepEqual, equal, ok } from "node:assert/strict"
import { only } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"

export const idempotencyTests = theme("idempotency", {
  "the same key again gives back the first task": async (bench) => {
    const first = await bench.submit({ idempotencyKey: "order-1", input: '{"n": 1}' })
    const again = await bench.store.submit({ tasks: [bench.newTask({ idempotencyKey: "order-1", input: '{"n": 1}' })] })
    const nowMs = bench.world.wallMs()
    const forecast = { atMs: nowMs, latestMs: nowMs, basis: "now", gate: null }
    deepEqual(again, { kind: "ok", nowMs, tasks: [{ task: first, created: false, forecast }] })
    deepEqual(await bench.counts(), { pending: 1 })
  },

  "the task comes back as it is now": async (bench) => {
    const { id } = await bench.submit({ idempotencyKey: "order-1" })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed('"done"'))
    const again = await bench.submit({ idempotencyKey: "order-1" })
    equal(again.id, id)
    equal(again.status, "completed")
    equal(again.output, '"done"')
  },

  "the same key with another input or another type is a conflict": async (bench) => {
    const existing = await bench.submit({ idempotencyKey: "order-1", input: "1" })
    for (const fields of [{ input: "2" }, { input: "1", type: "resize" }]) {
      const answer = await bench.store.submit({ tasks: [bench.newTask({ idempotencyKey: "order-1", ...fields })] })
      deepEqual(answer, { kind: "conflict", index: 0, existing })
    }
    deepEqual(await bench.counts(), { pending: 1 })
  },

  "a digest, where one is given, decides whether two inputs are the same": async (bench) => {
    const existing = await bench.submit({ idempotencyKey: "k", input: '{"a":1,"b":2}', inputDigest: "d1" })
    const same = await bench.submit({ idempotencyKey: "k", input: '{"b":2,"a":1}', inputDigest: "d1" })
    deepEqual(same, existing)
    const other = bench.newTask({ idempotencyKey: "k", input: '{"a":1,"b":2}', inputDigest: "d2" })
    equal((await bench.store.submit({ tasks: [other] })).kind, "conflict")
  },

  "one batch may name a key twice and gets one task": async (bench) => {
    const answer = await bench.store.submit({
      tasks: [bench.newTask({ idempotencyKey: "k" }), bench.newTask({ idempotencyKey: "k" }), bench.newTask()],
    })
    ok(answer.kind === "ok")
    deepEqual(
      answer.tasks.map(({ created }) => created),
      [true, false, true],
    )
    deepEqual(answer.tasks[1]?.task, answer.tasks[0]?.task)
    deepEqual(await bench.counts(), { pending: 2 })
  },

  "one batch that contradicts itself under a key is a conflict, and nothing is stored": async (bench) => {
    const tasks = ["1", "2"].map((input) => bench.newTask({ idempotencyKey: "k", input }))
    const answer = await bench.store.submit({ tasks })
    ok(answer.kind === "conflict")
    equal(answer.index, 1)
    deepEqual(await bench.counts(), {})
  },

  "ten submissions at once from two connections make one task": async (bench) => {
    const desks = [bench, await bench.connect()]
    const calls = Array.from({ length: 5 }, () =>
      desks.map((desk) => desk.store.submit({ tasks: [desk.newTask({ idempotencyKey: "k" })] })),
    )
    const answers = await bench.together(calls.flat())
    const submitted = answers.map((answer) => {
      ok(answer.kind === "ok")
      return only(answer.tasks)
    })
    equal(submitted.filter(({ created }) => created).length, 1)
    equal(new Set(submitted.map(({ task }) => task.id)).size, 1)
    deepEqual(await bench.counts(), { pending: 1 })
  },

  "keys are compared exactly": async (bench) => {
    const keys = ["key", "Key", "key ", "kéy", "ke\u0301y", "k%y", "k_y", "🔑"]
    const tasks = await bench.submitAll(keys.map((idempotencyKey) => ({ idempotencyKey })))
    equal(new Set(tasks.map(({ id }) => id)).size, keys.length)
    for (const [i, idempotencyKey] of keys.entries()) deepEqual(await bench.submit({ idempotencyKey }), tasks[i])
  },

  "a key is free again once retention has removed its task": async (bench) => {
    const first = await bench.submit({ idempotencyKey: "k", input: "1" })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    equal((await bench.sweep({ retentionMs: 60_000 })).removed, 0)
    equal((await bench.submit({ idempotencyKey: "k", input: "1" })).id, first.id)
    await bench.world.advance(60_001)
    equal((await bench.sweep({ retentionMs: 60_000 })).removed, 1)
    const second = await bench.submit({ idempotencyKey: "k", input: "2" })
    equal(second.status, "pending")
    ok(second.id !== first.id)
  },
})

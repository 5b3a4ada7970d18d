// Payloads are text that a store gives back exactly: any size, any script, no matter what it looks like.

import { deepEqual, equal } from "node:assert/strict"
import { startJob } from "./job-kit.ts"
import { theme } from "./kit.ts"
import { completed, failed, rescheduled, retried } from "./outcomes.ts"

/** Scripts, surrogate pairs, combining marks, what is special in SQL, Lua, JSON and paths, and odd spaces. */
const texts = [
  " ",
  "Grüße, 世界, Привет, مرحبا, 👩‍👩‍👧‍👦, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "e\u0301 is not é, and \u00a0\u2028\u2029\ufeff are characters",
  "'; drop table tasks; --",
  'quotes " and \\ backslashes \\u0041 \n\t\r',
  "%s $1 {{y}} <script> ]]> /../ ?a=b&c #",
]

export const payloadTests = theme("payloads", {
  "an input of a megabyte comes back as it went in": async (bench) => {
    const input = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i, text: "Grüße 👋 und mehr davon" })))
    const task = await bench.submit({ input })
    equal((await bench.get(task)).input === input, true)
    const worker = bench.worker()
    const held = await worker.claimOne()
    equal(held.input === input, true)
    await worker.settle(held, completed(input))
    const done = await bench.get(task)
    deepEqual([done.input === input, done.output === input], [true, true])
    equal((await bench.list())[0]?.output === input, true)
  },

  "inputs of every size are kept through every step": async (bench) => {
    const inputs = [0, 1, 1_000, 1_023, 1_024, 1_025, 4_096, 65_536].map((length) => JSON.stringify("x".repeat(length)))
    const tasks = await bench.submitAll(inputs.map((input) => ({ input })))
    const worker = bench.worker()
    const held = await worker.claim()
    deepEqual(
      held.map(({ input }) => input),
      inputs,
    )
    for (const task of held) await worker.settle(task, retried())
    const { tasks: now } = await bench.store.get({ ids: tasks.map(({ id }) => id) })
    deepEqual(
      now.map((task) => task?.input),
      inputs,
    )
  },

  "JSON text is kept to the letter": async (bench) => {
    const inputs = ['{"b": 1,  "a": 2, "b": 3}', "12345678901234567890", "1.0", "-0", "1e400", "null", '""', "[ ]"]
    const tasks = await bench.submitAll(inputs.map((input) => ({ input })))
    for (const [i, task] of tasks.entries()) equal((await bench.get(task)).input, inputs[i])
  },

  "any script is kept, in every field that holds text": async (bench) => {
    const worker = bench.worker()
    for (const text of texts) {
      const json = JSON.stringify(text)
      await startJob(bench, 0, { id: text, name: text, isOpen: true })
      const task = await bench.submit({
        input: json,
        tags: [text, "tag"],
        flow: text,
        jobId: text,
        idempotencyKey: text,
        inputDigest: text,
      })
      const asked = { input: json, tags: [text, "tag"], flow: text, jobId: text, idempotencyKey: text, inputDigest: text }
      const { input, tags, flow, jobId, idempotencyKey, inputDigest } = await bench.get(task)
      deepEqual({ input, tags, flow, jobId, idempotencyKey, inputDigest }, asked)
      equal((await bench.list({ tag: text })).length, 1)
      const held = await worker.claimOne()
      await worker.heartbeat(held, json)
      equal((await bench.get(task)).progress, json)
      await worker.settle(held, rescheduled(0, 0, text))
      equal((await bench.history(task))[2]?.reason, text)
      await worker.settle(await worker.claimOne(), retried(0, text))
      equal((await bench.get(task)).lastError, text)
      await worker.settle(await worker.claimOne(), failed(text))
      equal((await bench.history(task)).at(-1)?.error, text)
    }
  },

  "types and workers are told apart by every character": async (bench) => {
    const types = ["a.b", "a_b", "a:b", "a-b", "A.b"]
    await bench.submitAll(types.map((type) => ({ type })))
    for (const type of types) {
      const held = await bench.worker(`worker ${type} ünïq`).claimOne({ types: [{ type, room: 9 }] })
      deepEqual([held.type, held.workerId], [type, `worker ${type} ünïq`])
      deepEqual(await bench.counts(type), { running: 1 })
    }
  },

  "an output of nothing is not an output of null": async (bench) => {
    const worker = bench.worker()
    for (const output of [null, "null", '""']) {
      const task = await bench.submit()
      await worker.settle(await worker.claimOne(), completed(output))
      equal((await bench.get(task)).output, output)
    }
  },

  "large numbers are kept exactly": async (bench) => {
    const farMs = 8.64e15
    const fields = { priority: -1_000_000, timeoutMs: 2 ** 40, maxRetries: 1_000_000, maxReschedules: 2 ** 31, maxThrottles: 0 }
    const task = await bench.submit({ ...fields, schedule: { atMs: farMs }, expiry: { atMs: farMs } })
    const { priority, timeoutMs, maxRetries, maxReschedules, maxThrottles, availableAtMs, expiresAtMs } = await bench.get(task)
    deepEqual({ priority, timeoutMs, maxRetries, maxReschedules, maxThrottles }, fields)
    deepEqual([availableAtMs, expiresAtMs], [farMs, farMs])
    const worker = bench.worker()
    const second = await bench.submit()
    await worker.settle(await worker.claimOne(), rescheduled(2 ** 52))
    equal((await bench.get(second)).availableAtMs, Math.min(farMs, bench.world.wallMs() + 2 ** 52))
  },
})

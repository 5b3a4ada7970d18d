// What a handler is given beside its input.

import { deepEqual, equal, match } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { deferred, found, takes } from "./kit.ts"

describe("ctx.progress", () => {
  it("is stored by the next heartbeat, the latest of what was reported", async () => {
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        for (let done = 1; done <= 20; done++) {
          context.progress({ done })
          await takes(context, 1_000)
        }
      },
    })
    const queue = await testQueue([work], { worker: { heartbeat: "5s" } })
    const task = await queue.submit(work, null)
    await queue.advance("4s")
    equal((await found(queue, task)).progress, null)
    await queue.advance("1s")
    deepEqual((await found(queue, task)).progress, { done: 5 })
    await queue.advance("5s")
    deepEqual((await found(queue, task)).progress, { done: 10 })
  })

  it("stays until something else is reported, and is gone with the next run", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        if (++runs === 1) context.progress("half")
        await takes(context, 60_000)
        if (runs === 1) context.reschedule(0)
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.advance("59s")
    equal((await found(queue, task)).progress, "half")
    await queue.advance("20s")
    equal((await found(queue, task)).progress, null)
  })

  it("refuses what JSON cannot carry, where it is called", async () => {
    const work = defineTask("work", { maxRetries: 0, run: (_input: unknown, context) => context.progress({ big: 1n }) })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.drain()
    equal((await found(queue, task)).lastError, "progress.big: expected a JSON value, got 1n")
  })
})

describe("ctx.log", () => {
  it("is an event of the worker, with the task's name and fence", async () => {
    const work = defineTask("work", {
      run: (_input: unknown, { log }) => {
        log.debug("starting")
        log.info("called", { status: 200 })
        log.warn("slow")
        log.error("gave up", { after: 3 })
      },
    })
    const queue = await testQueue([work])
    const lines: unknown[] = []
    queue.ownWorker.on("task.log", (line) => lines.push(line))
    const { id } = await queue.submit(work, null)
    await queue.drain()
    const of = { id, type: "work", fence: 1 }
    deepEqual(lines, [
      { ...of, level: "debug", message: "starting", fields: {} },
      { ...of, level: "info", message: "called", fields: { status: 200 } },
      { ...of, level: "warn", message: "slow", fields: {} },
      { ...of, level: "error", message: "gave up", fields: { after: 3 } },
    ])
  })

  it("costs the task nothing when a listener throws", async () => {
    const thrown = deferred<unknown>()
    process.setUncaughtExceptionCaptureCallback(thrown.resolve)
    const work = defineTask("work", { run: (_input: unknown, { log }) => log.info("called") })
    const queue = await testQueue([work])
    queue.ownWorker.on("task.log", () => {
      throw new Error("a listener's mistake")
    })
    const task = await queue.submit(work, null)
    match(String(await thrown.promise), /a listener's mistake/)
    process.setUncaughtExceptionCaptureCallback(null)
    await queue.drain()
    equal((await found(queue, task)).status, "completed")
  })
})

describe("ctx", () => {
  it("has the task as it was claimed, its fence and the queue", async () => {
    const seen: unknown[] = []
    let fails = true
    const work = defineTask("work", {
      run: async (_input: { n: number }, { task, fence, queue }) => {
        seen.push([task.id, task.status, task.attempt, task.retryCount, fence, task.input])
        await queue.submit("follow-up", { of: task.id })
        if (fails) throw new Error("once")
      },
    })
    const queue = await testQueue([work])
    const { id } = await queue.submit(work, { n: 1 })
    await queue.world.settle()
    fails = false
    await queue.advance("2s")
    deepEqual(seen, [
      [id, "running", 1, 0, 1, { n: 1 }],
      [id, "running", 2, 1, 2, { n: 1 }],
    ])
    equal((await queue.counts({ type: "follow-up" })).pending, 2)
  })

  it("gives one signal for the whole run", async () => {
    const work = defineTask("work", {
      run: (_input: unknown, context) => {
        const { signal } = context
        return signal === context.signal && !signal.aborted
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.drain()
    equal((await found(queue, task)).output, true)
  })
})

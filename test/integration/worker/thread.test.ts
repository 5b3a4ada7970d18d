// Tasks with isolate: "thread", in real threads and in real time.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { after, describe, it } from "node:test"
import {
  type AnyTask,
  connect,
  defineTask,
  type SubmitOptions,
  type Task,
  type WorkerEvents,
  type WorkerOptions,
} from "../../../src/index.ts"
import { systemWorld } from "../../../src/world/index.ts"
import { block, end, where } from "./modules/isolated.ts"

const queues: { close(): Promise<void> }[] = []

/** A queue in memory with a worker, and a promise for each task's first outcome. */
async function start(tasks: readonly AnyTask[], options: WorkerOptions = {}) {
  const queue = await connect("memory:")
  const worker = queue.worker(tasks, { lease: "3s", heartbeat: "50ms", grace: "50ms", ...options })
  const waiting = new Map<string, (event: WorkerEvents["task.settled"]) => void>()
  worker.on("task.settled", (event) => waiting.get(event.id)?.(event))
  const running = worker.run()
  queues.push({
    close: async () => {
      worker.stop()
      worker.stop()
      await running
    },
  })
  return {
    queue,
    worker,
    async outcome(task: AnyTask, input: unknown, submitOptions?: SubmitOptions): Promise<Task> {
      const submitted = await queue.submit(task as never, input as never, submitOptions)
      await new Promise<unknown>((resolve) => waiting.set(submitted.id, resolve))
      return (await queue.get(submitted.id)) as Task
    },
  }
}

after(() => Promise.all(queues.map((queue) => queue.close())))

describe("a task in a thread", () => {
  it("runs in another thread, with its input parsed there, and its value comes back", async () => {
    const { outcome } = await start([where])
    const task = await outcome(where, { n: 21 })
    deepEqual([task.status, task.output], ["completed", { isMainThread: false, isThread: true, n: 42, raw: { n: 21 }, fence: 1 }])
  })

  it("that blocks is terminated at its timeout, and others go on meanwhile", async () => {
    let runs = 0
    const quick = defineTask("quick", { run: () => ++runs })
    const { queue, worker, outcome } = await start([block, quick])
    const overruns: string[] = []
    worker.on("task.overrun", ({ reason }) => overruns.push(reason))
    const blocked = outcome(block, {}, { timeout: "700ms", maxRetries: 0 })
    while ((await queue.counts({ type: "block" })).running + (await queue.counts({ type: "block" })).pending > 0) await outcome(quick, null)
    const { status, lastError } = await blocked
    deepEqual({ status, lastError }, { status: "failed", lastError: "timeout" })
    ok(runs > 5, `expected others to go on, got ${runs} runs`)
    deepEqual(overruns, [])
  })

  it("that blocks is terminated when it is cancelled, without waiting for the grace", async () => {
    const { queue, worker } = await start([block], { grace: "1h" })
    const claimed = new Promise<string>((resolve) => worker.on("task.log", ({ id }) => resolve(id)))
    const settled = new Promise<WorkerEvents["task.settled"]>((resolve) => worker.on("task.settled", resolve))
    await queue.submit(block, { log: "started" })
    await queue.cancel(await claimed)
    equal((await settled).status, "cancelled")
  })

  it("that blocks is given back when the worker stops", async () => {
    const { queue, worker } = await start([block])
    const started = new Promise<string>((resolve) => worker.on("task.log", ({ id }) => resolve(id)))
    const stopped = new Promise<unknown>((resolve) => worker.on("worker.stopped", resolve))
    await queue.submit(block, { log: "started" })
    const id = await started
    worker.stop()
    await stopped
    const task = await queue.get(id)
    deepEqual([task?.status, task?.attempt, task?.retryCount], ["pending", 0, 0])
  })

  it("reports progress and logs while it blocks", async () => {
    const { queue, worker } = await start([block])
    const lines: unknown[] = []
    worker.on("task.log", ({ type, level, message, fields }) => lines.push({ type, level, message, fields }))
    const { id } = await queue.submit(block, { progress: { done: 5 }, log: "half way" })
    const progress = async () => (await queue.get(id))?.progress
    while ((await progress()) === null) await new Promise<void>((resolve) => systemWorld.turn(resolve))
    deepEqual(await progress(), { done: 5 })
    deepEqual(lines, [{ type: "block", level: "info", message: "half way", fields: { depth: 1 } }])
    await queue.cancel(id)
  })

  it("ends in every way that a handler can", async () => {
    const { worker, outcome } = await start([end], { concurrency: 4 })
    const lines: string[] = []
    worker.on("task.log", ({ message }) => lines.push(message))
    const expected: Readonly<Record<string, readonly [string, RegExp | null]>> = {
      nothing: ["completed", null],
      error: ["failed", /^broken in the thread$/],
      text: ["failed", /^just text$/],
      permanent: ["failed", /^no such user$/],
      function: ["failed", /^output: expected a JSON value, got a function$/],
      large: ["failed", /^output: expected at most 256\.0 KiB of JSON, got 300\.0 KiB/],
      exit: ["failed", /^the task's thread ended with exit code 3 before the task did$/],
      queue: ["failed", /^task end: ctx\.queue is not available with isolate: "thread"; connect inside the handler$/],
      progress: ["failed", /^progress\.big: expected a JSON value, got 1n$/],
      unlogged: ["completed", null],
    }
    const ways = Object.keys(expected)
    const tasks = await Promise.all(ways.map((way) => outcome(end, way)))
    for (const [i, way] of ways.entries()) {
      const [status, message] = expected[way] ?? []
      equal(tasks[i]?.status, status, way)
      if (message) match(tasks[i]?.lastError ?? "", message)
      else equal(tasks[i]?.lastError, null)
    }
    deepEqual(lines, ["cannot be sent"])
  })

  it("that is retried counts a retry, one that is permanent does not", async () => {
    const { outcome } = await start([end], { concurrency: 2, backoff: { base: "1h", cap: "1h" } })
    const [retried, permanent] = await Promise.all([outcome(end, "error", { maxRetries: 3 }), outcome(end, "permanent", { maxRetries: 3 })])
    deepEqual([retried.status, retried.retryCount], ["pending", 1])
    deepEqual([permanent.status, permanent.retryCount], ["failed", 0])
  })

  it("reschedules by error and by context alike, to the millisecond", async () => {
    const { queue, outcome } = await start([end], { concurrency: 2 })
    const tasks = await Promise.all(["reschedule", "context"].map((way) => outcome(end, way, { ttl: "1h" })))
    for (const task of tasks) {
      deepEqual([task.status, task.rescheduleCount, task.retryCount], ["pending", 1, 0])
      equal(task.expiresAt && task.expiresAt.getTime() - task.createdAt.getTime(), 3_720_000)
      const last = (await queue.history(task.id)).at(-1)
      deepEqual([last?.event, last?.delayMs, last?.reason], ["rescheduled", 90_007, "busy"])
    }
  })

  it("says so when its module does not export it", async () => {
    const lost = defineTask("lost", { isolate: "thread", module: block.module ?? "", maxRetries: 0, run: () => null })
    const { outcome } = await start([lost])
    const task = await outcome(lost, null)
    match(task.lastError ?? "", /^module file:.*isolated\.[jt]s: expected it to export the task lost, but it does not$/)
  })
})

// Timeouts: the run ends on time, whether or not its handler does.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { deferred, found, never, Tap, takes } from "./kit.ts"

describe("timeout", () => {
  it("fires the signal with its code, and the task is retried with last_error timeout", async () => {
    let signal: AbortSignal | undefined
    const work = defineTask("work", {
      timeout: "10s",
      run: async (_input: unknown, context) => {
        signal = context.signal
        await takes(context, 3_600_000)
      },
    })
    const queue = await testQueue([work], { worker: { backoff: { base: "1h", cap: "1h" } } })
    const task = await queue.submit(work, null)
    await queue.advance("9999ms")
    equal((await found(queue, task)).status, "running")
    await queue.advance("1ms")
    equal(signal?.reason.code, "timeout")
    const { status, lastError, retryCount, workerId, leaseExpiresAt } = await found(queue, task)
    deepEqual(
      { status, lastError, retryCount, workerId, leaseExpiresAt },
      { status: "pending", lastError: "timeout", retryCount: 1, workerId: null, leaseExpiresAt: null },
    )
  })

  it("without retries left fails the task", async () => {
    const work = defineTask("work", { timeout: "10s", maxRetries: 0, run: never })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.advance("10s")
    const { status, lastError, retryCount } = await found(queue, task)
    deepEqual({ status, lastError, retryCount }, { status: "failed", lastError: "timeout", retryCount: 0 })
  })

  it("uses up the retries one by one", async () => {
    let runs = 0
    const work = defineTask("work", {
      timeout: "10s",
      maxRetries: 2,
      run: () => {
        runs++
        return never()
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.advance("5m")
    const { status, lastError, retryCount, attempt } = await found(queue, task)
    deepEqual({ status, lastError, retryCount, attempt }, { status: "failed", lastError: "timeout", retryCount: 2, attempt: 3 })
    equal(runs, 3)
  })

  it("counts from the start of each run, not from the submission", async () => {
    const work = defineTask("work", { timeout: "10s", run: (_input: unknown, context) => takes(context, 8_000) })
    const queue = await testQueue([work], { worker: { concurrency: 1 } })
    const tasks = await queue.submitMany(work, [1, 2, 3])
    await queue.advance("24s")
    for (const task of tasks) equal((await found(queue, task)).status, "completed")
  })

  it("frees the slot even where the handler ignores its signal: others go on", async () => {
    const stuck = defineTask("stuck", { timeout: "10s", maxRetries: 0, run: never })
    const quick = defineTask("quick", { run: () => "done" })
    const queue = await testQueue([stuck, quick], { worker: { concurrency: 1 } })
    await queue.submit(stuck, null)
    const next = await queue.submit(quick, null)
    await queue.advance("9s")
    equal((await found(queue, next)).status, "pending")
    await queue.advance("1s")
    equal((await found(queue, next)).status, "completed")
  })

  it("tells of a handler that goes on, and counts it until it returns", async () => {
    const tap = new Tap()
    const go = deferred<string>()
    const work = defineTask("work", { timeout: "10s", maxRetries: 0, run: () => go.promise })
    const queue = await testQueue([work], { through: tap.through })
    const overruns: string[] = []
    queue.ownWorker.on("task.overrun", ({ id, reason }) => overruns.push(`${id} ${reason}`))
    const task = await queue.submit(work, null)
    await queue.advance("10s")
    deepEqual(overruns, [`${task.id} timeout`])
    equal(queue.ownWorker.overrunCount, 1)
    go.resolve("too late")
    await queue.world.settle()
    equal(queue.ownWorker.overrunCount, 0)
    const { status, output } = await found(queue, task)
    deepEqual({ status, output }, { status: "failed", output: null })
    equal(tap.exchanges.flatMap(({ settles }) => settles).length, 1)
  })

  it("is no overrun where the handler heeds its signal", async () => {
    const work = defineTask("work", { timeout: "10s", run: (_input: unknown, context) => takes(context, 60_000) })
    const queue = await testQueue([work])
    const overruns: string[] = []
    queue.ownWorker.on("task.overrun", ({ id }) => overruns.push(id))
    await queue.submit(work, null)
    await queue.advance("30s")
    deepEqual(overruns, [])
    equal(queue.ownWorker.overrunCount, 0)
  })

  it("of more than 24.8 days is one", async () => {
    const work = defineTask("work", { timeout: "30d", maxRetries: 0, run: never })
    const queue = await testQueue([work], { worker: { lease: "10d", heartbeat: "1d", sweep: "100d", hello: "100d" } })
    const task = await queue.submit(work, null)
    await queue.advance("29d")
    equal((await found(queue, task)).status, "running")
    await queue.advance("1d")
    equal((await found(queue, task)).status, "failed")
  })
})

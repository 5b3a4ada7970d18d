// Cancellation of running tasks: asked first, ended after the grace.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, PermanentError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { deferred, found, never, Tap, takes } from "./kit.ts"

describe("cancel", () => {
  it("fires the signal with its code, and the task ends cancelled", async () => {
    let signal: AbortSignal | undefined
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        signal = context.signal
        await takes(context, 60_000)
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(task.id)
    await queue.world.settle()
    equal(signal?.reason.code, "cancelled")
    const { status, completedAt, cancelRequestedAt, retryCount } = await found(queue, task)
    equal(status, "cancelled")
    equal(retryCount, 0)
    deepEqual(completedAt, cancelRequestedAt)
  })

  it("reaches a worker that has no room at once, and not with its next heartbeat", async () => {
    const work = defineTask("work", { run: (_input: unknown, context) => takes(context, 60_000) })
    const queue = await testQueue([work], { worker: { concurrency: 1, heartbeat: "10s" } })
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(task.id)
    await queue.world.settle()
    equal((await found(queue, task)).status, "cancelled")
  })

  it("is looked for ten times a second at most, however often a worker without room is woken", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: never })
    const queue = await testQueue([work], { through: tap.through, worker: { concurrency: 1, sweep: "1h" } })
    await queue.submit(work, 0)
    await queue.world.settle()
    tap.calls.length = 0
    for (let i = 0; i < 100; i++) {
      await queue.submit("other", i)
      await queue.advance("10ms")
    }
    equal(tap.exchanges.length, 10)
  })

  it("ends the run after the grace where the handler ignores its signal", async () => {
    const work = defineTask("work", { timeout: "1h", run: never })
    const queue = await testQueue([work], { worker: { grace: "20s" } })
    const overruns: string[] = []
    queue.ownWorker.on("task.overrun", ({ reason }) => overruns.push(reason))
    await queue.world.settle()
    const timersBefore = queue.world.armedTimers
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(task.id)
    await queue.advance("19999ms")
    equal((await found(queue, task)).status, "running")
    // Asked again, the grace is not longer.
    await queue.cancel(task.id)
    await queue.advance("1ms")
    equal((await found(queue, task)).status, "cancelled")
    deepEqual(overruns, ["cancelled"])
    // The watches on leases and on timeouts are left, and find none.
    equal(queue.world.armedTimers, timersBefore + 2)
  })

  it("leaves a result that comes within the grace as it is", async () => {
    const go = deferred<string>()
    const work = defineTask("work", { run: () => go.promise })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(task.id)
    await queue.advance("1s")
    go.resolve("finished all the same")
    await queue.drain()
    const { status, output } = await found(queue, task)
    deepEqual({ status, output }, { status: "completed", output: "finished all the same" })
  })

  it("takes an error after it as the handler's way of stopping, whatever it says", async () => {
    for (const way of ["error", "permanent", "reschedule"] as const) {
      const go = deferred()
      const work = defineTask("work", {
        run: async (_input: unknown, context) => {
          await go.promise
          if (way === "reschedule") context.reschedule("1h")
          throw way === "permanent" ? new PermanentError("broken") : new Error("broken")
        },
      })
      const queue = await testQueue([work])
      const task = await queue.submit(work, null)
      await queue.advance("1s")
      await queue.cancel(task.id)
      await queue.world.settle()
      go.resolve()
      await queue.drain()
      equal((await found(queue, task)).status, "cancelled")
    }
  })

  it("gives way to a lost lease: the run ends at once and nothing is settled", async () => {
    const tap = new Tap()
    const work = defineTask("work", { timeout: "1h", run: never })
    const queue = await testQueue([work], { through: tap.through, worker: { grace: "10m" } })
    const lost: string[] = []
    queue.ownWorker.on("task.lost", ({ id }) => lost.push(id))
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(task.id)
    await queue.world.settle()
    tap.goAway("refuse")
    await queue.advance("2m")
    deepEqual(lost, [task.id])
    tap.comeBack()
    // The sweep finds the lease lost and the cancellation asked for.
    await queue.advance("30s")
    equal((await found(queue, task)).status, "cancelled")
    equal(tap.exchanges.filter(({ settles }) => settles.length > 0).length, 0)
  })

  it("gives way to a timeout and to a shutdown, and the task is cancelled all the same", async () => {
    const work = defineTask("work", { timeout: "10s", run: never })
    const queue = await testQueue([work], { worker: { grace: "10m" } })
    const first = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(first.id)
    await queue.advance("9s")
    equal((await found(queue, first)).status, "cancelled")
    const second = await queue.submit(work, null)
    await queue.advance("1s")
    await queue.cancel(second.id)
    await queue.world.settle()
    await queue.close()
    equal((await found(queue, second)).status, "cancelled")
  })

  it("of a pending task needs no worker, and it never runs", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: () => {
        runs++
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null, { delay: "1m" })
    await queue.cancel(task.id)
    await queue.advance("5m")
    equal((await found(queue, task)).status, "cancelled")
    equal(runs, 0)
  })
})

// A store that is away for a while: the worker stays, asks ever more slowly, and picks up where it was.

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, SluiceError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { deferred, found, never, Tap, takes } from "./kit.ts"

describe("a store that is away", () => {
  it("is asked again, ever more slowly, and told of when it is back", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "1h" } })
    const told: string[] = []
    queue.ownWorker.on("store.unavailable", ({ error, retryInMs }) => {
      ok(retryInMs <= 5_000)
      match(error.message, /made to fail/)
      told.push("away")
    })
    queue.ownWorker.on("store.back", ({ awayMs }) => told.push(`back after ${Math.round(awayMs / 60_000)}m`))
    await queue.world.settle()
    tap.goAway("refuse")
    const task = await queue.submit(work, null)
    tap.calls.length = 0
    await queue.advance("10m")
    ok(
      tap.exchanges.length > 100 && tap.exchanges.length < 400,
      `expected a call every 2.5 s on average, got ${tap.exchanges.length} in 10 min`,
    )
    tap.comeBack()
    await queue.advance("5s")
    equal((await found(queue, task)).status, "completed")
    equal(told.at(-1), "back after 10m")
    equal(told.filter((word) => word !== "away").length, 1)
  })

  it("gets each outcome that came about meanwhile, once", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: (_input: number, context) => takes(context, 2_000) })
    const queue = await testQueue([work], { through: tap.through })
    const settled: string[] = []
    queue.ownWorker.on("task.settled", ({ status }) => settled.push(status))
    const tasks = await queue.submitMany(work, [1, 2, 3])
    await queue.world.settle()
    tap.goAway("refuse")
    await queue.advance("15s")
    equal((await queue.counts()).running, 3)
    tap.comeBack()
    await queue.advance("5s")
    deepEqual(settled, ["completed", "completed", "completed"])
    for (const task of tasks) equal((await found(queue, task)).fence, 1)
  })

  it("may be away when the worker starts", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: () => "done" })
    tap.spoil = (operation) => (operation === "submit" || operation === "get" ? null : "refuse")
    const queue = await testQueue([work], { through: tap.through })
    const task = await queue.submit(work, null)
    await queue.advance("1m")
    equal((await found(queue, task)).status, "pending")
    tap.comeBack()
    await queue.advance("5s")
    equal((await found(queue, task)).status, "completed")
  })

  it("does not hold up what runs: a handler never waits for the store", async () => {
    const tap = new Tap()
    const steps: string[] = []
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        for (const step of ["one", "two", "three"]) {
          await takes(context, 1_000)
          steps.push(step)
        }
      },
    })
    const queue = await testQueue([work], { through: tap.through })
    await queue.submit(work, null)
    await queue.world.settle()
    tap.goAway("hang")
    await queue.advance("3s")
    deepEqual(steps, ["one", "two", "three"])
  })

  it("for good ends the worker with its error, and its handlers with lease_lost", async () => {
    const tap = new Tap()
    let signal: AbortSignal | undefined
    const work = defineTask("work", {
      run: (_input: unknown, context) => {
        signal = context.signal
        return never()
      },
    })
    const other = await testQueue([defineTask("other", { run: never })], { through: tap.through })
    const ended = deferred<unknown>()
    const worker = other.worker([work])
    worker.run().then(() => ended.resolve(null), ended.resolve)
    await other.submit(work, null)
    await other.world.settle()
    tap.spoil = (operation) => {
      if (operation === "exchange") throw new SluiceError("store_closed", "store: expected an open store, it was closed")
      return null
    }
    // News: the queue's own worker asks the store as well.
    await other.submit("other", null)
    await other.advance("10s")
    await rejects(Promise.reject(await ended.promise), { code: "store_closed" })
    deepEqual(signal?.reason.code, "lease_lost")
    await rejects(other.drain(), { code: "store_closed" })
  })

  it("that has lost its data ends a worker that has nothing to do", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: never })
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "1h" } })
    let ended: unknown = null
    const run = queue
      .worker([work], { sweep: "30s" })
      .run()
      .catch((error) => {
        ended = error
      })
    await queue.world.settle()
    tap.spoil = () => {
      throw new SluiceError("data_lost", "store: expected the data, but it is gone")
    }
    await queue.advance("1m")
    equal((ended as SluiceError | null)?.code, "data_lost")
    await run
    await rejects(queue.drain(), { code: "data_lost" })
  })
})

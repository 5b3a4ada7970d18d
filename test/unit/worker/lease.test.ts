// Leases: kept while a handler works, given up in time when they cannot be kept.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, isSluiceError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { declareType, deferred, found, never, settleOf, Tap, takes } from "./kit.ts"

const reasonOf = (signal: AbortSignal | undefined) => (isSluiceError(signal?.reason) ? signal.reason.code : null)

describe("lease", () => {
  it("is kept by heartbeats for as long as the handler works", async () => {
    const work = defineTask("work", { timeout: "1h", run: (_input: unknown, context) => takes(context, 600_000) })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null)
    for (let minute = 0; minute < 9; minute++) {
      await queue.advance("1m")
      const { status, leaseExpiresAt } = await found(queue, task)
      equal(status, "running")
      ok(leaseExpiresAt && leaseExpiresAt > (await queue.now()))
    }
    await queue.advance("1m")
    const { status, attempt, retryCount } = await found(queue, task)
    deepEqual({ status, attempt, retryCount }, { status: "completed", attempt: 1, retryCount: 0 })
  })

  it("is renewed three times in its length, by one exchange for all running tasks", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: never })
    const queue = await testQueue([work], { through: tap.through, worker: { lease: "30s", sweep: "1h" } })
    await queue.submitMany(work, [1, 2, 3])
    await queue.world.settle()
    tap.calls.length = 0
    await queue.advance("30s")
    deepEqual(
      tap.exchanges.map(({ heartbeats }) => heartbeats.length),
      [3, 3, 3],
    )
  })

  it("that another worker has taken ends the run: the signal fires with lease_lost, and nothing is settled", async () => {
    const tap = new Tap()
    let signal: AbortSignal | undefined
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        signal = context.signal
        await takes(context, 60_000)
      },
    })
    const queue = await testQueue([work], { through: tap.through })
    const lost: string[] = []
    queue.ownWorker.on("task.lost", ({ id }) => lost.push(id))
    const task = await queue.submit(work, null)
    await queue.world.settle()
    // The store says that the lease is over, as after a pause of the whole process.
    await queue.store.exchange({
      workerId: queue.ownWorker.id,
      leaseMs: 30_000,
      settles: [
        settleOf({ id: task.id, fence: 1, outcome: { kind: "rescheduled", delayMs: 3_600_000, extendExpirationMs: 0, reason: null } }),
      ],
      heartbeats: [],
      claim: null,
    })
    tap.calls.length = 0
    await queue.advance("10s")
    equal(reasonOf(signal), "lease_lost")
    deepEqual(lost, [task.id])
    await queue.advance("1m")
    deepEqual(
      tap.exchanges.flatMap(({ settles }) => settles),
      [],
    )
    equal((await found(queue, task)).status, "pending")
  })

  for (const fault of ["hang", "refuse"] as const) {
    it(`is given up by the worker's own clock when the store does not answer (${fault}), before somebody else can have it`, async () => {
      const tap = new Tap()
      let signal: AbortSignal | undefined
      const work = defineTask("work", {
        run: async (_input: unknown, context) => {
          signal = context.signal
          await takes(context, 3_600_000)
        },
      })
      const queue = await testQueue([work], { through: tap.through, worker: { lease: "30s" } })
      const task = await queue.submit(work, null)
      await queue.world.settle()
      tap.goAway(fault)
      await queue.advance("24999ms")
      equal(signal?.aborted, false)
      await queue.advance("1ms")
      equal(reasonOf(signal), "lease_lost")
      const { leaseExpiresAt } = await found(queue, task)
      ok(leaseExpiresAt && leaseExpiresAt > (await queue.now()), "expected the lease to be still valid in the store")
    })
  }

  it("ends with the renewal that it had, each on its own", async () => {
    const tap = new Tap()
    const ended: (readonly [number, number])[] = []
    const work = defineTask("work", {
      run: async (input: number, { signal, queue }) => {
        signal.addEventListener("abort", () => ended.push([input, queue.world.monotonicMs()]))
        await never()
      },
    })
    const queue = await testQueue([work], { through: tap.through, worker: { lease: "30s", sweep: "1h" } })
    await queue.submit(work, 1)
    await queue.advance("3s")
    await queue.submit(work, 2)
    await queue.advance("4s")
    tap.goAway("hang")
    await queue.advance("1m")
    deepEqual(ended, [
      [1, 25_000],
      [2, 28_000],
    ])
  })

  it("is asked for again at once when a heartbeat failed, and progress goes with it", async () => {
    const tap = new Tap()
    const work = defineTask("work", {
      run: (_input: unknown, context) => {
        context.progress("half")
        return never()
      },
    })
    const queue = await testQueue([work], { through: tap.through, worker: { heartbeat: "10s", sweep: "1h" } })
    const task = await queue.submit(work, null)
    await queue.world.settle()
    tap.calls.length = 0
    tap.spoilOnce("refuse", ({ heartbeats }) => heartbeats.length > 0)
    await queue.advance("10100ms")
    deepEqual(
      tap.exchanges.map(({ heartbeats }) => heartbeats.map(({ progress }) => progress)),
      [['"half"'], ['"half"']],
    )
    await queue.advance("10s")
    deepEqual(
      tap.exchanges.at(-1)?.heartbeats.map(({ progress }) => progress),
      [null],
    )
    equal((await found(queue, task)).progress, "half")
  })

  it("that was lost makes the task run again, once the store is back", async () => {
    const tap = new Tap()
    const go = deferred<string>()
    const signals: AbortSignal[] = []
    const work = defineTask("work", {
      run: (_input: unknown, { signal }) => {
        signals.push(signal)
        return signals.length === 1 ? never() : go.promise
      },
    })
    const queue = await testQueue([work], { through: tap.through })
    const task = await queue.submit(work, null)
    await queue.world.settle()
    tap.goAway("hang")
    await queue.advance("5m")
    tap.comeBack()
    await queue.advance("1m")
    equal(signals.length, 2)
    go.resolve("done")
    await queue.drain()
    const { status, output, fence, retryCount, crashCount } = await found(queue, task)
    deepEqual(
      { status, output, fence, retryCount, crashCount },
      { status: "completed", output: "done", fence: 2, retryCount: 1, crashCount: 0 },
    )
  })

  it("of an earlier run is given up when the same worker claims the task again", async () => {
    const tap = new Tap()
    const signals: AbortSignal[] = []
    const work = defineTask("work", {
      timeout: "1h",
      run: (_input: unknown, { signal }) => {
        signals.push(signal)
        return never()
      },
    })
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "1h" } })
    const task = await queue.submit(work, null)
    await queue.world.settle()
    await queue.store.exchange({
      workerId: queue.ownWorker.id,
      leaseMs: 30_000,
      settles: [settleOf({ id: task.id, fence: 1, outcome: { kind: "retried", error: "swept", delayMs: 0 } })],
      heartbeats: [],
      claim: null,
    })
    await queue.world.settle()
    deepEqual(signals.map(reasonOf), ["lease_lost", null])
    await queue.advance("10m")
    deepEqual(signals.map(reasonOf), ["lease_lost", null])
    const { status, fence } = await found(queue, task)
    deepEqual({ status, fence }, { status: "running", fence: 2 })
  })

  it("that is lost three times in a row fails the task as poison", async () => {
    const other = defineTask("other", { run: () => "done" })
    const queue = await testQueue([other], { worker: { sweep: "1s", backoff: { base: "1ms" } } })
    await declareType(queue, "kills")
    const task = await queue.submit("kills", null, { maxRetries: 10 })
    for (let life = 1; life <= 3; life++) {
      const { claimed } = await queue.store.exchange({
        workerId: `dies-${life}`,
        leaseMs: 5_000,
        settles: [],
        heartbeats: [],
        claim: { number: 1, max: 1, types: [{ type: "kills", room: 1 }] },
      })
      equal(claimed.length, 1)
      equal((await found(queue, task)).status, "running")
      await queue.advance("7s")
    }
    const { status, crashCount, lastError } = await found(queue, task)
    deepEqual({ status, crashCount }, { status: "failed", crashCount: 3 })
    equal(lastError, "poison: its worker was lost 3 times in a row, last dies-3")
  })

  it("is not needed to settle: an outcome that comes after the lease, but before a sweep, still counts", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: (_input: unknown, context) => takes(context, 1_000) })
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "1h" } })
    const task = await queue.submit(work, null)
    await queue.world.settle()
    tap.goAway("refuse")
    await queue.advance("45s")
    tap.comeBack()
    await queue.advance("5s")
    const { status, fence } = await found(queue, task)
    deepEqual({ status, fence }, { status: "completed", fence: 1 })
  })
})

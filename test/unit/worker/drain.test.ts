// Stopping: nothing new, the grace for what runs, and what is left is given back at no cost.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, type RunOptions } from "../../../src/index.ts"
import { type TestQueue, testQueue } from "../../../src/testing/test-queue.ts"
import { found, HeldAnswers, never, Tap, takes } from "./kit.ts"

/** A worker of the test's own, and whether its run() has ended. */
function startWorker(queue: TestQueue, task: Parameters<TestQueue["worker"]>[0][number], options: RunOptions = {}) {
  const worker = queue.worker([task])
  const state = { worker, hasEnded: false, running: Promise.resolve() }
  state.running = worker.run(options).then(() => {
    state.hasEnded = true
  })
  return state
}

const idle = defineTask("idle", { run: never })

describe("stop", () => {
  it("lets running tasks finish within the grace, claims nothing more, and then run() resolves", async () => {
    const queue = await testQueue([idle])
    const work = defineTask("work", { run: (_input: number, context) => takes(context, 10_000) })
    const abort = new AbortController()
    const state = startWorker(queue, work, { signal: abort.signal, concurrency: 1, grace: "30s" })
    const [first, second] = await queue.submitMany(work, [1, 2])
    ok(first && second)
    await queue.advance("1s")
    abort.abort()
    await queue.advance("8999ms")
    equal(state.hasEnded, false)
    await queue.advance("1ms")
    equal(state.hasEnded, true)
    equal((await found(queue, first)).status, "completed")
    equal((await found(queue, second)).attempt, 0)
  })

  it("gives back what does not finish, without counting a retry or an attempt", async () => {
    const queue = await testQueue([idle])
    let signal: AbortSignal | undefined
    const work = defineTask("work", {
      run: (_input: unknown, context) => {
        signal = context.signal
        return never()
      },
    })
    const state = startWorker(queue, work, { grace: "30s" })
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    state.worker.stop()
    await queue.advance("29s")
    equal(signal?.aborted, false)
    await queue.advance("1s")
    equal(signal?.reason.code, "shutdown")
    equal(state.hasEnded, true)
    const { status, retryCount, attempt, workerId } = await found(queue, task)
    deepEqual({ status, retryCount, attempt, workerId }, { status: "pending", retryCount: 0, attempt: 0, workerId: null })
    const last = (await queue.history(task.id)).at(-1)
    deepEqual([last?.event, last?.reason], ["released", "shutdown"])
  })

  it("keeps the leases during the grace", async () => {
    const queue = await testQueue([idle])
    const work = defineTask("work", { run: (_input: unknown, context) => takes(context, 120_000) })
    const state = startWorker(queue, work, { grace: "5m" })
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    state.worker.stop()
    await queue.advance("2m")
    const { status, attempt } = await found(queue, task)
    deepEqual({ status, attempt, hasEnded: state.hasEnded }, { status: "completed", attempt: 1, hasEnded: true })
  })

  it("asked for twice, ends the grace", async () => {
    const queue = await testQueue([idle])
    const work = defineTask("work", { run: never })
    const state = startWorker(queue, work, { grace: "1h" })
    const task = await queue.submit(work, null)
    await queue.advance("1s")
    state.worker.stop()
    await queue.advance("1s")
    equal(state.hasEnded, false)
    state.worker.stop()
    await queue.world.settle()
    equal(state.hasEnded, true)
    equal((await found(queue, task)).status, "pending")
  })

  it("with nothing running ends at once, and leaves no timer behind", async () => {
    const queue = await testQueue([idle])
    await queue.close()
    const before = queue.world.armedTimers
    const state = startWorker(queue, idle)
    await queue.world.settle()
    state.worker.stop()
    await queue.world.settle()
    equal(state.hasEnded, true)
    equal(queue.world.armedTimers, before)
  })

  for (const fault of ["refuse", "hang"] as const) {
    it(`ends while the store is away (${fault}), soon after the grace`, async () => {
      const tap = new Tap()
      const queue = await testQueue([idle], { through: tap.through })
      const work = defineTask("work", { run: (_input: unknown, context) => takes(context, 1_000) })
      const state = startWorker(queue, work, { grace: "20s", lease: "30s" })
      const task = await queue.submit(work, null)
      await queue.world.settle()
      tap.goAway(fault)
      await queue.advance("2s")
      state.worker.stop()
      await queue.advance("19s")
      equal(state.hasEnded, false)
      await queue.advance("21s")
      equal(state.hasEnded, true)
      // What it could not settle comes back by its lease, when somebody can sweep again.
      tap.comeBack()
      await queue.advance("1m")
      equal((await found(queue, task)).status, "pending")
    })
  }

  it("waits for a sweep that is under way: nothing goes on after run() has ended", async () => {
    const tap = new Tap()
    tap.spoil = (operation) => (operation === "sweep" ? "hang" : null)
    const queue = await testQueue([idle], { through: tap.through })
    const state = startWorker(queue, defineTask("work", { run: never }), { lease: "30s" })
    await queue.world.settle()
    state.worker.stop()
    await queue.advance("9999ms")
    equal(state.hasEnded, false)
    await queue.advance("1ms")
    equal(state.hasEnded, true)
  })

  it("does not leave behind what a claim took whose answer was lost", async () => {
    const tap = new Tap()
    const queue = await testQueue([idle], { through: tap.through })
    const work = defineTask("work", { run: () => "done" })
    const state = startWorker(queue, work)
    await queue.world.settle()
    tap.spoilOnce("lose_reply", ({ claim }) => claim?.types[0]?.type === "work")
    const task = await queue.submit(work, null)
    await queue.world.settle()
    equal((await found(queue, task)).status, "running")
    state.worker.stop()
    await queue.advance("5s")
    equal(state.hasEnded, true)
    const { status, attempt } = await found(queue, task)
    deepEqual({ status, attempt }, { status: "pending", attempt: 0 })
  })

  it("gives back what a claim that was under way brings", async () => {
    const answers = new HeldAnswers()
    const queue = await testQueue([idle], { through: answers.through })
    let runs = 0
    const work = defineTask("work", {
      run: () => {
        runs++
      },
    })
    const state = startWorker(queue, work)
    await queue.world.settle()
    answers.hold()
    const task = await queue.submit(work, null)
    await queue.world.settle()
    state.worker.stop()
    answers.release()
    await queue.world.settle()
    equal(state.hasEnded, true)
    equal(runs, 0)
    const { status, attempt } = await found(queue, task)
    deepEqual({ status, attempt }, { status: "pending", attempt: 0 })
  })

  it("before run(), or a signal that has fired, makes run() end at once", async () => {
    const queue = await testQueue([idle])
    const work = defineTask("work", { run: () => "done" })
    const task = await queue.submit(work, null)
    const early = queue.worker([work])
    early.stop()
    await early.run()
    await queue.worker([work]).run({ signal: AbortSignal.abort() })
    equal((await found(queue, task)).attempt, 0)
  })

  it("is for ever: a worker runs once", async () => {
    const queue = await testQueue([idle])
    const { worker } = startWorker(queue, idle, { id: "worker-1" })
    await rejects(worker.run(), {
      code: "invalid_option",
      message: "worker worker-1: expected run() once, got it again; make another worker",
    })
    worker.stop()
    await queue.world.settle()
    await rejects(worker.run(), { code: "invalid_option" })
  })

  it("is told by events", async () => {
    const queue = await testQueue([idle])
    const told: string[] = []
    const worker = queue.worker([defineTask("work", { run: never })], { id: "worker-1" })
    worker.on("worker.started", ({ workerId, types }) => told.push(`started ${workerId} ${types}`))
    worker.on("worker.draining", ({ running }) => told.push(`draining ${running}`))
    worker.on("worker.stopped", ({ workerId }) => told.push(`stopped ${workerId}`))
    const running = worker.run()
    await queue.submit("work", null)
    await queue.world.settle()
    worker.stop()
    worker.stop()
    await running
    deepEqual(told, ["started worker-1 work", "draining 1", "stopped worker-1"])
  })
})

// What a worker claims, and when.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { found, HeldAnswers, never, Tap, takes } from "./kit.ts"

describe("claim", () => {
  it("runs no more tasks at once than its concurrency, and all of them in the end", async () => {
    let running = 0
    let most = 0
    const work = defineTask("work", {
      run: async (_input: unknown, context) => {
        most = Math.max(most, ++running)
        await takes(context, 1_000)
        running--
      },
    })
    const queue = await testQueue([work], { worker: { concurrency: 4 } })
    await queue.submitMany(
      work,
      Array.from({ length: 25 }, (_, i) => i),
    )
    await queue.advance("6999ms")
    equal((await queue.counts()).completed, 24)
    await queue.advance("1ms")
    deepEqual(await queue.counts({ type: "work" }), { ...(await queue.counts()), completed: 25, running: 0, pending: 0 })
    equal(most, 4)
  })

  it("asks for no more than it has room for", async () => {
    const work = defineTask("work", { run: never })
    const tap = new Tap()
    const queue = await testQueue([work], { worker: { concurrency: 3 }, through: tap.through })
    await queue.world.settle()
    await queue.submitMany(work, [1, 2])
    await queue.world.settle()
    await queue.submitMany(work, [3, 4, 5])
    await queue.world.settle()
    const { pending, running } = await queue.counts()
    deepEqual({ pending, running }, { pending: 2, running: 3 })
    deepEqual(
      tap.exchanges.flatMap(({ claim }) => (claim ? [claim.max] : [])),
      [3, 3, 1],
    )
  })

  it("leaves tasks that it has no handler for to others", async () => {
    const mine = defineTask("mine", { run: () => "done" })
    const queue = await testQueue([mine])
    const other = await queue.submit("other", null)
    const own = await queue.submit(mine, null)
    await queue.drain()
    await queue.advance("1m")
    equal((await found(queue, own)).status, "completed")
    const left = await found(queue, other)
    deepEqual([left.status, left.attempt, left.version], ["pending", 0, 1])
  })

  it("needs two exchanges for one task: the claim and the settle", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { through: tap.through })
    await queue.world.settle()
    tap.calls.length = 0
    const task = await queue.submit(work, null)
    await queue.world.settle()
    equal((await found(queue, task)).status, "completed")
    deepEqual(
      tap.exchanges.map(({ settles, claim }) => ({ settles: settles.length, claims: claim !== null })),
      [
        { settles: 0, claims: true },
        { settles: 1, claims: false },
      ],
    )
  })

  it("begins in the very turn in which a worker without runs is woken", async () => {
    const tap = new Tap()
    const world = new VirtualWorld()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { through: tap.through, world })
    await world.settle()
    const { turn } = world
    const later: (() => void)[] = []
    world.turn = (run) => void later.push(run)
    tap.calls.length = 0
    const task = await queue.submit(work, null)
    await world.settle()
    deepEqual(
      tap.exchanges.map(({ claim }) => claim !== null),
      [true],
    )
    world.turn = turn
    for (const run of later) run()
    await world.settle()
    equal((await found(queue, task)).status, "completed")
  })

  it("sleeps until the next scheduled task is due, without a single call to the store", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { worker: { sweep: "30d", hello: "30d" }, through: tap.through })
    await queue.submit(work, 1, { delay: "2h" })
    const first = await queue.submit(work, 2, { delay: "1h" })
    await queue.world.settle()
    tap.calls.length = 0
    await queue.advance("3599999ms")
    deepEqual(tap.calls, [])
    await queue.advance("1ms")
    const { status, startedAt, availableAt } = await found(queue, first)
    deepEqual([status, startedAt], ["completed", availableAt])
  })

  it("is woken from that sleep by a task that is due earlier", async () => {
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work])
    await queue.submit(work, 1, { delay: "1h" })
    await queue.world.settle()
    const soon = await queue.submit(work, 2)
    await queue.world.settle()
    equal((await found(queue, soon)).status, "completed")
  })

  it("does not lose a wake-up that comes while a claim is under way", async () => {
    const answers = new HeldAnswers()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { through: answers.through })
    await queue.world.settle()
    answers.hold()
    await queue.submit("other", null)
    await queue.world.settle()
    // The claim has been made and found nothing; its answer has not arrived.
    const task = await queue.submit(work, null)
    await queue.world.settle()
    equal((await found(queue, task)).status, "pending")
    answers.release()
    await queue.world.settle()
    equal((await found(queue, task)).status, "completed")
  })

  it("starts a task after a delay of more than 24.8 days, and not before", async () => {
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { worker: { sweep: "10d", hello: "10d", retention: null } })
    const task = await queue.submit(work, null, { delay: "40d" })
    await queue.advance("39d")
    equal((await found(queue, task)).status, "pending")
    // The store's clock counts whole milliseconds, so a worker that was woken in between may be one late.
    await queue.advance("1d 1ms")
    equal((await found(queue, task)).status, "completed")
  })

  it("takes the numbers of its claims from the store's clock, so that a worker that starts again under its name claims anew", async () => {
    const work = defineTask("work", { run: () => "done" })
    const options = { store: "memory:same-name", worker: { id: "worker-1" } }
    const first = await testQueue([work], options)
    for (let i = 0; i < 20; i++) {
      await first.submit(work, i)
      await first.drain()
    }
    await first.close()
    const tap = new Tap()
    first.world.stepClock(1_000)
    const second = await testQueue([work], { ...options, world: first.world, through: tap.through })
    const task = await second.submit(work, null)
    await second.world.settle()
    equal((await found(second, task)).status, "completed")
    ok(tap.exchanges.length <= 3, `expected no claims in vain, got ${tap.exchanges.length} exchanges`)
  })

  it("does not take over what an earlier worker of its name still holds", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: () => {
        runs++
      },
    })
    const world = new VirtualWorld()
    const idle = await testQueue([defineTask("idle", { run: never })], { store: "memory:same-name-again", world })
    const task = await idle.submit(work, null)
    const claim = { number: 1, max: 1, types: [{ type: "work", room: 1 }] }
    await idle.store.exchange({ workerId: "worker-1", leaseMs: 30_000, settles: [], heartbeats: [], claim })
    await testQueue([work], { store: "memory:same-name-again", world, worker: { id: "worker-1" } })
    await world.advance(29_000)
    equal(runs, 0)
    await world.advance(20_000)
    const { status, fence, retryCount } = await found(idle, task)
    deepEqual({ status, fence, retryCount, runs }, { status: "completed", fence: 2, retryCount: 1, runs: 1 })
  })

  it("gives back a task whose claim was answered too late to start it, at no cost", async () => {
    const answers = new HeldAnswers()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { through: answers.through, worker: { id: "worker-1", lease: "1s" } })
    await queue.world.settle()
    answers.hold()
    const task = await queue.submit(work, null)
    await queue.advance("900ms")
    answers.release()
    await queue.drain()
    const { status, attempt, retryCount } = await found(queue, task)
    deepEqual({ status, attempt, retryCount }, { status: "completed", attempt: 1, retryCount: 0 })
    deepEqual(
      (await queue.history(task.id)).map(({ event, reason }) => reason ?? event),
      ["created", "claimed", "claimed too late to start", "claimed", "completed"],
    )
  })
})

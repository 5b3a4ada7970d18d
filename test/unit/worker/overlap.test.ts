// Several exchanges of one worker under way at once: none of its laws may depend on the order in which they are answered.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import type { ExchangeRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import type { WorkerOptions } from "../../../src/worker/index.ts"
import { overlapping } from "../../../src/worker/overlap.ts"
import { type Deferred, deferred, found, OverlappedExchanges, takes } from "./kit.ts"

const claimOf = ({ claim }: ExchangeRequest) => claim && { number: claim.number, max: claim.max }

/** A worker with more to do than it has room for. Its handlers end when the test says so, all in one turn. */
async function backlog(count: number, line: OverlappedExchanges, concurrency: number, options: WorkerOptions = {}) {
  let isFree = false
  const ends: Deferred<void>[] = []
  let running = 0
  let most = 0
  const runs: unknown[] = []
  const work = defineTask("work", {
    run: async (input: number) => {
      runs.push(input)
      most = Math.max(most, ++running)
      const ended = deferred()
      if (!isFree) ends.push(ended)
      if (!isFree) await ended.promise
      running--
    },
  })
  const queue = await testQueue([work], { worker: { id: "worker-1", concurrency, ...options }, through: line.through })
  await queue.world.settle()
  const tasks = await queue.submitMany(
    work,
    Array.from({ length: count }, (_, i) => i),
  )
  await queue.world.settle()
  /** Those that run end, or as many of them; those that start next do not. */
  const end = async (some = ends.length) => {
    for (const one of ends.splice(0, some)) one.resolve()
    await queue.world.settle()
  }
  /** From now on they end at once. */
  const free = () => {
    isFree = true
  }
  const finish = async () => {
    free()
    await end()
    await queue.drain()
    const { completed } = await queue.counts()
    return { completed, runs: runs.length, most }
  }
  return { queue, tasks, runs, end, free, finish }
}

describe("exchanges beside each other", () => {
  it("claim for their shares of the room, each under a number of its own, once there is more than fits", async () => {
    const line = new OverlappedExchanges()
    const { end, finish } = await backlog(20, line, 4)
    line.hold()
    await end()
    deepEqual(
      line.held.map(({ settles, claim }) => [settles.length, claim?.max]),
      [
        [4, 2],
        [0, 2],
      ],
    )
    const [first, second] = line.held.map(claimOf)
    ok(first && second && second.number > first.number)
    line.release()
    deepEqual(await finish(), { completed: 20, runs: 20, most: 4 })
    equal(line.most, 2)
  })

  it("are answered in any order", async () => {
    const line = new OverlappedExchanges()
    const { queue, runs, end, finish } = await backlog(12, line, 4)
    line.hold()
    await end()
    line.release(1)
    await queue.world.settle()
    // The room that the first has asked for is its own until it is answered.
    deepEqual([runs.length, line.held.length], [6, 1])
    line.release()
    deepEqual(await finish(), { completed: 12, runs: 12, most: 4 })
  })

  it("that are answered together are followed by one each, so that the store works on the first while the worker works on the second", async () => {
    const line = new OverlappedExchanges()
    const { queue, end, free, finish } = await backlog(40, line, 8)
    line.hold()
    await end()
    free()
    equal(line.held.length, 2)
    const before = line.seen.length
    line.release(0)
    line.release(0)
    await queue.world.settle()
    deepEqual(
      line.seen.slice(before).map(({ settles, claim }) => [settles.length, claim?.max]),
      [
        [4, 4],
        [4, 4],
      ],
    )
    line.release()
    deepEqual(await finish(), { completed: 40, runs: 40, most: 8 })
  })

  it("are one where the store does not say that it helps, or where the room is small", () => {
    const overlap = { exchanges: 2, leastTasks: 20, reason: "" }
    equal(overlapping(undefined, 100).exchanges, 1)
    deepEqual(overlapping(overlap, 39), { exchanges: 1, share: 39, leastTasks: 20 })
    deepEqual(overlapping(overlap, 100), { exchanges: 2, share: 50, leastTasks: 20 })
    deepEqual(overlapping(overlap, 1_000), { exchanges: 2, share: 100, leastTasks: 20 })
  })

  it("wait for the one before while they would carry little", async () => {
    const line = new OverlappedExchanges({ leastTasks: 3 })
    const { queue, end, finish } = await backlog(8, line, 6)
    line.hold()
    await end()
    deepEqual(
      line.held.map(({ settles, claim }) => [settles.length, claim?.max]),
      [
        [6, 3],
        [0, 3],
      ],
    )
    // Two were left, and the first has got them.
    line.release(0)
    await queue.world.settle()
    await end()
    equal(line.held.length, 1, "expected the end of two runs to wait for the answer under way")
    line.release()
    deepEqual(await finish(), { completed: 8, runs: 8, most: 6 })
  })

  it("do not keep what has just come waiting for the answer to what has ended, where next to nothing is going on", async () => {
    const line = new OverlappedExchanges({ leastTasks: 3 })
    const { queue, tasks, runs, end, finish } = await backlog(1, line, 6)
    line.hold()
    await end()
    deepEqual(
      line.held.map(({ settles, claim }) => [settles.length, claim]),
      [[1, null]],
    )
    await queue.submit(defineTask(tasks[0]?.type ?? "", { run: () => {} }), 1)
    await queue.world.settle()
    deepEqual(
      line.held.map(({ settles, claim }) => [settles.length, claim?.max]),
      [
        [1, undefined],
        [0, 6],
      ],
    )
    line.release(1)
    await queue.world.settle()
    equal(runs.length, 2, "expected it to start while the first was still unanswered")
    line.release()
    deepEqual(await finish(), { completed: 2, runs: 2, most: 1 })
  })

  it("ask again under its number when an answer is lost, whatever has been answered since", async () => {
    const line = new OverlappedExchanges()
    const { queue, tasks, end, finish } = await backlog(8, line, 4)
    line.hold()
    await end()
    const lost = line.held[0] && claimOf(line.held[0])
    line.lose(0)
    line.release()
    await queue.advance("1s")
    deepEqual(await finish(), { completed: 8, runs: 8, most: 4 })
    const asked = line.seen.flatMap((request) => claimOf(request) ?? []).filter(({ number }) => number === lost?.number)
    deepEqual(asked, [lost, lost])
    for (const { id } of tasks)
      deepEqual(
        (await queue.history(id)).map(({ event }) => event),
        ["created", "claimed", "completed"],
      )
  })

  it("have to be worth it: what is left of the room waits where it is small", async () => {
    const line = new OverlappedExchanges({ exchanges: 3, leastTasks: 2 })
    const { end, finish } = await backlog(30, line, 7)
    line.hold()
    await end()
    deepEqual(
      line.held.map(({ claim }) => claim?.max),
      [3, 3],
    )
    line.release()
    deepEqual(await finish(), { completed: 30, runs: 30, most: 7 })
  })

  it("leave the run of a younger lease alone when the answer of an older one comes after all", async () => {
    const line = new OverlappedExchanges()
    const worker = { lease: "300ms", sweep: "20ms", backoff: { base: "1ms", factor: 1, cap: "1ms" } } as const
    const { queue, runs, end, finish } = await backlog(7, line, 4, worker)
    line.hold()
    await end()
    // Two tasks for the first, one for the second; the leases end before either is answered, and the sweeper takes all three back.
    await queue.advance("350ms")
    line.isHolding = false
    // Too late: it is given back, and the exchange that says so claims again, beside the first.
    line.release(1)
    await queue.world.settle()
    const lost: string[] = []
    queue.ownWorker.on("task.lost", ({ id, fence }) => lost.push(`${id} ${fence}`))
    equal(runs.length, 6)
    line.release()
    await queue.world.settle()
    deepEqual(lost, [])
    await queue.advance("1s")
    deepEqual(await finish(), { completed: 7, runs: 7, most: 4 })
  })

  it("come back to a worker that drains: what they bring is given back at no cost, and then it ends", async () => {
    const line = new OverlappedExchanges()
    const { queue, tasks, end } = await backlog(8, line, 4)
    line.hold()
    await end()
    equal(line.held.length, 2)
    let hasStopped = false
    queue.ownWorker.on("worker.stopped", () => {
      hasStopped = true
    })
    queue.ownWorker.stop()
    await queue.world.settle()
    equal(hasStopped, false)
    line.release()
    await queue.world.settle()
    equal(hasStopped, true)
    const { pending, running, completed } = await queue.counts()
    deepEqual({ pending, running, completed }, { pending: 4, running: 0, completed: 4 })
    const given = await found(queue, tasks[5] as { id: string })
    deepEqual([given.attempt, given.retryCount], [0, 0])
  })

  it("are waited for by a worker that drains, also where they only tell how runs have ended", async () => {
    const line = new OverlappedExchanges()
    const { queue, end } = await backlog(1, line, 4)
    line.hold()
    await end()
    deepEqual(
      line.held.map(({ settles, claim }) => [settles.length, claim]),
      [[1, null]],
    )
    let hasStopped = false
    queue.ownWorker.on("worker.stopped", () => {
      hasStopped = true
    })
    queue.ownWorker.stop()
    await queue.world.settle()
    equal(hasStopped, false)
    line.release()
    await queue.world.settle()
    equal(hasStopped, true)
  })

  it("are one at a time to a store that does not answer", async () => {
    const line = new OverlappedExchanges()
    const { queue, end, finish } = await backlog(20, line, 4)
    line.isSilent = true
    const before = line.seen.length
    await end(2)
    // No answer within ten seconds: it is said again.
    await queue.advance("15s")
    equal(line.seen.length - before, 2)
    await end(2)
    equal(line.seen.length - before, 2)
    line.isSilent = false
    await queue.advance("1m")
    deepEqual(await finish(), { completed: 20, runs: 20, most: 4 })
  })

  it("are all told of a cancellation as one worker", async () => {
    const stopped: unknown[] = []
    const work = defineTask("work", {
      run: async (_input: number, context) => {
        await takes(context, 60_000).catch(() => stopped.push(context.signal.reason.code))
        context.signal.throwIfAborted()
      },
    })
    const line = new OverlappedExchanges()
    const queue = await testQueue([work], { worker: { id: "worker-1", concurrency: 4 }, through: line.through })
    const tasks = await queue.submitMany(work, [1, 2, 3, 4])
    await queue.world.settle()
    for (const { id } of tasks) equal((await found(queue, { id })).workerId, "worker-1")
    await queue.cancel(tasks.map(({ id }) => id)[3] as string)
    await queue.advance("200ms")
    deepEqual(stopped, ["cancelled"])
  })
})

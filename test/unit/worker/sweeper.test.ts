// The sweeper that runs in every worker.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { type TestQueue, testQueue } from "../../../src/testing/test-queue.ts"
import { sweepAll } from "../../../src/worker/index.ts"
import { declareType, found, Tap } from "./kit.ts"

const work = defineTask("work", { run: () => "done" })

/** As a worker does that dies at once. */
async function claimAndDie(queue: TestQueue, type: string, leaseMs: number): Promise<void> {
  const claim = { number: 1, max: 100, types: [{ type, room: 100 }] }
  const { claimed } = await queue.store.exchange({ workerId: "dies", leaseMs, settles: [], heartbeats: [], claim })
  ok(claimed.length > 0, "expected something to claim")
}

describe("the sweeper", () => {
  it("brings back what a lost worker held, and it is run again", async () => {
    const queue = await testQueue([work])
    const swept: unknown[] = []
    queue.ownWorker.on("sweep.done", (total) => swept.push(total))
    await queue.world.settle()
    await declareType(queue, "other")
    const task = await queue.submit("other", null)
    await claimAndDie(queue, "other", 60_000)
    await queue.advance("55s")
    equal((await found(queue, task)).status, "running")
    // One lease, one interval with its jitter.
    await queue.advance("17s")
    const { status, retryCount, crashCount, lastError } = await found(queue, task)
    deepEqual(
      { status, retryCount, crashCount, lastError },
      { status: "pending", retryCount: 1, crashCount: 1, lastError: "lease lost by dies" },
    )
    deepEqual(swept, [{ rescued: 1, expired: 0, stopped: 0, removed: 0 }])
  })

  it("expires what is overdue, whatever its type, once", async () => {
    const queue = await testQueue([work])
    const task = await queue.submit("other", null, { ttl: "30s" })
    await queue.advance("29s")
    equal((await found(queue, task)).status, "pending")
    await queue.advance("13s")
    const { status, expiredAt, version } = await found(queue, task)
    deepEqual({ status, version }, { status: "expired", version: 2 })
    ok(expiredAt && task.expiresAt && expiredAt >= task.expiresAt)
    await queue.advance("1m")
    equal((await found(queue, task)).version, 2)
  })

  it("removes finished tasks after their retention, and no archived one", async () => {
    const queue = await testQueue([work], { worker: { retention: "1h", sweep: "1m" } })
    const [gone, kept] = await queue.submitMany(work, [1, 2])
    ok(gone && kept)
    await queue.drain()
    await queue.archive(kept.id)
    await queue.advance("59m")
    equal((await found(queue, gone)).status, "completed")
    await queue.advance("3m")
    equal(await queue.get(gone.id), null)
    equal((await found(queue, kept)).status, "archived")
  })

  it("keeps everything when the retention is null", async () => {
    const queue = await testQueue([work], { worker: { retention: null, sweep: "1d", hello: "1d" } })
    const task = await queue.submit(work, null)
    await queue.drain()
    await queue.advance("400d")
    equal((await found(queue, task)).status, "completed")
  })

  it("does a large backlog in steps, in one go", async () => {
    const tap = new Tap()
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "1h" } })
    await queue.world.settle()
    await queue.submitMany(
      "other",
      Array.from({ length: 1_000 }, (_, i) => i),
      { ttl: "1m" },
    )
    await queue.submitMany(
      "other",
      Array.from({ length: 200 }, (_, i) => i),
      { ttl: "1m" },
    )
    tap.calls.length = 0
    await queue.advance("2m")
    const total = await sweepAll(queue.store, queue.world, { backoff: { baseMs: 1, factor: 2, capMs: 1 }, retentionMs: null })
    deepEqual(total, { rescued: 0, expired: 1_200, stopped: 0, removed: 0 })
    equal(tap.calls.filter(({ operation }) => operation === "sweep").length, 3)
  })

  it("sweeps about as often as it is told, never in step with others, and stops with its worker", async () => {
    const tap = new Tap()
    const times: number[] = []
    const queue = await testQueue([work], { through: tap.through, worker: { sweep: "10s" } })
    tap.spoil = (operation) => {
      if (operation === "sweep") times.push(queue.world.monotonicMs())
      return null
    }
    await queue.advance("10m")
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
    ok(gaps.length >= 50 && gaps.length <= 75, `expected about 60 sweeps, got ${gaps.length}`)
    ok(gaps.every((gap) => gap >= 8_000 && gap <= 12_000))
    ok(Math.max(...gaps) - Math.min(...gaps) > 2_000, "expected them to be spread out")
    await queue.close()
    times.length = 0
    await queue.world.advance(60_000)
    deepEqual(times, [])
  })

  it("goes on when a sweep fails", async () => {
    const tap = new Tap()
    const queue = await testQueue([work], { through: tap.through })
    tap.spoil = (operation) => (operation === "sweep" ? "hang" : null)
    const task = await queue.submit("other", null, { ttl: "10s" })
    await queue.advance("1m")
    equal((await found(queue, task)).status, "pending")
    tap.comeBack()
    await queue.advance("25s")
    equal((await found(queue, task)).status, "expired")
  })
})

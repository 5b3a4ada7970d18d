// How outcomes reach the store: many in one exchange, each exactly once, whatever becomes of the call.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import type { Fault } from "../../../src/testing/faulty-store.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { deferred, found, settleOf, Tap } from "./kit.ts"

describe("settle", () => {
  it("tells the store in one exchange of all handlers that end together", async () => {
    const tap = new Tap()
    const go = deferred()
    const work = defineTask("work", {
      run: async (steps: number) => {
        await go.promise
        // In the same turn, one after the other.
        for (let i = 0; i < steps; i++) await null
      },
    })
    const queue = await testQueue([work], { worker: { concurrency: 50 }, through: tap.through })
    await queue.submitMany(
      work,
      Array.from({ length: 50 }, (_, i) => i),
    )
    await queue.world.settle()
    go.resolve()
    await queue.drain()
    equal((await queue.counts()).completed, 50)
    deepEqual(
      tap.exchanges.map(({ settles }) => settles.length).filter((count) => count > 0),
      [50],
    )
  })

  it("settles and claims in the same exchange, so that a busy worker needs one for each roomful", async () => {
    const tap = new Tap()
    const work = defineTask("work", { run: () => "done" })
    const queue = await testQueue([work], { worker: { concurrency: 10 }, through: tap.through })
    await queue.world.settle()
    tap.calls.length = 0
    await queue.submitMany(
      work,
      Array.from({ length: 100 }, (_, i) => i),
    )
    await queue.drain()
    // Ten roomfuls: the first exchange only claims, the last one finds nothing more.
    equal(tap.exchanges.length, 11)
  })

  it("carries no more than a step's worth in one exchange", async () => {
    const tap = new Tap()
    const go = deferred()
    const work = defineTask("work", { run: () => go.promise })
    const queue = await testQueue([work], { worker: { concurrency: 1_000 }, through: tap.through })
    await queue.submitMany(
      work,
      Array.from({ length: 1_000 }, (_, i) => i),
    )
    await queue.world.settle()
    equal((await queue.counts()).running, 1_000)
    await queue.advance("10s")
    go.resolve()
    await queue.drain()
    equal((await queue.counts()).completed, 1_000)
    const pieces = (part: "settles" | "heartbeats") => tap.exchanges.map((request) => request[part].length).filter((count) => count > 0)
    deepEqual(pieces("heartbeats"), [500, 500])
    deepEqual(pieces("settles"), [500, 500])
  })

  for (const fault of ["refuse", "lose_reply", "hang"] as const satisfies readonly Fault[]) {
    it(`tells an outcome again whose exchange failed (${fault}), and it counts once`, async () => {
      const tap = new Tap()
      let runs = 0
      const work = defineTask("work", { run: () => ++runs })
      const queue = await testQueue([work], { through: tap.through })
      const settled: string[] = []
      queue.ownWorker.on("task.settled", ({ outcome, status }) => settled.push(`${outcome}: ${status}`))
      tap.spoilOnce(fault, ({ settles }) => settles.length > 0)
      const task = await queue.submit(work, null)
      await queue.advance("15s")
      const { status, output, fence } = await found(queue, task)
      deepEqual({ status, output, fence, runs }, { status: "completed", output: 1, fence: 1, runs: 1 })
      deepEqual(settled, ["completed: completed"])
      deepEqual(
        (await queue.history(task.id)).map(({ event }) => event),
        ["created", "claimed", "completed"],
      )
    })

    it(`asks a claim again under its number when its exchange failed (${fault})`, async () => {
      const tap = new Tap()
      let runs = 0
      const work = defineTask("work", { run: () => ++runs })
      const queue = await testQueue([work], { through: tap.through })
      await queue.world.settle()
      tap.spoilOnce(fault, ({ claim }) => claim !== null)
      tap.calls.length = 0
      const task = await queue.submit(work, null)
      await queue.advance("15s")
      const { status, attempt, fence, retryCount } = await found(queue, task)
      deepEqual({ status, attempt, fence, retryCount, runs }, { status: "completed", attempt: 1, fence: 1, retryCount: 0, runs: 1 })
      const [first, second] = tap.exchanges.map(({ claim }) => claim?.number)
      ok(first !== undefined)
      equal(second, first)
    })
  }

  it("loses and doubles nothing when a third of all calls fail, before or after they were carried out", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const world = new VirtualWorld({ seed })
      const chance = new VirtualWorld({ seed: seed + 1_000 })
      const tap = new Tap()
      tap.spoil = (operation) => {
        if (operation !== "exchange" && operation !== "sweep") return null
        const draw = chance.random()
        return draw < 0.15 ? "refuse" : draw < 0.3 ? "lose_reply" : draw < 0.33 ? "hang" : null
      }
      const runs = new Map<string, number>()
      const work = defineTask("work", {
        run: (_input: number, { task }) => {
          runs.set(task.id, (runs.get(task.id) ?? 0) + 1)
        },
      })
      // The lease outlasts the faults: every run that is not the first one is the worker's own mistake.
      const queue = await testQueue([work], { world, through: tap.through, worker: { concurrency: 7, lease: "10m" } })
      const tasks = await queue.submitMany(
        work,
        Array.from({ length: 60 }, (_, i) => i),
      )
      await queue.advance("9m")
      equal((await queue.counts()).completed, 60, `seed ${seed}`)
      for (const task of tasks) equal(runs.get(task.id), 1, `seed ${seed}: expected task ${task.id} to run once`)
      await queue.close()
    }
  })

  it("tells of an outcome that the store refused, and goes on", async () => {
    const go = deferred()
    const work = defineTask("work", { run: () => go.promise })
    const queue = await testQueue([work])
    const stale: string[] = []
    queue.ownWorker.on("task.stale", ({ id, outcome }) => stale.push(`${id} ${outcome}`))
    const task = await queue.submit(work, null)
    await queue.world.settle()
    // Somebody else settles under the same fence: as if this worker had been taken for dead.
    await queue.store.exchange({
      workerId: "other",
      leaseMs: 30_000,
      settles: [settleOf({ id: task.id, fence: 1, outcome: { kind: "failed", error: "taken over" } })],
      heartbeats: [],
      claim: null,
    })
    go.resolve()
    await queue.world.settle()
    deepEqual(stale, [`${task.id} completed`])
    equal((await found(queue, task)).lastError, "taken over")
  })
})

// Slots: never more at once than there are, and each comes back once, however its run ends.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { TaskRecord } from "../../task/index.ts"
import { sameTasks } from "./assertions.ts"
import { type Bench, theme } from "./kit.ts"
import { cancelled, completed, failed, released, rescheduled, retried, said } from "./outcomes.ts"
import { rate, slots, through } from "./policies.ts"
import { leaseMs, type TestWorker } from "./test-worker.ts"

const gates = through("vendor")

/** A lease is lost, somebody else has its slot; then the lost one is made good. */
async function givenOn(bench: Bench, makeGood: (gone: TestWorker, lost: TaskRecord) => Promise<void>): Promise<void> {
  await bench.declare("vendor", slots(1))
  await bench.submitMany(4, { gates })
  const gone = bench.worker("gone")
  const lost = await gone.claimOne()
  await bench.world.advance(leaseMs)
  const worker = bench.worker()
  const held = await worker.claimOne()
  deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  await makeGood(gone, lost)
  deepEqual(await worker.claim(), [])
  deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  await worker.again(held, completed())
  deepEqual(await worker.claim(), [])
}

export const gatesSlotsTests = theme("gates-slots", {
  "never more at once than there are slots, whoever claims": async (bench) => {
    await bench.declare("vendor", slots(3))
    await bench.submitMany(20, { gates })
    const desks = [bench, await bench.connect(), await bench.connect()]
    const workers = Array.from({ length: 6 }, (_, i) => (desks[i % 3] ?? bench).worker(`w${i}`))
    const held: TaskRecord[] = []
    let ended = 0
    for (let round = 0; ended < 20; round++) {
      ok(round < 200, "expected the tasks to come to an end")
      for (const task of (await bench.together(workers.map((worker) => worker.claim({ max: 2 })))).flat()) held.push(task)
      equal(held.length, Math.min(3, 20 - ended))
      deepEqual((await bench.gate("vendor")).slots, { held: held.length, of: 3 })
      for (const task of held.splice(0, 1 + (round % 3))) {
        await workers[round % 6]?.settle(task, completed())
        ended++
      }
    }
  },

  "every way in which a run ends gives the slot back": async (bench) => {
    const held = async () => (await bench.gate("vendor")).slots?.held
    await bench.declare("vendor", slots(1))
    const worker = bench.worker()
    for (const outcome of [completed(), failed(), retried(60_000), rescheduled(60_000), released(), cancelled]) {
      const task = await bench.submit({ gates })
      const one = await worker.claimOne()
      equal(await held(), 1)
      await worker.settle(one, outcome)
      equal(await held(), 0, `expected the slot back after ${outcome.kind}`)
      await bench.move("cancel", task)
    }
  },

  "a slot is handed on in the exchange that gives it back": async (bench) => {
    await bench.declare("vendor", slots(1))
    const tasks = await bench.submitMany(4, { gates })
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (const next of tasks.slice(1)) {
      held = await worker.again(held, completed())
      equal(held.id, next.id)
    }
  },

  "a lost lease gives the slot back at its end, though nobody sweeps": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [first, second] = await bench.submitMany(2, { gates })
    ok(first && second)
    await bench.worker("gone").claimOne()
    const worker = bench.worker()
    const { nextAtMs, blockedBy } = await worker.look()
    deepEqual([nextAtMs, blockedBy], [bench.world.wallMs() + leaseMs, "vendor"])
    await bench.world.advance(leaseMs - 1)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    sameTasks(await worker.claim(), [second])
    equal(await bench.status(first), "running")
  },

  "a slot that was given on is not given on again by a late settle": (bench) =>
    givenOn(bench, async (gone, lost) => deepEqual(await gone.settle(lost, completed()), { kind: "ok", status: "completed" })),

  "a slot that was given on is not given on again by the sweep": (bench) =>
    givenOn(bench, async () => equal((await bench.sweep()).rescued, 1)),

  "a late settle gives the slot back if nobody has taken it": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(2, { gates })
    const worker = bench.worker()
    const lost = await worker.claimOne()
    await bench.world.advance(leaseMs)
    await worker.settle(lost, completed())
    deepEqual((await bench.gate("vendor")).slots, { held: 0, of: 1 })
    equal((await worker.claim()).length, 1)
  },

  "a heartbeat keeps the slot with the lease": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(2, { gates })
    const worker = bench.worker()
    const held = await worker.claimOne()
    for (let beat = 0; beat < 3; beat++) {
      await bench.world.advance(leaseMs - 1)
      equal(await worker.heartbeat(held), "ok")
      const { claimed, nextAtMs } = await worker.look()
      deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + leaseMs])
    }
    await bench.world.advance(leaseMs)
    equal((await worker.claim()).length, 1)
  },

  "a settle that is repeated gives back one slot": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.submitMany(5, { gates })
    const worker = bench.worker()
    const [first, second] = await worker.claim()
    ok(first && second)
    await worker.exchange({ settles: [said(first, completed()), said(first, completed())] })
    await worker.settle(first, completed())
    equal((await worker.claim()).length, 1)
    await worker.settle(first, completed())
    deepEqual(await worker.claim(), [])
  },

  "a stale settle gives back nothing": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(2, { gates })
    const worker = bench.worker()
    const before = await worker.claimOne()
    const held = await worker.again(before, released())
    deepEqual([held.id, held.fence], [before.id, 2])
    for (const fence of [1, 3]) deepEqual(await worker.settle({ id: held.id, fence }, completed()), { kind: "stale" })
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
    deepEqual(await worker.claim(), [])
  },

  "where there are slots alone, they are what a task costs; beside a rate it takes one": async (bench) => {
    await bench.declare("slots", slots(5))
    await bench.declare("both", slots(2, rate(100, 1_000)))
    for (const [limit, costs, passed] of [
      ["slots", [3, 2, 1], 2],
      ["both", [30, 20, 10], 2],
    ] as const) {
      const tasks = await bench.submitAll(costs.map((cost) => ({ gates: through(limit, "", cost) })))
      const worker = bench.worker(limit)
      const claimed = await worker.claim()
      sameTasks(claimed, tasks.slice(0, passed))
      deepEqual((await bench.gate(limit)).slots, limit === "slots" ? { held: 5, of: 5 } : { held: 2, of: 2 })
      for (const task of claimed) await worker.settle(task, completed())
      sameTasks(await worker.claim(), tasks.slice(passed))
    }
  },

  "each key has slots of its own": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [a, , b] = await bench.submitAll(["a", "a", "b"].map((key) => ({ gates: through("vendor", key) })))
    ok(a && b)
    sameTasks(await bench.worker().claim(), [a, b])
  },

  "slots that are added to a limit count those who run already, from their next heartbeat on": async (bench) => {
    await bench.declare("vendor", { rates: [rate(100, 1_000)], concurrency: null })
    await bench.submitMany(9, { gates: through("vendor") })
    const worker = bench.worker()
    const held = await worker.claim({ max: 3 })
    await bench.change("vendor", { kind: "set", override: { concurrency: 2 }, untilMs: null })
    for (const task of held) equal(await worker.heartbeat(task), "ok")
    const other = bench.worker("other")
    deepEqual(await other.claim(), [])
    for (const task of held.slice(1)) await worker.settle(task, completed())
    equal((await other.claim()).length, 1)
  },
})

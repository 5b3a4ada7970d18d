// Namespaces share a store and nothing else.

import { deepEqual, equal } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { slots, through } from "./policies.ts"
import { leaseMs } from "./test-worker.ts"

export const namespaceTests = theme("namespaces", {
  "nobody sees the tasks of another namespace": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    const task = await bench.submit()
    deepEqual(await other.store.get({ ids: [task.id] }), { tasks: [null], forecasts: [null] })
    deepEqual(await other.store.history({ id: task.id }), { entries: null })
    deepEqual(await other.list(), [])
    deepEqual(await other.counts(), {})
    deepEqual(await other.worker().claim(), [])
    equal((await bench.worker().claim()).length, 1)
  },

  "nobody changes the tasks of another namespace": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    const task = await bench.submit()
    for (const move of ["cancel", "retry", "archive", "expire"] as const) deepEqual(await other.move(move, task), { kind: "missing" })
    const held = await bench.worker().claimOne()
    deepEqual(await other.worker().settle(held, completed()), { kind: "stale" })
    equal(await other.worker().heartbeat(held), "stale")
    await bench.world.advance(leaseMs)
    equal((await other.sweep({ retentionMs: 0 })).rescued, 0)
    deepEqual(await bench.get(task), held)
    equal((await bench.sweep()).rescued, 1)
  },

  "ids, keys and worker names may be the same in both": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    const asked = bench.newTask({ idempotencyKey: "k", input: "1" })
    await bench.submit(asked)
    const theirs = await other.submit({ ...asked, input: "2" })
    equal(theirs.input, "2")
    equal((await bench.worker("w").claimOne()).input, "1")
    equal((await other.worker("w").claimOne()).input, "2")
    deepEqual([await bench.counts(), await other.counts()], [{ running: 1 }, { running: 1 }])
  },

  "two connections to one namespace see the same": async (bench) => {
    const [a, b] = [await bench.connect({ namespace: "x" }), await bench.connect({ namespace: "x" })]
    const task = await a.submit()
    deepEqual(await b.get(task), task)
    sameTasks(await b.worker().claim(), [task])
    equal(await a.status(task), "running")
  },

  "fairness in one is no matter of the other": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    await bench.submitMany(30, { flow: "a" })
    await bench.worker().claim({ max: 20 })
    await other.submitMany(4, { flow: "a" })
    await other.submitMany(4, { flow: "b" })
    const flows = (await other.worker().claim({ max: 4 })).map(({ flow }) => flow)
    deepEqual(flows, ["a", "b", "a", "b"])
  },

  "limits and gates of the same name are others in each": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    for (const desk of [bench, other]) {
      await desk.declare("vendor", slots(1))
      await desk.submitMany(2, { gates: through("vendor") })
    }
    await bench.change("vendor", { kind: "pause" })
    deepEqual(await bench.worker().claim(), [])
    const held = await other.worker().claimOne()
    deepEqual([(await bench.gate("vendor")).slots?.held, (await other.gate("vendor")).slots?.held], [0, 1])
    await bench.change("vendor", { kind: "resume" })
    await bench.worker("w").claimOne()
    deepEqual(await other.worker().claim({ number: 9 }), [])
    await other.worker("w").settle(held, completed())
    equal((await other.worker("w").claim()).length, 1)
    equal((await other.store.limitChanges({ limit: null, beforeNumber: null, count: 9 })).changes.length, 1)
  },

  "a store names its kind and its namespace": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    const { kind, namespace, durability } = await other.store.describe({})
    deepEqual([kind, namespace], [other.store.kind, "other"])
    equal(durability.length > 0, true)
  },

  "what was acknowledged is there after closing and opening again": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    const task = await first.submit({ idempotencyKey: "k" })
    const held = await first.worker().claimOne()
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    deepEqual(await second.get(task), held)
    equal((await second.submit({ idempotencyKey: "k" })).id, task.id)
    deepEqual(await second.worker().settle(held, completed()), { kind: "ok", status: "completed" })
  },
})

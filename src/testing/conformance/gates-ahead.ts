// What stands before a task: told truly at submission, in a batch, by a route and by get; and counted for tasks that something held.

import { deepEqual, equal } from "node:assert/strict"
import type { NewTask } from "../../task/index.ts"
import { ids } from "./assertions.ts"
import { type Bench, theme } from "./kit.ts"
import { released } from "./outcomes.ts"
import { rolling, through } from "./policies.ts"
import { starts } from "./starts.ts"

const gates = through("vendor")

async function told(bench: Bench, list: readonly Partial<NewTask>[]) {
  const answer = await bench.store.submit({ tasks: list.map((fields) => bench.newTask(fields)) })
  if (answer.kind !== "ok") throw new Error(answer.kind)
  const startMs = bench.world.wallMs()
  const forecasts = answer.tasks.map(({ forecast }) => (forecast?.atMs ?? 0) - startMs)
  const found = new Map((await starts(bench)).map(({ task, atMs }) => [task.id, atMs - startMs]))
  return { forecasts, truth: answer.tasks.map(({ task }) => found.get(task.id)) }
}

export const gatesAheadTests = theme("gates-ahead", {
  "a batch of mixed priorities: who goes first is counted for those below": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    const { forecasts, truth } = await told(bench, [{ gates, priority: 1 }, { gates, priority: 1 }, { gates }])
    deepEqual(forecasts, truth)
  },

  "get: those of lower priority behind a task do not thin out those before it": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    const tasks = await bench.submitAll([...Array(2).fill({ gates, priority: 1 }), ...Array(8).fill({ gates })])
    equal(((await bench.forecast(tasks[1] as NonNullable<(typeof tasks)[1]>))?.atMs ?? 0) - bench.world.wallMs(), 1_000)
  },

  "a task that is scheduled for later, or is stored expired, is not before one that starts now": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const { forecasts } = await told(bench, [{ gates, schedule: { inMs: 5_000 } }, { gates, expiry: { inMs: 0 } }, { gates }])
    equal(forecasts[2], 0)
  },

  "errors are counted of every task that starts, those without gates included, and once": async (bench) => {
    await bench.submit()
    await bench.submit({ schedule: { inMs: 4_000 } })
    await bench.world.advance(5_000)
    const worker = bench.worker()
    for (const task of await worker.claim()) await worker.settle(task, released())
    await worker.claim()
    deepEqual((await bench.store.forecastErrors({})).types, [{ type: "mail", buckets: { 10: 1, 13: 1 } }])
  },

  "a task of which nothing could be said (paused) has no error": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    await bench.change("vendor", { kind: "pause" })
    await bench.submit({ gates })
    await bench.world.advance(3_600_000)
    await bench.change("vendor", { kind: "resume" })
    await bench.worker().claim()
    deepEqual((await bench.store.forecastErrors({})).types, [])
  },

  "tasks that are routed together are counted before each other": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    const tasks = await bench.submitMany(3, { gates: null })
    await bench.store.route({ routes: tasks.map(({ id }) => ({ id, gates, flow: null })) })
    const stored = (await bench.store.get({ ids: ids(tasks) })).tasks
    deepEqual(
      stored.map((task) => (task?.forecastAtMs ?? 0) - bench.world.wallMs()),
      [0, 1_000, 2_000],
    )
  },
})

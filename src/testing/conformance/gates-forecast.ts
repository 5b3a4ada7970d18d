// Forecasts: when a task will start if nothing more arrives and workers have room. Of rates they are exact where every task costs one; a
// test of them lets a worker claim at every moment that the store names, and compares.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { GatePolicy } from "../../limits/index.ts"
import type { SubmittedTask } from "../../store/contract.ts"
import type { NewTask, TaskRecord } from "../../task/index.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, throttled } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"
import { starts } from "./starts.ts"

const gates = through("vendor")

async function submit(bench: Bench, list: readonly Partial<NewTask>[]): Promise<readonly SubmittedTask[]> {
  const answer = await bench.store.submit({ tasks: list.map((fields) => bench.newTask(fields)) })
  ok(answer.kind === "ok", `expected the batch to be stored, got ${answer.kind}`)
  return answer.tasks
}

/** What was said of each at submission is what happened to each. */
async function provesTrue(bench: Bench, submitted: readonly SubmittedTask[]): Promise<void> {
  const found = await starts(bench, { types: [...new Set(submitted.map(({ task }) => task.type))].map((type) => ({ type, room: 100 })) })
  const startOf = new Map(found.map(({ task, atMs }) => [task.id, atMs]))
  deepEqual(
    submitted.map(({ forecast }) => forecast?.atMs),
    submitted.map(({ task }) => startOf.get(task.id)),
  )
}

const many = (count: number, fields: Partial<NewTask> = { gates }) => Array.from({ length: count }, () => fields)

const buckets = async (bench: Bench) => (await bench.store.forecastErrors({})).types

export const gatesForecastTests = theme("gates-forecast", {
  "what is said at submission comes true, in a batch and on top of what waits, for every way of counting": async (bench) => {
    const policies: Readonly<Record<string, GatePolicy>> = {
      sliding: rolling(3, 10_000),
      fixed: rates(rate(4, 10_000, { provider: "fixed", phaseUs: 3_000_000, guardUs: 200_000 })),
      bucket: rates(rate(10, 7_000, { provider: "bucket", burst: 3 })),
      drop: rates(rate(4, 1_000, { provider: "bucket", burst: 1 })),
      hourly: rolling(1, 3_600_000),
    }
    for (const [name, policy] of Object.entries(policies)) {
      await bench.declare(name, policy)
      const fields = { gates: through(name) }
      const first = await submit(bench, many(2, fields))
      await bench.worker(name).claim()
      await bench.world.advance(1_234)
      const later = [...(await submit(bench, many(9, fields))), ...(await submit(bench, many(4, fields)))]
      deepEqual(
        first.map(({ forecast }) => forecast?.basis),
        name === "drop" || name === "hourly" ? ["now", "rate"] : ["now", "now"],
      )
      await provesTrue(bench, later)
    }
  },

  "the gate that opens last decides, of several": async (bench) => {
    await bench.declare("wide", rolling(2, 1_000))
    await bench.declare("narrow", rolling(4, 60_000))
    const both = [...through("wide"), ...through("narrow")]
    const tasks = await submit(bench, many(5, { gates: both }))
    deepEqual(
      tasks.map(({ forecast }) => forecast?.gate ?? null),
      [null, null, "wide", "wide", "narrow"],
    )
    await provesTrue(bench, tasks)
  },

  "it is told again for a task that waits, and does not count the task itself": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const tasks = await submit(bench, many(4))
    for (const [i, { task, forecast }] of tasks.entries()) {
      deepEqual(await bench.forecast(task), forecast)
      equal(forecast?.atMs, bench.world.wallMs() + i * 10_000)
    }
    await bench.worker().claim()
    await bench.world.advance(4_000)
    deepEqual(await Promise.all(tasks.map(async ({ task }) => (await bench.forecast(task))?.atMs ?? null)), [
      null,
      ...tasks.slice(1).map(({ forecast }) => forecast?.atMs),
    ])
  },

  "the same submission again is told what holds now": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const asked = [bench.newTask({ gates }), bench.newTask({ gates })]
    const first = await bench.store.submit({ tasks: asked })
    const again = await bench.store.submit({ tasks: asked })
    ok(first.kind === "ok" && again.kind === "ok")
    deepEqual(
      again.tasks.map(({ forecast }) => forecast),
      first.tasks.map(({ forecast }) => forecast),
    )
  },

  "a task keeps what was said of it at submission": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const tasks = await submit(bench, [...many(3), {}])
    const nowMs = bench.world.wallMs()
    deepEqual(
      tasks.map(({ task }) => task.forecastAtMs),
      [nowMs, nowMs + 10_000, nowMs + 20_000, null],
    )
    const third = tasks[2]?.task
    ok(third)
    await bench.change("vendor", { kind: "set", override: { rates: [rate(9, 10_000)] }, untilMs: null })
    equal((await bench.forecast(third))?.atMs, nowMs)
    equal((await bench.get(third)).forecastAtMs, nowMs + 20_000)
  },

  "higher priority goes before, and is not counted for those above it": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const low = await submit(bench, many(3))
    const high = await submit(bench, many(2, { gates, priority: 1 }))
    const nowMs = bench.world.wallMs()
    deepEqual(
      high.map(({ forecast }) => (forecast?.atMs ?? 0) - nowMs),
      [0, 10_000],
    )
    const told = await Promise.all(low.map(async ({ task }) => ((await bench.forecast(task))?.atMs ?? 0) - nowMs))
    deepEqual(told, [20_000, 30_000, 40_000])
  },

  "another flow goes before no more than its turns": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    await submit(bench, many(50, { gates, flow: "big" }))
    const [, , third] = await submit(bench, many(3, { gates, flow: "small" }))
    const nowMs = bench.world.wallMs()
    const waitMs = (third?.forecast?.atMs ?? 0) - nowMs
    ok(waitMs >= 40_000 && waitMs <= 60_000, `expected the third of the small flow after about five others, got ${waitMs} ms`)
  },

  "what is scheduled starts no earlier, and says so": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const atMs = bench.world.wallMs() + 60_000
    const [plain, gated] = await submit(bench, [{ schedule: { inMs: 60_000 } }, { gates, schedule: { inMs: 60_000 } }])
    const told = { atMs, latestMs: atMs, basis: "schedule" }
    deepEqual([plain?.forecast, gated?.forecast], Array(2).fill({ ...told, gate: null }))
  },

  "it says what it rests on: now, slots, cooldown, a closing, a pause, a missing route": async (bench) => {
    await bench.declare("vendor", slots(1))
    const nowMs = bench.world.wallMs()
    const [first] = await submit(bench, many(1))
    deepEqual(first?.forecast, { atMs: nowMs, latestMs: nowMs, basis: "now", gate: null })
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(3_000)
    await worker.settle(held, completed())
    await submit(bench, many(1))
    const running: TaskRecord = await worker.claimOne()
    const [waiting] = await submit(bench, many(1))
    ok(waiting)
    const onSlots = waiting.forecast
    deepEqual([onSlots?.basis, onSlots?.gate], ["slots", "vendor"])
    ok((onSlots?.atMs ?? 0) > nowMs + 3_000 && (onSlots?.latestMs ?? 0) >= (onSlots?.atMs ?? 0))
    await worker.settle(running, throttled(0, 429, { retryAfterMs: 7_000 }))
    const said = async () => {
      const { atMs = 0, basis = null } = (await bench.forecast(waiting.task)) ?? {}
      return [basis, atMs === null ? null : atMs - bench.world.wallMs()]
    }
    await bench.move("cancel", running)
    deepEqual(await said(), ["cooldown", 7_000])
    await bench.change("vendor", { kind: "close", untilMs: bench.world.wallMs() + 60_000 })
    deepEqual(await said(), ["closed", 60_000])
    await bench.change("vendor", { kind: "pause" })
    deepEqual(await said(), ["paused", null])
    const [paused, unrouted] = await submit(bench, [{ gates }, { gates: null }])
    deepEqual(paused?.forecast, { atMs: null, latestMs: null, basis: "paused", gate: "vendor" })
    deepEqual(unrouted?.forecast, { atMs: null, latestMs: null, basis: "unrouted", gate: null })
  },

  "where it is not known how the other side counts, it says how late it may be": async (bench) => {
    await bench.declare("vendor", rates(rate(1, 10_000, { provider: "unknown", slackUs: 3_000_000 })))
    const [, second] = await submit(bench, many(2))
    const { atMs, latestMs } = second?.forecast ?? {}
    const [found] = (await starts(bench)).slice(1)
    ok(found && atMs && latestMs && found.atMs <= latestMs, `expected a start by ${latestMs}, got ${found?.atMs}`)
  },

  "a task that runs or is over has none": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const [one] = await submit(bench, many(1))
    ok(one)
    const worker = bench.worker()
    const held = await worker.claimOne()
    equal(await bench.forecast(one.task), null)
    await worker.settle(held, completed())
    equal(await bench.forecast(one.task), null)
    deepEqual(await bench.store.get({ ids: ["nobody"] }), { tasks: [null], forecasts: [null] })
  },

  "errors are counted by type and size, once for each task that was held": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    deepEqual(await buckets(bench), [])
    await provesTrue(bench, await submit(bench, many(3)))
    deepEqual(await buckets(bench), [{ type: "mail", buckets: { 0: 3 } }])
    await bench.world.advance(10_000)
    await submit(bench, many(2, { gates, type: "report" }))
    const types = [{ type: "report", room: 9 }]
    const worker = bench.worker()
    await bench.world.advance(5)
    equal((await worker.claim({ types })).length, 1)
    await bench.world.advance(10_000)
    equal((await worker.claim({ types })).length, 1)
    deepEqual(await buckets(bench), [
      { type: "mail", buckets: { 0: 3 } },
      { type: "report", buckets: { 3: 2 } },
    ])
  },

  "a second run counts no error": async (bench) => {
    await bench.declare("vendor", rolling(9, 10_000))
    await submit(bench, many(1))
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(1_000)
    await worker.again(held, { kind: "released", reason: "draining" })
    deepEqual(await buckets(bench), [{ type: "mail", buckets: { 0: 1 } }])
  },
})

// A paced gate keeps a distance between starts: what its limit has for all, what the task asks for, or what was learned, whichever is
// longest. Each episode of refusals is one step.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { GateRef, TaskRecord } from "../../task/index.ts"
import type { Desk } from "./desk.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, said, throttled } from "./outcomes.ts"
import { linear, rate, scouting, through } from "./policies.ts"
import { offsets, starts } from "./starts.ts"

const gates = through("vendor")
const asking = (delayMs: number): readonly GateRef[] => [{ limit: "vendor", key: "", cost: 1, delayMs }]

/** Whoever comes a little late does not delay the next one: so much of a distance may be missing once, never twice. */
const lateMs = 50

/** The moments are those of starts that keep the distance, all of them together. */
function keepDistance(found: readonly number[], everyMs: number): void {
  for (const [i, atMs] of found.entries()) {
    ok(atMs >= i * everyMs - lateMs, `expected start ${i} after ${i * everyMs} ms or at most ${lateMs} sooner, got ${found}`)
    ok(atMs <= i * everyMs, `expected start ${i} after ${i * everyMs} ms at the latest, got ${found}`)
  }
}

/** Some tasks that run at once, in spite of the distance that their gate keeps. */
export async function runningTogether(bench: Bench, count: number, desk: Desk = bench): Promise<readonly TaskRecord[]> {
  await bench.submitMany(count, { gates })
  const worker = desk.newWorker()
  const running: TaskRecord[] = []
  while (running.length < count) {
    const { claimed, nextAtMs, nowMs } = await worker.look({ max: 1 })
    running.push(...claimed)
    if (claimed.length === 0) await bench.world.advance(Math.max(1, (nextAtMs ?? nowMs) - nowMs))
  }
  return running
}

export const gatesPacedTests = theme("gates-paced", {
  "starts keep the distance that the limit has for all": async (bench) => {
    await bench.declare("vendor", linear())
    const startMs = bench.world.wallMs()
    await bench.submitMany(6, { gates })
    keepDistance(offsets(await starts(bench), startMs), 500)
  },

  "starts keep the distance that the task asks for, also where that is less than the limit has": async (bench) => {
    for (const delayMs of [3_000, 200]) {
      const limit = `vendor-${delayMs}`
      await bench.declare(limit, linear())
      const startMs = bench.world.wallMs()
      await bench.submitMany(5, { gates: [{ limit, key: "", cost: 1, delayMs }] })
      keepDistance(offsets(await starts(bench), startMs), delayMs)
    }
  },

  "one that looks for the limit begins with its pace, and believes a declared rate": async (bench) => {
    await bench.declare("vendor", scouting({ startUs: 2_000_000 }))
    await bench.declare("rated", scouting({}, { rates: [rate(3, 10_000)] }))
    const startMs = bench.world.wallMs()
    await bench.submitMany(4, { gates })
    await bench.submitMany(3, { gates: through("rated"), type: "other" })
    equal((await bench.newWorker().claim({ types: [{ type: "other", room: 9 }] })).length, 3)
    keepDistance(offsets(await starts(bench), startMs), 2_000)
  },

  "a cost of several takes as many distances": async (bench) => {
    await bench.declare("vendor", linear())
    await bench.submitMany(2, { gates: through("vendor", "", 4) })
    const worker = bench.newWorker()
    await worker.settle(await worker.claimOne(), completed())
    const { nextAtMs, nowMs } = await worker.look()
    keepDistance([0, (nextAtMs ?? 0) - nowMs], 2_000)
  },

  "further requests of a run keep the distance as well, and keep others away": async (bench) => {
    await bench.declare("vendor", linear())
    const worker = bench.newWorker()
    for (const [asked, everyMs] of [
      [gates, 500],
      [asking(2_000), 2_000],
    ] as const) {
      await bench.submitMany(2, { gates: asked })
      const { id, fence } = await worker.claimOne()
      const waits = [0]
      for (let i = 0; i < 3; i++) {
        const permit = await bench.store.permit({ id, fence, limit: "vendor", cost: 1, withinMs: 60_000 })
        ok(permit.kind === "ok")
        waits.push(permit.waitMs)
      }
      const { nextAtMs, nowMs } = await worker.look()
      keepDistance([...waits, (nextAtMs ?? 0) - nowMs], everyMs)
      await worker.settle({ id, fence }, completed())
      await bench.world.advance(60_000)
      await worker.settle(await worker.claimOne(), completed())
      await bench.world.advance(60_000)
    }
  },

  "each key has a distance of its own": async (bench) => {
    await bench.declare("vendor", linear())
    await bench.submitAll(["a", "b", "a", "b"].map((key) => ({ gates: through("vendor", key), flow: key })))
    equal((await bench.newWorker().claim()).length, 2)
  },

  "a refusal makes it a step longer and closes the gate for that, or for what was asked": async (bench) => {
    await bench.declare("vendor", linear())
    const worker = bench.newWorker()
    for (const [retryAfterMs, delayMs, closedMs] of [
      [null, 1_500, 1_500],
      [9_000, 2_500, 9_000],
    ] as const) {
      await bench.submit({ gates })
      await worker.settle(await worker.claimOne(), throttled(0, 429, { retryAfterMs }))
      const { adaptive, pace, cooldown } = await bench.gate("vendor")
      deepEqual([adaptive.adaptiveDelayMs, pace?.everyUs], [delayMs, delayMs * 1_000])
      equal((cooldown?.untilMs ?? 0) - bench.world.wallMs(), closedMs)
      deepEqual(await worker.claim(), [])
      await bench.world.advance(closedMs)
      await worker.settle(await worker.claimOne(), completed(), { heard: [] })
      await worker.claim()
      await bench.world.advance(60_000)
      for (const task of await worker.claim()) await worker.settle(task, completed())
      await bench.world.advance(60_000)
    }
  },

  "requests that were under way together make one step": async (bench) => {
    await bench.declare("vendor", linear())
    const running = await runningTogether(bench, 4)
    const worker = bench.newWorker()
    for (const task of running) {
      await worker.settle(task, throttled(0, 429))
      await bench.world.advance(10)
    }
    const { adaptive } = await bench.gate("vendor")
    deepEqual([adaptive.adaptiveDelayMs, adaptive.errorStreak], [1_500, 1])
  },

  "two workers that report the same episode at once make one step": async (bench) => {
    await bench.declare("vendor", linear())
    const [first, second] = await runningTogether(bench, 2)
    ok(first && second)
    const other = await bench.connect()
    await bench.together([
      bench.newWorker().exchange({ settles: [said(first, throttled(0, 429))] }),
      other.newWorker().exchange({ settles: [said(second, throttled(0, 429))] }),
    ])
    const { adaptive } = await bench.gate("vendor")
    deepEqual([adaptive.adaptiveDelayMs, adaptive.errorStreak], [1_500, 1])
  },

  "what was learned spaces the starts, and a task that asks for more keeps its own": async (bench) => {
    await bench.declare("vendor", linear({ baseDelayUs: 0 }))
    await bench.submit({ gates })
    const worker = bench.newWorker()
    await worker.settle(await worker.claimOne(), throttled(0, 429))
    await bench.world.advance(60_000)
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(60_000)
    for (const [asked, everyMs] of [
      [gates, 1_000],
      [asking(4_000), 4_000],
    ] as const) {
      const startMs = bench.world.wallMs()
      await bench.submitMany(4, { gates: asked })
      keepDistance(offsets(await starts(bench, {}, `starter-${everyMs}`), startMs), everyMs)
      await bench.world.advance(60_000)
    }
  },

  "slots are fewer while the distance is long, and come back with it": async (bench) => {
    await bench.declare("vendor", linear({ stepUs: 5_000_000, probeAfter: 1, floorDecayUs: 1_000_000 }, { concurrency: 3 }))
    const running = await runningTogether(bench, 3)
    const worker = bench.newWorker()
    const [first, second, third] = running
    ok(first && second && third)
    await worker.settle(first, throttled(0, 429))
    deepEqual((await bench.gate("vendor")).slots, { held: 2, of: 2 })
    await bench.world.advance(20_000)
    deepEqual(await worker.claim(), [])
    await worker.settle(second, completed())
    equal((await worker.claim()).length, 1)
    deepEqual((await bench.gate("vendor")).slots, { held: 2, of: 2 })
  },

  "a forecast says when a paced gate lets a task start, and that it is the pace": async (bench) => {
    await bench.declare("vendor", linear())
    const tasks = await bench.submitMany(5, { gates })
    const worker = bench.newWorker()
    await worker.settle(await worker.claimOne(), completed())
    const expected: number[] = []
    for (const task of tasks.slice(1)) {
      const forecast = await bench.forecast(task)
      deepEqual([forecast?.basis, forecast?.gate], ["pace", "vendor"])
      ok(forecast?.atMs && forecast.latestMs && forecast.latestMs > forecast.atMs)
      expected.push(forecast.atMs)
    }
    deepEqual(
      (await starts(bench)).map(({ atMs }) => atMs),
      expected,
    )
  },

  "a forecast at submission knows the distance that the task asks for, and explain says which gate decides": async (bench) => {
    await bench.declare("vendor", linear())
    const answer = await bench.store.submit({ tasks: [0, 1, 2].map(() => bench.newTask({ gates: asking(2_000) })) })
    ok(answer.kind === "ok")
    const nowMs = bench.world.wallMs()
    deepEqual(
      answer.tasks.map(({ forecast }) => [(forecast?.atMs ?? 0) - nowMs, forecast?.basis]),
      [
        [0, "now"],
        [2_000, "pace"],
        [4_000, "pace"],
      ],
    )
    await bench.newWorker().claim()
    const explained = await bench.explain(answer.tasks[2]?.task ?? { id: "" })
    deepEqual([explained.heldBy, explained.forecast?.basis, explained.gates[0]?.aheadCost], ["vendor", "pace", 1])
  },
})

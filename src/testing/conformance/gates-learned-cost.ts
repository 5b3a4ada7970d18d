// What runs cost is learned from what they say that they have spent, where nobody has said it beforehand: of each type by itself.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { GateRef, TaskRecord } from "../../task/index.ts"
import { type Bench, theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { linear, rolling, slots, through } from "./policies.ts"

const costing = (fields: Partial<GateRef> = {}): readonly GateRef[] => [{ limit: "vendor", key: "", cost: 1, ...fields }]
const used = async (bench: Bench) => (await bench.gate("vendor")).levels[0]?.used

async function run(bench: Bench, gates: readonly GateRef[], actual: number | null, type = "mail"): Promise<TaskRecord> {
  await bench.submit({ type, gates })
  const worker = bench.newWorker()
  const task = await worker.claimOne({ types: [{ type, room: 1 }] })
  await worker.settle(task, completed(), actual === null ? {} : { spent: [{ limit: "vendor", actual }] })
  return task
}

const reserved = (task: TaskRecord) => task.gates?.[0]?.reserved ?? task.gates?.[0]?.cost

export const gatesLearnedCostTests = theme("gates-learned-cost", {
  "a cost of one is what runs of the type have spent, and a little more": async (bench) => {
    await bench.declare("vendor", rolling(1_000, 10_000))
    equal(reserved(await run(bench, costing(), 20)), 1)
    for (let i = 0; i < 100; i++) {
      await bench.world.advance(10_000)
      await run(bench, costing(), 20)
    }
    const cost = reserved(await run(bench, costing(), null)) ?? 0
    ok(cost >= 20 && cost <= 24, `expected about 20, got ${cost}`)
  },

  "what is reserved is what is charged, and what is settled": async (bench) => {
    await bench.declare("vendor", rolling(100, 60_000))
    await run(bench, costing(), 10)
    equal(await used(bench), 10)
    await bench.submit({ gates: costing() })
    const worker = bench.newWorker()
    const task = await worker.claimOne()
    const charged = reserved(task) ?? 0
    ok(charged > 10)
    equal(await used(bench), 10 + charged)
    await worker.settle(task, completed(), { spent: [{ limit: "vendor", actual: 4 }] })
    equal(await used(bench), 14)
    const silent = await run(bench, costing(), null)
    equal(await used(bench), 14 + (reserved(silent) ?? 0))
  },

  "the most is reserved before anything is learned, and never more": async (bench) => {
    await bench.declare("vendor", rolling(1_000, 10_000))
    equal(reserved(await run(bench, costing({ most: 50 }), 20)), 50)
    const learned = reserved(await run(bench, costing({ most: 50 }), 400)) ?? 0
    ok(learned > 20 && learned < 50, `expected something between what was spent and the most, got ${learned}`)
    for (let i = 0; i < 50; i++) {
      await bench.world.advance(10_000)
      equal((reserved(await run(bench, costing({ most: 50 }), 400)) ?? 99) <= 50, true)
    }
    equal(reserved(await run(bench, costing({ most: 50 }), null)), 50)
  },

  "with a most, what a run costs beforehand is a part of it": async (bench) => {
    await bench.declare("vendor", rolling(1_000, 60_000))
    await run(bench, costing({ cost: 10, most: 100 }), 15)
    const next = reserved(await run(bench, costing({ cost: 30, most: 100 }), null)) ?? 0
    ok(next >= 35 && next <= 40, `expected 30 and what runs cost beyond it, got ${next}`)
  },

  "a declared cost is kept": async (bench) => {
    await bench.declare("vendor", rolling(100, 10_000))
    for (let i = 0; i < 3; i++) {
      const task = await run(bench, through("vendor", "", 5), 9)
      deepEqual(task.gates, through("vendor", "", 5))
      await bench.world.advance(10_000)
    }
    equal((await bench.gate("vendor")).learned, null)
  },

  "types are learned each by itself, whatever they are called": async (bench) => {
    await bench.declare("vendor", rolling(1_000, 60_000))
    await run(bench, costing(), 20)
    for (const type of ["other", "constructor", "toString"]) {
      equal(reserved(await run(bench, costing(), null, type)), 1, type)
      await run(bench, costing(), 3, type)
      const cost = reserved(await run(bench, costing(), null, type)) ?? 0
      ok(cost >= 3 && cost <= 5, `expected about 3 of ${type}, got ${cost}`)
    }
  },

  "nothing is reserved beyond what can ever pass": async (bench) => {
    await bench.declare("vendor", rolling(10, 1_000))
    await run(bench, costing(), 500)
    await bench.world.advance(600_000)
    equal(reserved(await run(bench, costing(), null)), 10)
    await bench.world.advance(600_000)
    equal(reserved(await run(bench, costing({ most: 99 }), null)), 10)
  },

  "slots are not spent": async (bench) => {
    await bench.declare("vendor", slots(5))
    await run(bench, costing(), 4)
    equal(reserved(await run(bench, costing(), 4)), 1)
    equal((await bench.gate("vendor")).learned, null)
  },

  "a run that is charged more keeps the next one away for longer": async (bench) => {
    await bench.declare("vendor", linear())
    await run(bench, costing(), 10)
    const { pace } = await bench.gate("vendor")
    equal(pace?.everyUs, 0)
    await bench.world.advance(60_000)
    const task = await run(bench, costing(), null)
    await bench.submit({ gates: costing() })
    const { nextAtMs, nowMs } = await bench.newWorker().look()
    const leftMs = (nextAtMs ?? 0) - nowMs
    const expectedMs = 500 * (reserved(task) ?? 0)
    ok(leftMs <= expectedMs && leftMs >= expectedMs - 50, `expected ${expectedMs} ms, got ${leftMs}`)
  },

  "a forecast counts what will be charged": async (bench) => {
    await bench.declare("vendor", rolling(30, 10_000))
    await run(bench, costing(), 10)
    await bench.world.advance(20_000)
    await bench.submitMany(5, { gates: costing() })
    const claimed = await bench.newWorker().claim()
    equal(claimed.length, 2)
    // The newest first: two of those who wait pass together when the window is over, and the last of them a window later.
    for (const [i, task] of (await bench.list({ statuses: ["pending"] })).entries()) {
      const forecast = await bench.forecast(task)
      deepEqual([forecast?.basis, (forecast?.atMs ?? 0) - bench.world.wallMs()], ["rate", i === 0 ? 20_000 : 10_000])
    }
  },
})

// Order at gates: whoever stands first passes first, as in a queue without gates; who waits elsewhere holds up nobody here.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, released, said } from "./outcomes.ts"
import { rolling, slots, through } from "./policies.ts"
import { starts } from "./starts.ts"
import { leaseMs } from "./test-worker.ts"

const gates = (cost = 1) => through("vendor", "", cost)

export const gatesOrderTests = theme("gates-order", {
  "a lane is never reordered, whatever its tasks cost": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    const tasks = await bench.submitAll([3, 5, 1, 1].map((cost) => ({ gates: gates(cost) })))
    const startMs = bench.world.wallMs()
    const found = await starts(bench)
    sameTasks(
      found.map(({ task }) => task),
      tasks,
    )
    deepEqual(
      found.map(({ atMs }) => atMs - startMs),
      [0, 10_000, 20_000, 20_000],
    )
  },

  "a costly task that stands first is not passed by cheaper ones of other lanes": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    await bench.declare("other", slots(9))
    const worker = bench.worker()
    await bench.submit({ gates: gates(3), flow: "x" })
    await worker.claimOne()
    const costly = await bench.submit({ gates: gates(5), flow: "a" })
    const cheap = await bench.submitAll([
      { gates: gates(), flow: "b" },
      { gates: [...gates(), ...through("other")], flow: "a" },
    ])
    deepEqual(await worker.claim(), [])
    await bench.world.advance(5_000)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(5_000)
    sameTasks(await worker.claim(), [costly])
    await bench.world.advance(10_000)
    equal((await worker.claim()).length, cheap.length)
  },

  "a costly task that another gate holds is passed": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    await bench.declare("other", rolling(1, 60_000))
    const worker = bench.worker()
    await bench.submit({ gates: through("other") })
    await worker.claimOne()
    const costly = await bench.submit({ gates: [...gates(5), ...through("other")] })
    const cheap = await bench.submitMany(3, { gates: gates() })
    sameTasks(await worker.claim(), cheap)
    await bench.world.advance(60_000)
    sameTasks(await worker.claim(), [costly])
  },

  "a task that finds its next gate closed leaves its turn at the first to those behind it, in the same claim": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    await bench.declare("other", slots(1))
    const worker = bench.worker()
    await bench.submit({ gates: gates() })
    await worker.claimOne()
    const [, next] = await bench.submitAll([{ gates: [...gates(), ...through("other")] }, { gates: gates() }])
    ok(next)
    deepEqual(await worker.claim(), [])
    await bench.submit({ gates: through("other") })
    await worker.claimOne()
    await bench.world.advance(10_000)
    const { claimed, nextAtMs } = await worker.look()
    sameTasks(claimed, [next])
    ok(nextAtMs !== null && nextAtMs > bench.world.wallMs())
  },

  "the higher priority passes first, of one lane and of many": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    await bench.submit({ gates: gates() })
    const worker = bench.worker()
    await worker.claimOne()
    const waiting = await bench.submitAll([
      { gates: gates(), flow: "a" },
      { gates: gates(), flow: "b" },
    ])
    deepEqual(await worker.claim(), [])
    const pressing = await bench.submitAll([
      { gates: gates(), flow: "c", priority: 2 },
      { gates: gates(), flow: "b", priority: 3 },
      { gates: gates(), flow: "a", priority: 1 },
    ])
    const [second, first, third] = pressing
    ok(first && second && third)
    sameTasks(
      (await starts(bench)).map(({ task }) => task),
      [first, second, third, ...waiting],
    )
  },

  "flows share a gate fairly, however much one of them has waiting": async (bench) => {
    await bench.declare("vendor", rolling(2, 1_000))
    await bench.submitMany(20, { gates: gates(), flow: "big" })
    await bench.submitMany(4, { gates: gates(), flow: "small" })
    await bench.submitMany(4, { gates: gates(), flow: "late" })
    const flows = (await starts(bench)).map(({ task }) => task.flow)
    for (let turn = 0; turn < 4; turn++) deepEqual(flows.slice(turn * 3, turn * 3 + 3).sort(), ["big", "late", "small"])
    equal(flows.length, 28)
  },

  "a flow with many lanes at a gate has no more turns there than one with a single lane": async (bench) => {
    await bench.declare("vendor", rolling(2, 1_000))
    await bench.declare("other", slots(100))
    const wide = Array.from({ length: 12 }, (_, i) => ({ gates: [...gates(), ...through("other", `key-${i}`)], flow: "wide" }))
    await bench.submitAll(wide)
    await bench.submitMany(6, { gates: gates(), flow: "narrow" })
    const flows = (await starts(bench)).map(({ task }) => task.flow)
    for (let opening = 1; opening < 6; opening++) deepEqual(flows.slice(opening * 2, opening * 2 + 2).sort(), ["narrow", "wide"])
  },

  "a flow that was served elsewhere meanwhile does not go first at the gate": async (bench) => {
    await bench.declare("vendor", slots(1))
    const worker = bench.worker()
    await bench.submit({ gates: gates(), flow: "x" })
    const held = await worker.claimOne()
    const busy = await bench.submit({ gates: gates(), flow: "busy" })
    const patient = await bench.submit({ gates: gates(), flow: "patient" })
    deepEqual(await worker.claim(), [])
    await bench.submitMany(5, { flow: "busy" })
    equal((await worker.claim()).length, 5)
    const next = await worker.again(held, completed())
    sameTasks([next, await worker.again(next, completed())], [patient, busy])
  },

  "tasks of a type that nobody serves do not stand in the way of another type": async (bench) => {
    await bench.declare("vendor", rolling(2, 10_000))
    const worker = bench.worker()
    const types = ["mail", "report"].map((type) => ({ type, room: 10 }))
    await bench.submitMany(4, { type: "report", gates: gates(2), priority: 9 })
    equal((await worker.claim({ types })).length, 1)
    const mail = await bench.submitMany(3, { gates: gates() })
    deepEqual(await worker.claim({ types }), [])
    await bench.world.advance(10_000)
    const { claimed, nextAtMs } = await worker.look()
    sameTasks(claimed, mail.slice(0, 2))
    equal(nextAtMs, bench.world.wallMs() + 10_000)
  },

  "a task that is given back stands first again": async (bench) => {
    await bench.declare("vendor", slots(1))
    const tasks = await bench.submitMany(3, { gates: gates() })
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.claim(), [])
    const again = await worker.again(held, released())
    sameTasks([again], tasks.slice(0, 1))
    sameTasks([await worker.again(again, completed())], tasks.slice(1, 2))
  },

  "whoever leaves the queue at a gate lets the next one move up": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    const worker = bench.worker()
    for (const leave of ["cancel", "expire", "sweep"] as const) {
      const key = through("vendor", leave, 3)
      await bench.submit({ gates: key })
      const held = await worker.claimOne()
      const expiry = leave === "sweep" ? { inMs: 1_000 } : null
      const costly = await bench.submit({ gates: through("vendor", leave, 5), expiry })
      const cheap = await bench.submit({ gates: through("vendor", leave, 2) })
      deepEqual(await worker.claim(), [])
      if (leave === "sweep") {
        await bench.world.advance(1_000)
        equal((await bench.sweep()).expired, 1)
      } else await bench.move(leave, costly)
      const { claimed } = await worker.exchange({ settles: [said(held, completed())], claim: worker.nextClaim() })
      sameTasks(claimed, [cheap])
      for (const task of claimed) await worker.settle(task, completed())
    }
  },

  "a task that has expired at a gate is not charged when its turn comes": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const [, late, next] = await bench.submitAll([{ gates: gates() }, { gates: gates(), expiry: { inMs: 5_000 } }, { gates: gates() }])
    ok(late && next)
    const worker = bench.worker()
    equal((await worker.claim()).length, 1)
    await bench.world.advance(10_000)
    sameTasks(await worker.claim(), [next])
    equal(await bench.status(late), "expired")
  },

  "what comes due joins those who wait, in its place": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const [first, scheduled, urgent] = await bench.submitAll([
      { gates: gates() },
      { gates: gates(), schedule: { inMs: 3_000 } },
      { gates: gates(), schedule: { inMs: 4_000 }, priority: 1 },
    ])
    ok(first && scheduled && urgent)
    const found = await starts(bench)
    sameTasks(
      found.map(({ task }) => task),
      [first, urgent, scheduled],
    )
    deepEqual(
      found.map(({ atMs }) => atMs - (found[0]?.atMs ?? 0)),
      [0, 10_000, 20_000],
    )
  },

  "lost work comes back to its gate": async (bench) => {
    await bench.declare("vendor", slots(1))
    const task = await bench.submit({ gates: gates() })
    await bench.worker("gone").claimOne()
    await bench.world.advance(leaseMs)
    await bench.sweep()
    await bench.world.advance(60_000)
    const worker = bench.worker()
    sameTasks([await worker.claimOne()], [task])
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  },
})

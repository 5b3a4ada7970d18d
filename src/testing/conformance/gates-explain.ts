// Explain: why a task has not started, as of now. Every gate that it passes, what is ahead of it there, and which one decides.

import { deepEqual, equal, ok } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { rolling, slots, through } from "./policies.ts"

const gates = through("vendor", "eu")

export const gatesExplainTests = theme("gates-explain", {
  "a task that waits is told what holds it, what is ahead and when it opens": async (bench) => {
    const policy = rolling(2, 10_000)
    await bench.declare("vendor", policy)
    const tasks = await bench.submitMany(4, { gates })
    await bench.worker().claim()
    const startMs = bench.world.wallMs()
    await bench.world.advance(1_000)
    const last = tasks[3]
    ok(last)
    const { liveWorkers, ...told } = await bench.explain(last)
    deepEqual(told, {
      nowMs: startMs + 1_000,
      task: last,
      forecast: { atMs: startMs + 10_000, latestMs: startMs + 10_000, basis: "rate", gate: "vendor/eu" },
      gates: [
        {
          gate: "vendor/eu",
          limit: "vendor",
          key: "eu",
          policy,
          isOverridden: false,
          levels: [{ used: 2, of: 2, perMs: 10_000 }],
          slots: null,
          waitingTasks: 2,
          waitingCost: 2,
          waitingCalls: 0,
          opensAtMs: startMs + 10_000,
          isPaused: false,
          closedUntilMs: null,
          cooldown: null,
          refusals: 0,
          pace: null,
          learned: null,
          adaptive: {
            errorStreak: 0,
            successStreak: 0,
            adaptiveDelayMs: 0,
            delayFloorMs: 0,
            nextAvailableAtMs: null,
            lastSuccessAtMs: null,
          },
          cost: 1,
          aheadCost: 1,
          opensForTaskAtMs: startMs + 10_000,
        },
      ],
      heldBy: "vendor/eu",
      tasksAhead: 1,
      isUnrouted: false,
      expiresFirst: false,
    })
    equal(liveWorkers, 1)
  },

  "of several gates the one that opens last holds it": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    await bench.declare("other", rolling(1, 60_000))
    const [, waiting] = await bench.submitMany(2, { gates: [...gates, ...through("other")] })
    ok(waiting)
    await bench.worker().claim()
    const { heldBy, gates: told, nowMs } = await bench.explain(waiting)
    equal(heldBy, "other")
    deepEqual(
      told.map(({ gate, opensForTaskAtMs }) => [gate, (opensForTaskAtMs ?? 0) - nowMs]),
      [
        ["vendor/eu", 10_000],
        ["other", 60_000],
      ],
    )
  },

  "costs that are ahead are added up": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    const tasks = await bench.submitAll([8, 5, 4, 3].map((cost) => ({ gates: through("vendor", "eu", cost) })))
    await bench.worker().claim()
    const last = tasks[3]
    ok(last)
    const { gates: told, tasksAhead } = await bench.explain(last)
    deepEqual([told[0]?.cost, told[0]?.waitingCost, tasksAhead], [3, 12, 2])
  },

  "a task that nothing holds is held by nobody": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    for (const fields of [{}, { gates }]) {
      const task = await bench.submit(fields)
      const { heldBy, forecast, tasksAhead, gates: told } = await bench.explain(task)
      deepEqual([heldBy, forecast?.basis, tasksAhead, told.length], [null, "now", 0, fields.gates ? 1 : 0])
      await bench.move("cancel", task)
    }
  },

  "a task that runs or is over is told its gates, and no forecast": async (bench) => {
    await bench.declare("vendor", slots(1))
    const task = await bench.submit({ gates })
    const worker = bench.worker()
    const held = await worker.claimOne()
    const running = await bench.explain(task)
    deepEqual([running.task, running.forecast, running.heldBy, running.tasksAhead], [held, null, null, null])
    deepEqual([running.gates[0]?.slots, running.gates[0]?.opensForTaskAtMs], [{ held: 1, of: 1 }, null])
    await worker.settle(held, completed())
    const over = await bench.explain(task)
    deepEqual([over.task.status, over.forecast, over.heldBy, over.gates[0]?.slots], ["completed", null, null, { held: 0, of: 1 }])
  },

  "a task that will expire before it can start is told so": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const tasks = await bench.submitAll([9_999, 10_000, 10_001].map((inMs) => ({ gates, expiry: { inMs }, priority: 1 })))
    const blocked = await bench.submit({ gates: through("vendor", "us"), expiry: { inMs: 5_000 } })
    await bench.change("vendor", { kind: "close", untilMs: bench.world.wallMs() + 10_000 })
    const told = async (task: { readonly id: string }) => (await bench.explain(task)).expiresFirst
    deepEqual(await Promise.all(tasks.slice(0, 1).map(told)), [true])
    const [first, second, third] = tasks
    ok(first && second && third)
    await bench.move("cancel", first)
    equal(await told(second), true)
    await bench.move("cancel", second)
    equal(await told(third), false)
    await bench.change("vendor", { kind: "pause" })
    deepEqual([await told(third), await told(blocked)], [true, true])
  },

  "an unrouted task, a pause and a schedule are told as what they are": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const unrouted = await bench.explain(await bench.submit({ gates: null }))
    deepEqual([unrouted.isUnrouted, unrouted.forecast?.basis, unrouted.tasksAhead, unrouted.gates], [true, "unrouted", null, []])
    const scheduled = await bench.explain(await bench.submit({ gates, schedule: { inMs: 5_000 } }))
    deepEqual([scheduled.isUnrouted, scheduled.forecast?.basis, scheduled.heldBy, scheduled.tasksAhead], [false, "schedule", null, null])
    await bench.change("vendor", { kind: "pause" }, "eu")
    const paused = await bench.explain(await bench.submit({ gates }))
    deepEqual([paused.forecast?.basis, paused.heldBy, paused.gates[0]?.isPaused], ["paused", "vendor/eu", true])
    equal(paused.gates[0]?.opensForTaskAtMs, null)
  },

  "it counts the workers that were heard of lately and handle the type": async (bench) => {
    const task = await bench.submit({ type: "report" })
    const alive = async () => (await bench.explain(task)).liveWorkers
    equal(await alive(), 0)
    const types = ["mail", "report"].map((type) => ({ type, limits: [] }))
    await bench.store.hello({ workerId: "a", types, limits: [] })
    await bench.store.hello({ workerId: "b", types: types.slice(0, 1), limits: [] })
    await bench.store.hello({ workerId: null, types, limits: [] })
    equal(await alive(), 1)
    await bench.world.advance(60_000)
    await bench.worker("c").claim({ types: [{ type: "report", room: 0 }] })
    equal(await alive(), 2)
    await bench.world.advance(30_000)
    equal(await alive(), 1)
    await bench.world.advance(60_000)
    equal(await alive(), 0)
  },

  "nobody is explained nothing": async (bench) => {
    deepEqual(await bench.store.explain({ id: "nobody" }), { explanation: null })
  },

  "asking changes nothing": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const tasks = await bench.submitMany(3, { gates })
    const worker = bench.worker()
    await worker.claim()
    for (const task of tasks) {
      await bench.explain(task)
      await bench.forecast(task)
      await bench.gate("vendor", "eu")
    }
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 10_000])
  },
})

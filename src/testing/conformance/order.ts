// The order inside a lane: priority, then the time at which a task became ready, then sequence.

import { ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { released, rescheduled, retried, throttled } from "./outcomes.ts"

export const orderTests = theme("order", {
  "higher priority goes first, then who came first": async (bench) => {
    const [low, normal, high, normal2, high2] = await bench.submitAll([-5, 0, 10, 0, 10].map((priority) => ({ priority })))
    ok(low && normal && high && normal2 && high2)
    sameTasks(await bench.worker().claim(), [high, high2, normal, normal2, low])
  },

  "one at a time makes the same order": async (bench) => {
    const [a, b, c, d] = await bench.submitAll([1, 3, 2, 3].map((priority) => ({ priority })))
    ok(a && b && c && d)
    const worker = bench.worker()
    for (const task of [b, d, c, a]) sameTasks(await worker.claim({ max: 1 }), [task])
  },

  "a scheduled task stands where its time puts it, not where its submission does": async (bench) => {
    const late = await bench.submit({ schedule: { inMs: 20_000 } })
    const early = await bench.submit({ schedule: { inMs: 10_000 } })
    await bench.world.advance(15_000)
    const between = await bench.submit()
    await bench.world.advance(15_000)
    const last = await bench.submit()
    sameTasks(await bench.worker().claim(), [early, between, late, last])
  },

  "a task that is due late still goes before one of lower priority": async (bench) => {
    const scheduled = await bench.submit({ schedule: { inMs: 10_000 }, priority: 1 })
    const waiting = await bench.submit()
    await bench.world.advance(10_000)
    sameTasks(await bench.worker().claim(), [scheduled, waiting])
  },

  "retry and reschedule without delay go to the back": async (bench) => {
    for (const outcome of [retried(0), rescheduled(0)]) {
      const first = await bench.submit()
      const worker = bench.worker(outcome.kind)
      const held = await worker.claimOne()
      const second = await bench.submit()
      await bench.world.advance(1)
      await worker.settle(held, outcome)
      sameTasks(await worker.claim(), [second, first])
    }
  },

  "throttled and released tasks keep their place": async (bench) => {
    for (const outcome of [throttled(0), throttled(5_000), released()]) {
      const first = await bench.submit()
      const worker = bench.worker(JSON.stringify(outcome))
      const held = await worker.claimOne()
      await bench.world.advance(1)
      const second = await bench.submit()
      await worker.settle(held, outcome)
      await bench.world.advance(5_000)
      sameTasks(await worker.claim(), [first, second])
    }
  },

  "a delay puts a task behind what became ready before it is due": async (bench) => {
    const first = await bench.submit()
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), retried(10_000))
    await bench.world.advance(9_999)
    const second = await bench.submit()
    await bench.world.advance(2)
    const third = await bench.submit()
    sameTasks(await worker.claim(), [second, first, third])
  },

  "a lane that grows long and short again keeps its order, whoever leaves it from its middle": async (bench) => {
    const worker = bench.worker()
    for (const flow of ["first", "again"]) {
      const early = await bench.submitAll(Array.from({ length: 30 }, () => ({ flow })))
      await bench.world.advance(1)
      const late = await bench.submitAll(Array.from({ length: 50 }, () => ({ flow })))
      const gone = [0, 1, 17, 29, 40, 79].map((i) => [...early, ...late][i]?.id ?? "")
      await bench.store.cancel({ ids: gone })
      const claimed: (typeof early)[number][] = []
      for (const max of [1, 6, 30]) claimed.push(...(await worker.claim({ max })))
      const last = await bench.submit({ flow })
      claimed.push(...(await worker.claim({ max: 100 })))
      sameTasks(
        claimed,
        [...early, ...late, last].filter(({ id }) => !gone.includes(id)),
      )
      sameTasks(await worker.claim(), [])
    }
  },

  "lanes of one flow are taken by their heads": async (bench) => {
    const gates = (key: string) => [{ limit: "vendor", key, cost: 1 }]
    const [a1, b1, a2, b2, plain] = await bench.submitAll([
      { gates: gates("a") },
      { gates: gates("b") },
      { gates: gates("a"), priority: 1 },
      { gates: gates("b") },
      {},
    ])
    ok(a1 && b1 && a2 && b2 && plain)
    sameTasks(await bench.worker().claim(), [a2, a1, b1, b2, plain])
  },

  "many lanes keep the order of one queue": async (bench) => {
    const keys = Array.from({ length: 60 }, (_, i) => `key-${(i * 7) % 20}`)
    const tasks = await bench.submitAll(keys.map((key) => ({ gates: [{ limit: "vendor", key, cost: 1 }] })))
    const worker = bench.worker()
    const claimed = [...(await worker.claim({ max: 13 })), ...(await worker.claim({ max: 13 })), ...(await worker.claim())]
    sameTasks(claimed, tasks)
  },
})

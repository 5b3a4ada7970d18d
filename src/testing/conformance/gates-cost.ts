// Cost: a run reserves what it is expected to spend, and is held to what it has really spent. What has gone out is never taken back.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, failed, released, retried } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"
import { leaseMs } from "./test-worker.ts"

const costs = (...list: readonly number[]) => list.map((cost) => ({ gates: through("vendor", "", cost) }))

export const gatesCostTests = theme("gates-cost", {
  "costs add up to the limit and no further": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    const tasks = await bench.submitAll(costs(4, 5, 1, 1))
    const worker = bench.worker()
    const { claimed, nextAtMs, nowMs } = await worker.look()
    sameTasks(claimed, tasks.slice(0, 3))
    equal(nextAtMs, nowMs + 10_000)
    deepEqual((await bench.gate("vendor")).levels, [{ used: 10, of: 10, perMs: 10_000 }])
  },

  "a cost waits for as much as it needs": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    const worker = bench.worker()
    for (const cost of [3, 3, 3]) {
      await bench.submitAll(costs(cost))
      await worker.claimOne()
      await bench.world.advance(1_000)
    }
    await bench.submitAll(costs(6))
    const { claimed, nextAtMs, nowMs } = await worker.look()
    deepEqual([claimed, (nextAtMs ?? 0) - nowMs], [[], 8_000])
  },

  "what was not spent can be spent by others at once": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    const [first, second] = await bench.submitAll(costs(8, 8))
    ok(first && second)
    const worker = bench.worker()
    const held = await worker.claimOne()
    await worker.settle(held, completed(), { spent: [{ limit: "vendor", actual: 2 }] })
    sameTasks(await worker.claim(), [second])
    equal((await bench.gate("vendor")).levels[0]?.used, 10)
  },

  "what was spent beyond the reservation holds up others, until the window of that run has passed": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    await bench.submitAll(costs(2, 5))
    const worker = bench.worker()
    const held = await worker.claim({ max: 1 })
    await bench.world.advance(1_000)
    for (const task of held) await worker.settle(task, failed(), { spent: [{ limit: "vendor", actual: 25 }] })
    equal((await bench.gate("vendor")).levels[0]?.used, 25)
    const { claimed, nextAtMs, nowMs } = await worker.look()
    deepEqual([claimed, (nextAtMs ?? 0) - nowMs], [[], 9_000])
    await bench.world.advance(9_000)
    equal((await worker.claim()).length, 1)
  },

  "buckets and fixed windows are held to what was spent as well": async (bench) => {
    for (const provider of ["bucket", "fixed"] as const) {
      await bench.declare(provider, rates(rate(10, 10_000, { provider })))
      const asked = (cost: number) => ({ gates: through(provider, "", cost) })
      const worker = bench.worker(provider)
      const spend = async (cost: number, actual: number) => {
        await bench.submit(asked(cost))
        await worker.settle(await worker.claimOne(), completed(), { spent: [{ limit: provider, actual }] })
      }
      await spend(8, 1)
      await spend(9, 3)
      await spend(2, 5)
      equal((await bench.gate(provider)).levels[0]?.used, 9)
      await bench.submitAll([asked(1), asked(1)])
      equal((await worker.claim()).length, 1)
    }
  },

  "what was spent elsewhere is no matter of this gate": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    await bench.submitAll(costs(4))
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed(), { spent: [{ limit: "other", actual: 9 }] })
    equal((await bench.gate("vendor")).levels[0]?.used, 4)
  },

  "a settle that is repeated corrects once": async (bench) => {
    await bench.declare("vendor", rolling(10, 10_000))
    await bench.submitAll(costs(6, 3))
    const worker = bench.worker()
    const [held] = await worker.claim()
    ok(held)
    for (let i = 0; i < 3; i++) await worker.settle(held, completed(), { spent: [{ limit: "vendor", actual: 5 }] })
    equal((await bench.gate("vendor")).levels[0]?.used, 8)
  },

  "a crash, a release and a retry keep the charge, and the next run is charged again": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const worker = bench.worker()
    for (const outcome of [released(), retried(), null]) {
      const task = await bench.submitAll(costs(1))
      const { claimed, nowMs } = await worker.exchange({ leaseMs: 4_000, claim: worker.nextClaim() })
      const held = claimed[0]
      ok(held)
      await bench.world.advance(4_000)
      if (outcome) await worker.settle(held, outcome)
      else equal((await bench.sweep()).rescued, 1)
      const { claimed: tooEarly, nextAtMs } = await worker.look()
      deepEqual([tooEarly, nextAtMs], [[], outcome ? nowMs + 10_000 : nextAtMs])
      await bench.world.advance(5_999)
      deepEqual(await worker.claim(), [], `expected the charge to stay after ${outcome?.kind ?? "a crash"}`)
      await bench.world.advance(1)
      const again = await worker.claim()
      sameTasks(again, task)
      for (const one of again) await worker.settle(one, completed())
      await bench.world.advance(9_999)
      equal((await bench.gate("vendor")).levels[0]?.used, 1)
      await bench.world.advance(leaseMs)
    }
  },

  "a cost above the limit is refused at submission, and nothing of the batch is stored": async (bench) => {
    await bench.declare("rate", rates(rate(10, 1_000), rate(50, 60_000)))
    await bench.declare("bucket", rates(rate(10, 1_000, { provider: "bucket", burst: 4 })))
    await bench.declare("slots", slots(3))
    for (const [limit, largest] of [
      ["rate", 10],
      ["bucket", 4],
      ["slots", 3],
    ] as const) {
      const good = bench.newTask({ gates: through(limit, "k", largest) })
      const bad = bench.newTask({ gates: through(limit, "k", largest + 1) })
      const refusal = { kind: "cost_above_limit", index: 1, gate: `${limit}/k`, cost: largest + 1, largest }
      deepEqual(await bench.store.submit({ tasks: [good, bad] }), refusal)
      deepEqual(await bench.counts(), {})
      equal((await bench.store.submit({ tasks: [good] })).kind, "ok")
      await bench.move("cancel", good)
      await bench.sweep({ retentionMs: 0 })
    }
  },

  "a limit that nobody has declared is refused at submission, and nothing of the batch is stored": async (bench) => {
    const bad = bench.newTask({ gates: through("nobody") })
    const answer = await bench.store.submit({ tasks: [bench.newTask(), bad] })
    deepEqual(answer, { kind: "unknown_limit", index: 1, limit: "nobody" })
    deepEqual(await bench.counts(), {})
  },
})

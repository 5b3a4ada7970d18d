// A gate of which nothing matters any more is forgotten by the sweep, and is the same gate when it is needed again.

import { deepEqual, equal, ok } from "node:assert/strict"
import { type Bench, theme } from "./kit.ts"
import { completed, said, throttled } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"

const hour = 3_600_000
const count = async (bench: Bench) => (await bench.store.limits({ names: ["vendor"] })).limits[0]?.gateCount

async function sweepAll(bench: Bench): Promise<void> {
  for (let i = 0; i < 5; i++) await bench.sweep()
}

export const gatesForgottenTests = theme("gates-forgotten", {
  "a spent gate is forgotten after a while, however it counts, and behaves the same when it is back": async (bench) => {
    const worker = bench.worker()
    for (const [name, policy] of Object.entries({
      sliding: rolling(2, 10_000),
      fixed: rates(rate(2, 10_000, { provider: "fixed" })),
      bucket: rates(rate(2, 10_000, { provider: "bucket" })),
      slots: slots(2),
    })) {
      await bench.declare(name, policy)
      for (let round = 0; round < 3; round++) {
        await bench.submitMany(3, { gates: through(name, "k") })
        const claimed = await worker.claim()
        equal(claimed.length, 2, `expected two of ${name} to pass in round ${round}`)
        for (const task of claimed) await worker.settle(task, completed())
        await bench.world.advance(10_000)
        await worker.settle(await worker.claimOne(), completed())
        await bench.world.advance(hour)
        await sweepAll(bench)
        const { limits } = await bench.store.limits({ names: [name] })
        equal(limits[0]?.gateCount, 0)
        deepEqual((await bench.store.gates({ limit: name, keys: null, afterKey: null, count: 9 })).gates, [])
      }
    }
  },

  "a gate is kept while somebody waits at it": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    await bench.submitMany(2, { gates: through("vendor") })
    const worker = bench.worker()
    await worker.claimOne()
    await bench.world.advance(hour)
    await sweepAll(bench)
    equal(await count(bench), 1)
    equal((await worker.claim()).length, 1)
  },

  "a gate is kept while what it has charged counts": async (bench) => {
    await bench.declare("vendor", rolling(1, 24 * hour))
    await bench.submit({ gates: through("vendor") })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(23 * hour)
    await sweepAll(bench)
    await bench.submit({ gates: through("vendor") })
    deepEqual(await worker.claim(), [])
    await bench.world.advance(hour)
    equal((await worker.claim()).length, 1)
  },

  "a gate is kept while a slot of it is held": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(2, { gates: through("vendor") })
    const worker = bench.worker()
    const { claimed } = await worker.exchange({ leaseMs: 24 * hour, claim: worker.nextClaim() })
    equal(claimed.length, 1)
    const other = await bench.list({ statuses: ["pending"] })
    for (const task of other) await bench.move("cancel", task)
    await bench.world.advance(23 * hour)
    await sweepAll(bench)
    await bench.submit({ gates: through("vendor") })
    deepEqual(await worker.claim(), [])
  },

  "a gate is kept while it cools down": async (bench) => {
    await bench.declare("vendor", slots(1))
    const task = await bench.submit({ gates: through("vendor") })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), throttled(0, 429, { retryAfterMs: 24 * hour }))
    await bench.move("cancel", task)
    await bench.world.advance(23 * hour)
    await sweepAll(bench)
    await bench.submit({ gates: through("vendor") })
    deepEqual(await worker.claim(), [])
    await bench.world.advance(hour)
    equal((await worker.claim()).length, 1)
  },

  "what is set for a key outlives the gate": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.change("vendor", { kind: "set", override: { concurrency: 1 }, untilMs: null }, "k")
    await bench.submit({ gates: through("vendor", "k") })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(24 * hour)
    await sweepAll(bench)
    equal(await count(bench), 0)
    await bench.submitMany(3, { gates: through("vendor", "k") })
    equal((await worker.claim()).length, 1)
  },

  "gates go in bounded steps, and all that can go do": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    const keys = Array.from({ length: 700 }, (_, i) => `key-${i}`)
    const tasks = await bench.submitAll(keys.map((key) => ({ gates: through("vendor", key) })))
    await bench.store.cancel({ ids: tasks.map(({ id }) => id) })
    equal(await count(bench), 700)
    await bench.world.advance(24 * hour)
    let sweeps = 0
    for (let more = true; more; sweeps++) {
      ok(sweeps < 20, "expected the sweeps to come to an end")
      const answer = await bench.sweep()
      ok(answer.forgotten <= 500, `expected 500 records at most, got ${answer.forgotten}`)
      more = answer.more
    }
    equal(await count(bench), 0)
  },

  "gates that cannot be forgotten yet do not keep others from being forgotten": async (bench) => {
    await bench.declare("day", rolling(1, 86_400_000))
    await bench.declare("vendor", rolling(1, 1_000))
    const worker = bench.worker()
    await bench.submitAll(Array.from({ length: 600 }, (_, i) => ({ gates: through("day", `k${i}`) })))
    await bench.submit({ gates: through("vendor"), flow: "z" })
    const types = [{ type: "mail", room: 1_000 }]
    for (let i = 0; i < 8; i++) await worker.exchange({ settles: (await worker.claim({ types })).map((task) => said(task, completed())) })
    await bench.world.advance(3_600_000)
    for (let i = 0; i < 9; i++) await bench.sweep()
    equal((await bench.store.limits({ names: ["vendor"] })).limits[0]?.gateCount, 0)
  },
})

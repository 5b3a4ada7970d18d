// Heartbeats keep a lease and never shorten it; they compare the fence, and a lease that ran out stays lost.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed, rescheduled, said } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

export const leaseTests = theme("lease", {
  "a heartbeat keeps the lease from now on": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    for (let i = 0; i < 5; i++) {
      await bench.world.advance(leaseMs - 1)
      equal(await worker.heartbeat(held), "ok")
    }
    equal((await bench.get(held)).leaseExpiresAtMs, bench.world.wallMs() + leaseMs)
    equal((await bench.sweep()).rescued, 0)
    equal(await bench.status(held), "running")
  },

  "a heartbeat never shortens a lease": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    const { kept } = await worker.exchange({ heartbeats: [{ id: held.id, fence: held.fence, progress: null }], leaseMs: 1 })
    deepEqual(kept, ["ok"])
    equal((await bench.get(held)).leaseExpiresAtMs, held.leaseExpiresAtMs)
  },

  "a heartbeat is no version and no history": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(1_000)
    await worker.heartbeat(held)
    deepEqual(await bench.get(held), { ...held, leaseExpiresAtMs: bench.world.wallMs() + leaseMs })
    equal((await bench.history(held)).length, 2)
  },

  "progress is kept until the next; none leaves it as it is": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    equal(held.progress, null)
    await worker.heartbeat(held, '{"done":1}')
    equal((await bench.get(held)).progress, '{"done":1}')
    await worker.heartbeat(held, null)
    equal((await bench.get(held)).progress, '{"done":1}')
    await worker.heartbeat(held, '{"done":2}')
    await worker.settle(held, completed())
    equal((await bench.get(held)).progress, '{"done":2}')
  },

  "a new run starts without the progress of the last one": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await worker.heartbeat(held, "1")
    equal((await worker.again(held, rescheduled())).progress, null)
  },

  "a heartbeat under another fence is stale and changes nothing": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const first = await worker.claimOne()
    const second = await worker.again(first, rescheduled())
    await bench.world.advance(1_000)
    equal(await worker.heartbeat(first, '"old"'), "stale")
    equal(await worker.heartbeat({ id: second.id, fence: 3 }, '"new"'), "stale")
    equal(await worker.heartbeat({ id: "nobody", fence: 1 }), "stale")
    deepEqual(await bench.get(second), second)
  },

  "a heartbeat on a lease that ran out is stale, swept or not": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(leaseMs)
    equal(await worker.heartbeat(held), "stale")
    equal((await bench.sweep()).rescued, 1)
    equal(await worker.heartbeat(held), "stale")
  },

  "a heartbeat on a settled task is stale, also in the call that settles it": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const { id, fence } = await worker.claimOne()
    const { settled, kept } = await worker.exchange({
      settles: [said({ id, fence }, completed())],
      heartbeats: [{ id, fence, progress: null }],
    })
    deepEqual([settled, kept], [[{ kind: "ok", status: "completed" }], ["stale"]])
    equal(await worker.heartbeat({ id, fence }), "stale")
    equal((await bench.get({ id })).leaseExpiresAtMs, null)
  },

  "two heartbeats of one task in one call are as good as two calls": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const { id, fence } = await worker.claimOne()
    const heartbeats = ["1", null].map((progress) => ({ id, fence, progress }))
    deepEqual((await worker.exchange({ heartbeats })).kept, ["ok", "ok"])
    equal((await bench.get({ id })).progress, "1")
  },

  "each heartbeat of a batch is answered for itself, in order": async (bench) => {
    await bench.submitMany(2)
    const worker = bench.worker()
    const [a, b] = await worker.claim()
    if (!a || !b) throw new Error("expected two tasks")
    await worker.settle(a, completed())
    const beats = [a, b, { id: "nobody", fence: 1 }].map(({ id, fence }) => ({ id, fence, progress: null }))
    deepEqual((await worker.exchange({ heartbeats: beats })).kept, ["stale", "ok", "stale"])
  },
})

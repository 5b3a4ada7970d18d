// Calls outside the queue live by their leases: who is not heard of holds nothing and waits for nothing.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { rolling, slots, through } from "./policies.ts"
import { callLeaseMs, released } from "./test-caller.ts"

export const callsLeaseTests = theme("calls-lease", {
  "a call that is not renewed gives its slot back at the end of its lease": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [gone, here] = [bench.caller("gone"), bench.caller("here")]
    const held = await gone.acquire("vendor")
    const { acquired, nextAtMs } = await here.hold({ acquire: [here.asked("vendor")] })
    deepEqual([acquired[0]?.kind, nextAtMs], ["waiting", bench.world.wallMs() + callLeaseMs])
    await bench.world.advance(callLeaseMs - 1)
    deepEqual(await here.granted(), [])
    await here.renew({ id: "here-1" })
    await bench.world.advance(1)
    deepEqual(await here.granted(), ["here-1"])
    equal(await gone.renew(held), "stale")
    equal(await gone.release(held), "stale")
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  },

  "renewed in time it keeps its slot, for as long as it likes": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor")
    for (let round = 0; round < 5; round++) {
      await bench.world.advance(callLeaseMs - 1)
      equal(await one.renew(held), "granted")
      equal(await two.tries("vendor"), "refused")
    }
    await bench.world.advance(callLeaseMs)
    equal(await two.tries("vendor"), "granted")
    equal(await one.renew(held), "stale")
  },

  "a slot is back for tasks at the end of the lease, though nobody sweeps": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(1, { gates: through("vendor") })
    await bench.caller("gone").acquire("vendor")
    const worker = bench.worker()
    const { claimed, nextAtMs, blockedBy } = await worker.look()
    deepEqual([claimed, nextAtMs, blockedBy], [[], bench.world.wallMs() + callLeaseMs, "vendor"])
    await bench.world.advance(callLeaseMs)
    equal((await worker.claim()).length, 1)
  },

  "one that waits and is not renewed loses its place to those behind it": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, gone, two] = [bench.caller("one"), bench.caller("gone"), bench.caller("two")]
    const held = await one.acquire("vendor")
    const lost = await gone.acquire("vendor")
    const next = await two.acquire("vendor")
    await bench.world.advance(callLeaseMs - 1)
    await one.renew(held)
    equal(await two.renew(next), "waiting")
    await bench.world.advance(1)
    await one.release(held)
    deepEqual(await two.granted(), [next.id])
    equal(await gone.renew(lost), "stale")
    deepEqual(await gone.granted(), [])
  },

  "one that has lost its place stands at the end when it is asked for again": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor")
    const late = two.asked("vendor")
    await two.hold({ acquire: [late] })
    await bench.world.advance(callLeaseMs - 1)
    await one.renew(held)
    const other = await one.acquire("vendor")
    await bench.world.advance(1)
    equal((await two.hold({ acquire: [late] })).acquired[0]?.kind, "waiting")
    await one.release(held)
    deepEqual([await one.granted(), await two.granted()], [[other.id], []])
  },

  "what was granted and not heard of in time is asked for anew, and held once": async (bench) => {
    await bench.declare("vendor", slots(2))
    const caller = bench.caller()
    const asked = caller.asked("vendor")
    await caller.hold({ acquire: [asked] })
    await bench.world.advance(callLeaseMs)
    const { acquired } = await caller.hold({ acquire: [asked] })
    deepEqual(acquired, [{ kind: "granted", untilMs: bench.world.wallMs() + callLeaseMs }])
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 2 })
  },

  "a call that runs already is held from then on, even where the gate is full": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor")
    const running = two.asked("vendor")
    deepEqual((await two.hold({ adopt: [running] })).adopted, ["ok"])
    deepEqual((await bench.gate("vendor")).slots, { held: 2, of: 1 })
    const waiting = await one.acquire("vendor")
    await one.release(held)
    deepEqual(await one.granted(), [])
    await two.release(running)
    deepEqual(await one.granted(), [waiting.id])
  },

  "a call that runs in the place of another takes its slot, though others wait for it": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor")
    const given = one.asked("vendor")
    await one.hold({ acquire: [given] })
    const waiting = await two.acquire("vendor")
    const running = one.asked("vendor")
    await one.hold({ adopt: [running], release: [released(held.id), released(given.id)] })
    deepEqual(await two.granted(), [])
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
    await one.release(running)
    deepEqual(await two.granted(), [waiting.id])
  },

  "one that waited and runs already leaves the line": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor")
    const running = two.asked("vendor")
    await two.hold({ acquire: [running] })
    const behind = await one.acquire("vendor")
    await two.hold({ adopt: [running] })
    await one.release(held)
    deepEqual(await one.granted(), [])
    await two.release(running)
    deepEqual(await one.granted(), [behind.id])
  },

  "the sweep forgets calls whose owners have gone, and their gates after them": async (bench) => {
    await bench.declare("vendor", slots(1))
    const gone = bench.caller("gone")
    for (const key of ["a", "b"]) for (let n = 0; n < 2; n++) await gone.acquire("vendor", { key })
    await bench.world.advance(callLeaseMs)
    equal((await bench.sweep()).forgotten, 4)
    await bench.world.advance(61_000)
    await bench.sweep()
    deepEqual((await bench.store.gates({ limit: "vendor", keys: null, afterKey: null, count: 10 })).gates, [])
  },

  "a gate that a call waits at is not forgotten": async (bench) => {
    await bench.declare("vendor", rolling(1, 300_000))
    const caller = bench.caller()
    const first = await caller.acquire("vendor")
    const waiting = await caller.acquire("vendor")
    await caller.release(first)
    for (let round = 0; round < 12; round++) {
      await bench.world.advance(25_000)
      await bench.sweep()
      await caller.renew(waiting)
    }
    deepEqual(await caller.granted(), [waiting.id])
  },
})

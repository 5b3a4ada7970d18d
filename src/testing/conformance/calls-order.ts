// Calls outside the queue: they wait in line, nobody overtakes anybody, and who does not want to wait is told at once.

import { deepEqual, equal, ok } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { rolling, slots, through } from "./policies.ts"
import { callLeaseMs, released } from "./test-caller.ts"

export const callsOrderTests = theme("calls-order", {
  "never more at once than there are slots, calls and tasks together": async (bench) => {
    await bench.declare("vendor", slots(3))
    await bench.submitMany(1, { gates: through("vendor") })
    const worker = bench.worker()
    const [task] = await worker.claim()
    ok(task)
    const [one, two] = [bench.caller("one"), (await bench.connect()).caller("two")]
    equal((await one.acquire("vendor")).kind, "granted")
    const second = await two.acquire("vendor")
    equal(second.kind, "granted")
    deepEqual((await bench.gate("vendor")).slots, { held: 3, of: 3 })
    equal((await one.acquire("vendor")).kind, "waiting")
    await worker.settle(task, completed())
    equal((await one.granted()).length, 2)
    equal(await two.release(second), "ok")
    deepEqual((await bench.gate("vendor")).slots, { held: 2, of: 3 })
  },

  "what is released goes to the first in line, whoever has released it": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two, three] = ["one", "two", "three"].map((id) => bench.caller(id))
    ok(one && two && three)
    const held = await one.acquire("vendor")
    const [second, third, fourth] = [await two.acquire("vendor"), await three.acquire("vendor"), await two.acquire("vendor")]
    deepEqual(
      [second, third, fourth].map((call) => call.kind === "waiting" && call.ahead),
      [0, 1, 2],
    )
    await one.release(held)
    deepEqual([await two.granted(), await three.granted()], [[second.id], []])
    await two.release(second)
    deepEqual([await two.granted(), await three.granted()], [[], [third.id]])
    await three.release(third)
    deepEqual(await two.granted(), [fourth.id])
  },

  "one that is to try does not wait, and does not overtake": async (bench) => {
    await bench.declare("vendor", slots(5))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const held = await one.acquire("vendor", { cost: 4 })
    const waiting = await one.acquire("vendor", { cost: 2 })
    equal(waiting.kind, "waiting")
    equal(await two.tries("vendor"), "refused")
    await one.release(waiting)
    equal(await two.tries("vendor"), "granted")
    equal(await two.tries("vendor"), "refused")
    await one.release(held)
    equal(await two.tries("vendor", { cost: 4 }), "granted")
    deepEqual((await bench.gate("vendor")).slots, { held: 5, of: 5 })
  },

  "the cheap do not overtake the costly": async (bench) => {
    await bench.declare("vendor", slots(3))
    const caller = bench.caller()
    const held = [await caller.acquire("vendor"), await caller.acquire("vendor")]
    const costly = await caller.acquire("vendor", { cost: 3 })
    const cheap = await caller.acquire("vendor")
    deepEqual([costly.kind, cheap.kind], ["waiting", "waiting"])
    for (const call of held) await caller.release(call)
    deepEqual(await caller.granted(), [costly.id])
  },

  "a task does not overtake a call that waits, and comes when it has passed": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.submitMany(2, { gates: through("vendor") })
    const caller = bench.caller()
    const held = await caller.acquire("vendor")
    const costly = await caller.acquire("vendor", { cost: 2 })
    equal(costly.kind, "waiting")
    const worker = bench.worker()
    deepEqual(await worker.claim(), [])
    await caller.release(held)
    deepEqual(await caller.granted(), [costly.id])
    deepEqual(await worker.claim(), [])
    await caller.release(costly)
    equal((await worker.claim()).length, 2)
  },

  "a call that gives up lets the task behind it pass, and whoever sleeps hears of it": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.submitMany(1, { gates: through("vendor") })
    const caller = bench.caller()
    await caller.acquire("vendor")
    const costly = await caller.acquire("vendor", { cost: 2 })
    const worker = bench.worker()
    const look = await worker.look()
    deepEqual([look.claimed, look.nextAtMs], [[], bench.world.wallMs() + callLeaseMs])
    const heard = bench.store.wait({ workerId: worker.id }, AbortSignal.timeout(60_000))
    await bench.world.settle()
    await caller.release(costly)
    await bench.until(heard, "whoever waits to hear that the call has gone")
    equal((await worker.claim()).length, 1)
  },

  "a task behind a call whose owner has gone passes when that call's time is over": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.submitMany(1, { gates: through("vendor") })
    const [gone, here] = [bench.caller("gone"), bench.caller("here")]
    const held = await here.acquire("vendor")
    await gone.acquire("vendor", { cost: 2 })
    await bench.world.advance(1_000)
    const worker = bench.worker()
    deepEqual(await worker.claim(), [])
    await bench.world.advance(callLeaseMs - 1_001)
    equal(await here.renew(held), "granted")
    const look = await worker.look()
    deepEqual([look.claimed, look.nextAtMs, look.blockedBy], [[], bench.world.wallMs() + 1, "vendor"])
    await bench.world.advance(1)
    equal((await worker.claim()).length, 1)
  },

  "a call that is asked for again has what it has, and stands where it stood": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    const first = one.asked("vendor")
    const granted = (await one.hold({ acquire: [first] })).acquired
    const second = one.asked("vendor")
    equal((await one.hold({ acquire: [second] })).acquired[0]?.kind, "waiting")
    const third = await two.acquire("vendor")
    deepEqual((await one.hold({ acquire: [first] })).acquired, granted)
    equal((await one.hold({ acquire: [second] })).acquired[0]?.kind, "waiting")
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
    await one.release(first)
    deepEqual([await one.granted(), await two.granted()], [[second.id], []])
    await one.release(second)
    deepEqual(await two.granted(), [third.id])
  },

  "a hold that arrives late, behind a later one, takes nothing": async (bench) => {
    await bench.declare("vendor", slots(1))
    const caller = bench.caller()
    const late = caller.asked("vendor")
    await caller.hold({ number: 7 })
    for (const waitMs of [0, 60_000]) {
      const { acquired } = await caller.hold({ number: 6, acquire: [{ ...late, waitMs }], adopt: [late] })
      equal(acquired[0]?.kind, "refused")
    }
    deepEqual((await bench.gate("vendor")).slots, { held: 0, of: 1 })
    equal((await caller.hold({ number: 7, acquire: [late] })).acquired[0]?.kind, "granted")
  },

  "whoever waits is woken when his call was granted by another": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [one, two] = [bench.caller("one"), (await bench.connect()).caller("two")]
    const held = await one.acquire("vendor")
    const waiting = await two.acquire("vendor")
    const heard = bench.store.wait({ workerId: "two" }, AbortSignal.timeout(60_000))
    await bench.world.settle()
    await one.release(held)
    await bench.until(heard, "the owner of the call to be woken")
    deepEqual(await two.granted(), [waiting.id])
  },

  "the first in line is told when to come again, the others are not": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const [one, two] = [bench.caller("one"), bench.caller("two")]
    await one.acquire("vendor")
    const first = await one.hold({ acquire: [one.asked("vendor")] })
    deepEqual(first.nextAtMs, bench.world.wallMs() + 10_000)
    const second = await two.hold({ acquire: [two.asked("vendor")] })
    deepEqual(second.nextAtMs, null)
    await bench.world.advance(10_000)
    equal((await one.hold()).granted.length, 2)
    equal((await two.hold()).nextAtMs, bench.world.wallMs() + 10_000)
  },

  "all that a process says is one step: what is released can be had by what is asked for": async (bench) => {
    await bench.declare("vendor", slots(1))
    const caller = bench.caller()
    const held = await caller.acquire("vendor")
    const asked = caller.asked("vendor", { waitMs: 0 })
    const answer = await caller.hold({ release: [released(held.id)], acquire: [asked] })
    deepEqual([answer.released, answer.acquired.map(({ kind }) => kind)], [["ok"], ["granted"]])
    deepEqual(await caller.release(held), "stale")
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  },

  "an unknown limit and a cost above the limit are told": async (bench) => {
    await bench.declare("vendor", slots(2))
    const caller = bench.caller()
    deepEqual((await caller.hold({ acquire: [caller.asked("nobody")] })).acquired, [{ kind: "unknown_limit", known: ["vendor"] }])
    const tooMuch = (await caller.hold({ acquire: [caller.asked("vendor", { cost: 3, key: "k" })] })).acquired
    deepEqual(tooMuch, [{ kind: "cost_above_limit", gate: "vendor/k", cost: 3, largest: 2 }])
  },
})

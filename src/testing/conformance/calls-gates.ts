// Calls outside the queue pass the same gates as tasks: rates, cooldowns, what people set, what was spent, further requests.

import { deepEqual, equal, ok } from "node:assert/strict"
import { answer } from "./answers.ts"
import { theme } from "./kit.ts"
import { completed, throttled } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"
import { neverAbove, type Start } from "./starts.ts"

export const callsGatesTests = theme("calls-gates", {
  "a rate is kept by calls and tasks together": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    await bench.submitMany(10, { gates: through("vendor") })
    const [caller, worker] = [bench.caller(), bench.worker()]
    for (let n = 0; n < 10; n++) await caller.acquire("vendor")
    const starts: Pick<Start, "atMs">[] = []
    const seen = new Set<string>()
    for (let second = 0; second < 45; second++) {
      const { granted, nowMs } = await caller.hold({ renew: Array.from({ length: 10 }, (_, i) => ({ id: `caller-1-${i + 1}` })) })
      for (const { id } of granted) if (!seen.has(id) && seen.add(id)) starts.push({ atMs: nowMs })
      for (const task of await worker.claim()) {
        starts.push({ atMs: nowMs })
        await worker.settle(task, completed())
      }
      await bench.world.advance(1_000)
    }
    equal(starts.length, 20)
    neverAbove(starts as Start[], 5, 10_000)
  },

  "a rate charge is not given back with the slot, nor when nobody has taken it up": async (bench) => {
    await bench.declare("vendor", slots(5, rate(2, 10_000)))
    const caller = bench.caller()
    for (let n = 0; n < 2; n++) await caller.release(await caller.acquire("vendor"))
    equal(await caller.tries("vendor"), "refused")
    deepEqual((await bench.gate("vendor")).slots, { held: 0, of: 5 })
    await bench.world.advance(10_000)
    equal(await caller.tries("vendor"), "granted")
  },

  "what was really spent corrects the charge": async (bench) => {
    await bench.declare("tokens", rolling(100, 60_000))
    const caller = bench.caller()
    const first = await caller.acquire("tokens", { cost: 80 })
    equal(await caller.tries("tokens", { cost: 60 }), "refused")
    await caller.release(first, { spent: 30 })
    deepEqual((await bench.gate("tokens")).levels[0]?.used, 30)
    equal(await caller.tries("tokens", { cost: 60 }), "granted")
  },

  "a refusal that a call has heard closes the gate for calls and tasks": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(1, { gates: through("vendor") })
    const [caller, worker] = [bench.caller(), bench.worker()]
    const held = await caller.acquire("vendor")
    await bench.world.advance(100)
    await caller.release(held, { sentAgoMs: 50, heard: [answer("refused", { retryAfterMs: 7_000, sentAgoMs: 50 })] })
    equal((await bench.gate("vendor")).cooldown?.untilMs, bench.world.wallMs() + 7_000)
    const waiting = await caller.acquire("vendor")
    equal(waiting.kind === "waiting" && waiting.opensAtMs, bench.world.wallMs() + 7_000)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(7_000)
    deepEqual(await caller.granted(), [waiting.id])
    equal((await worker.claim()).length, 1)
  },

  "a refusal that a task has heard holds calls back": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(1, { gates: through("vendor") })
    const [caller, worker] = [bench.caller(), bench.worker()]
    const task = await worker.claimOne()
    await worker.settle(task, throttled(0, 429, { limit: "vendor", retryAfterMs: 5_000 }))
    equal(await caller.tries("vendor"), "refused")
    await bench.world.advance(5_500)
    equal(await caller.tries("vendor"), "granted")
  },

  "a refusal is reacted to once for each episode, whoever has heard it": async (bench) => {
    await bench.declare("vendor", slots(5))
    const caller = bench.caller()
    const held = [await caller.acquire("vendor"), await caller.acquire("vendor")]
    await bench.world.advance(100)
    for (const call of held) await caller.release(call, { heard: [answer("refused", { sentAgoMs: 50 })] })
    equal((await bench.gate("vendor")).cooldown?.count, 1)
  },

  "a further request is charged and takes no slot": async (bench) => {
    await bench.declare("vendor", slots(1, rate(2, 10_000)))
    const caller = bench.caller()
    await caller.acquire("vendor")
    equal(await caller.tries("vendor", { isFurther: true }), "granted")
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
    const { acquired } = await caller.hold({ acquire: [caller.asked("vendor", { isFurther: true })] })
    equal(acquired[0]?.kind, "waiting")
    await bench.world.advance(10_000)
    equal((await caller.granted()).length, 3)
  },

  "each key has a line of its own": async (bench) => {
    await bench.declare("vendor", slots(1))
    const caller = bench.caller()
    const [a, b] = [await caller.acquire("vendor", { key: "a" }), await caller.acquire("vendor", { key: "b" })]
    const [a2, b2] = [await caller.acquire("vendor", { key: "a" }), await caller.acquire("vendor", { key: "b" })]
    deepEqual([a.kind, b.kind, a2.kind, b2.kind], ["granted", "granted", "waiting", "waiting"])
    await caller.release(b)
    deepEqual(await caller.granted(), [a.id, b2.id].sort())
  },

  "what people set holds for calls at once, and they hear of it": async (bench) => {
    await bench.declare("vendor", slots(1))
    const caller = bench.caller()
    await caller.acquire("vendor")
    const waiting = await caller.acquire("vendor")
    await bench.change("vendor", { kind: "pause" })
    await bench.change("vendor", { kind: "set", override: { concurrency: 3 }, untilMs: null })
    deepEqual((await caller.hold()).granted.length, 1)
    equal((await caller.hold()).nextAtMs, null)
    const heard = bench.store.wait({ workerId: caller.id }, AbortSignal.timeout(60_000))
    await bench.world.settle()
    await bench.change("vendor", { kind: "resume" })
    await bench.until(heard, "whoever waits to hear that the limit was changed")
    ok((await caller.granted()).includes(waiting.id))
  },

  "an override that ends by itself is heeded at its end": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.change("vendor", { kind: "set", override: { concurrency: 1 }, untilMs: bench.world.wallMs() + 5_000 })
    const caller = bench.caller()
    await caller.acquire("vendor")
    const { nextAtMs } = await caller.hold({ acquire: [caller.asked("vendor")] })
    equal(nextAtMs, bench.world.wallMs() + 5_000)
    await bench.world.advance(5_000)
    equal((await caller.granted()).length, 2)
  },

  "a forecast reckons with the calls that wait": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const caller = bench.caller()
    for (let n = 0; n < 3; n++) await caller.acquire("vendor")
    const task = await bench.submit({ gates: through("vendor") })
    equal((await bench.forecast(task))?.atMs, bench.world.wallMs() + 30_000)
    deepEqual((await bench.gate("vendor")).waitingCalls, 2)
    equal((await bench.explain(task)).gates[0]?.aheadCost, 2)
  },

  "calls go before tasks where a rate opens for one": async (bench) => {
    await bench.declare("vendor", rates(rate(1, 10_000)))
    await bench.submitMany(2, { gates: through("vendor") })
    const [caller, worker] = [bench.caller(), bench.worker()]
    await worker.settle(await worker.claimOne(), completed())
    deepEqual(await worker.claim(), [])
    const call = await caller.acquire("vendor")
    equal(call.kind, "waiting")
    await bench.world.advance(10_000)
    deepEqual(await worker.claim(), [])
    deepEqual(await caller.granted(), [call.id])
    await bench.world.advance(10_000)
    equal((await worker.claim()).length, 1)
  },
})

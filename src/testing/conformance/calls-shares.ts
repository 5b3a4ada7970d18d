// Shares: what processes may use of a limit while the store is away. No two of them overlap, and what somebody may be using is given to
// nobody else.

import { deepEqual, equal, ok } from "node:assert/strict"
import { type Interval, partOf, wholeShare } from "../../limits/index.ts"
import { theme } from "./kit.ts"
import { rolling, slots, through } from "./policies.ts"
import { callLeaseMs, fallbackMs, shareSaid, type TestCaller } from "./test-caller.ts"

/** They tell what they have, one after the other, until nothing changes. */
async function settled(callers: readonly TestCaller[]): Promise<Interval[]> {
  const said = callers.map((): Interval => ({ from: 0, to: 0 }))
  for (let round = 0; round < 4; round++) {
    for (const [i, caller] of callers.entries()) {
      const { from, to } = await caller.share("vendor", said[i] ?? { from: 0, to: 0 })
      said[i] = { from, to }
    }
  }
  return said
}

const whole = { from: 0, to: wholeShare }

export const callsSharesTests = theme("calls-shares", {
  "one process has all of it; several have equal parts, after a few holds": async (bench) => {
    await bench.declare("vendor", slots(5))
    const alone = bench.caller("a")
    const told = await alone.share("vendor")
    deepEqual([told.from, told.to, told.whole.policy.concurrency, told.whole.closedMs], [0, wholeShare, 5, 0])
    const four = await settled(["a", "b", "c", "d"].map((id) => bench.caller(id)))
    deepEqual(
      four,
      [0, 1, 2, 3].map((i) => ({ from: (i * wholeShare) / 4, to: ((i + 1) * wholeShare) / 4 })),
    )
    deepEqual(four.map((share) => partOf(share, 5)).sort(), [1, 1, 1, 2])
  },

  "what a process says that it has is told to nobody else, though the store has told it less": async (bench) => {
    await bench.declare("vendor", slots(4))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    await a.share("vendor")
    const first = await b.share("vendor")
    equal(first.to - first.from, 0)
    // The answer is lost: it goes on saying that it has all of it.
    for (let n = 0; n < 3; n++) {
      const less = await a.share("vendor", whole)
      equal(less.to - less.from, wholeShare / 2)
      const still = await b.share("vendor")
      equal(still.to - still.from, 0)
    }
    const less = await a.share("vendor", { from: 0, to: wholeShare / 2 })
    equal(less.to, wholeShare / 2)
    deepEqual((await b.share("vendor")).from, wholeShare / 2)
  },

  "a hold that arrives late changes no share": async (bench) => {
    await bench.declare("vendor", slots(4))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    await settled([a, b])
    const late = await a.hold({ number: 1, shares: [shareSaid("vendor", { isLeaving: true })] })
    deepEqual(late.shares, [])
    deepEqual((await b.share("vendor", { from: wholeShare / 2, to: wholeShare })).from, wholeShare / 2)
  },

  "the share of a process that is not seen is given to nobody, until it is back": async (bench) => {
    await bench.declare("vendor", slots(4))
    await bench.submitMany(5, { gates: through("vendor") })
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    const [half] = await settled([a, b])
    await bench.world.advance((callLeaseMs * 2) / 3)
    const worker = bench.worker()
    await b.share("vendor", { from: wholeShare / 2, to: wholeShare })
    equal((await worker.claim()).length, 2)
    equal(await b.tries("vendor"), "refused")
    const heard = bench.store.wait({ workerId: "worker-1" }, AbortSignal.timeout(60_000))
    await bench.world.settle()
    await a.share("vendor", half ?? whole)
    await bench.until(heard, "those who wait to hear that the share is back")
    equal((await worker.claim()).length, 2)
  },

  "it is given to nobody while the process may not have the answer that it is back": async (bench) => {
    await bench.declare("vendor", slots(4))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    const [half, other] = await settled([a, b])
    for (let round = 0; round < 3; round++) {
      await bench.world.advance(10_000)
      await a.share("vendor", { ...half, isUsing: true })
      await b.share("vendor", other)
      equal(await b.tries("vendor", { cost: 3 }), "refused")
    }
    const heard = bench.store.wait({ workerId: b.id }, AbortSignal.timeout(60_000))
    await bench.world.settle()
    await a.share("vendor", half)
    await bench.until(heard, "those who wait to hear that the share is back")
    equal(await b.tries("vendor", { cost: 4 }), "granted")
  },

  "it is given to others when its time is over, and those who wait know when": async (bench) => {
    await bench.declare("vendor", slots(2))
    await bench.submitMany(2, { gates: through("vendor") })
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    const [, half] = await settled([a, b])
    const overAtMs = bench.world.wallMs() + fallbackMs
    const worker = bench.worker()
    await bench.world.advance(callLeaseMs)
    await b.share("vendor", half)
    const held = await worker.claimOne()
    while (bench.world.wallMs() < overAtMs) {
      const { claimed, nextAtMs } = await worker.look()
      deepEqual(claimed, [])
      ok(nextAtMs !== null && nextAtMs <= overAtMs)
      await bench.world.advance(10_000)
      equal(await worker.heartbeat(held), "ok")
      await b.share("vendor", half)
    }
    equal((await worker.claim()).length, 1)
  },

  "where a share is all of it, the gate is closed for others meanwhile": async (bench) => {
    await bench.declare("vendor", slots(1))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    await a.share("vendor")
    const seenAtMs = bench.world.wallMs()
    await bench.world.advance(callLeaseMs)
    equal(await b.tries("vendor"), "refused")
    const { nextAtMs } = await b.hold({ acquire: [b.asked("vendor")] })
    equal(nextAtMs, seenAtMs + fallbackMs)
    await bench.world.advance(fallbackMs - callLeaseMs - 1)
    equal(await b.tries("vendor"), "refused")
    await bench.world.advance(1)
    equal(await b.tries("vendor"), "granted")
  },

  "a process that leaves leaves its share": async (bench) => {
    await bench.declare("vendor", slots(2))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    await settled([a, b])
    await a.hold({ shares: [shareSaid("vendor", { isLeaving: true })] })
    await bench.world.advance(callLeaseMs)
    const told = await b.share("vendor", { from: wholeShare / 2, to: wholeShare })
    deepEqual([told.from, told.to], [0, wholeShare])
    equal(await b.tries("vendor", { cost: 2 }), "granted")
  },

  "what was used of a rate while the process was away is missing until the rate has forgotten it": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    const [a, b] = [bench.caller("a"), bench.caller("b")]
    const [half, other] = await settled([a, b])
    await bench.world.advance(callLeaseMs)
    await a.share("vendor", { ...half, isUsing: true })
    await a.share("vendor", half)
    await b.share("vendor", other)
    equal(await b.tries("vendor", { cost: 2 }), "granted")
    equal(await b.tries("vendor"), "refused")
    await bench.world.advance(9_999)
    equal(await b.tries("vendor"), "refused")
    await bench.world.advance(1)
    equal(await b.tries("vendor", { cost: 4 }), "granted")
  },

  "what is told of the limit is what holds, with what people have set for keys": async (bench) => {
    await bench.declare("vendor", slots(4))
    await bench.change("vendor", { kind: "set", override: { concurrency: 3 }, untilMs: null })
    await bench.change("vendor", { kind: "pause" }, "slow")
    const caller = bench.caller()
    await caller.acquire("vendor")
    const { whole: all, keys } = await caller.share("vendor")
    deepEqual([all.policy.concurrency, all.closedMs, keys.slow?.closedMs], [3, 0, null])
  },
})

// A short window that the other side tells of is kept as if it had been declared, once it is known to be one.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { emptyGate, type GateState, learn, type RatePolicy, withTaught } from "../../../src/limits/index.ts"
import { forgetLearned } from "../../../src/limits/learning/learned.ts"
import { noQuota, type QuotaState } from "../../../src/limits/learning/quota.ts"
import { counting } from "../../../src/limits/learning/quota-window.ts"
import { answer, minute, second, startUs } from "./answers.ts"
import { Scouted, scouting } from "./scouted.ts"
import { bucketSide, fixedSide, type Side, slidingSide, Told, type Writer } from "./telling.ts"

const windowIn = ({ window }: GateState) => window && { limit: window.limit, perUs: window.counted.perUs }

/** After a start of two minutes: how much of the limit passes, and how much is refused at all. */
function played(side: Side, write: Writer, perSecond: number): { told: Told; share: number } {
  const told = new Told(side, write)
  told.run(2 * minute)
  const before = told.served
  told.run(2 * minute)
  return { told, share: (told.served - before) / (120 * perSecond) }
}

describe("a gate that scouts and is told of a short window", () => {
  for (const write of ["seconds", "moments", "exact"] as const) {
    for (const [name, side] of [
      ["slides", slidingSide],
      ["is fixed", fixedSide],
    ] as const) {
      it(`counts a second that ${name}, told in ${write}, and is not refused`, () => {
        const { told, share } = played(side(30, second), write, 30)
        equal(told.refused, 0)
        equal(told.state.window?.limit, 30)
        // A fixed window is seen to the millisecond only where a request comes at its very beginning.
        const perUs = told.state.window?.counted.perUs ?? 0
        ok(perUs <= second && perUs > 0.97 * second, `${perUs} µs`)
        ok(share > 0.88, `${share}`)
      })

      it(`counts three seconds that ${name}, told in ${write}, for a limit of seven`, () => {
        const { told, share } = played(side(7, 3 * second), write, 7 / 3)
        equal(told.refused, 0)
        ok(share > 0.9, `${share}`)
      })
    }
  }

  it("takes a second off what was rounded up, and leaves what was not", () => {
    deepEqual(windowIn(played(slidingSide(30, second), "moments", 30).told.state), { limit: 30, perUs: second })
    deepEqual(windowIn(played(slidingSide(30, 2 * second), "seconds", 15).told.state), { limit: 30, perUs: 2 * second })
    deepEqual(windowIn(played(slidingSide(30, 2 * second), "moments", 15).told.state), { limit: 30, perUs: 2 * second })
  })

  for (const [limit, perSecond] of [
    [10, 5],
    [30, 30],
    [60, 20],
    [3, 2],
    [20, 5],
  ] as const) {
    for (const write of ["seconds", "exact"] as const) {
      it(`takes a bucket of ${limit} that fills by ${perSecond} a second, told in ${write}, for none`, () => {
        const { told, share } = played(bucketSide(limit, second / perSecond), write, perSecond)
        equal(told.state.window, undefined)
        ok(share > 0.97, `${share}`)
      })
    }
  }

  it("gives a window up that is told to be longer the more is used", () => {
    const told = new Told(slidingSide(30, second), "seconds")
    told.run(2 * minute)
    equal(told.state.learned?.quota?.counting, counting.window)
    told.gate.served({ quota: { limit: 30, remaining: 10, resetUs: 3 * second, windowUs: null } })
    equal(told.state.learned?.quota?.counting, counting.other)
    equal(told.state.window, undefined)
    // The half distance was for as long as it was counted.
    ok((told.state.pace?.everyUs ?? 0) >= 0.9 * (second / 30), `${told.state.pace?.everyUs} µs`)
  })

  it("keeps what was used when it is first counted: never more than the limit in any window", () => {
    const told = new Told(slidingSide(12, second), "seconds")
    told.run(3 * minute)
    equal(told.refused, 0)
    equal(told.state.window?.limit, 12)
  })

  it("follows a limit that changes", () => {
    const told = new Told(slidingSide(30, second), "seconds")
    told.run(2 * minute)
    told.gate.served({ quota: { limit: 12, remaining: 11, resetUs: second, windowUs: null } })
    deepEqual(windowIn(told.state), { limit: 12, perUs: second })
  })

  it("keeps a distance as well once it was refused twice near the end of it", () => {
    const told = new Told(slidingSide(30, second), "seconds")
    told.run(2 * minute)
    const refuse = () => {
      told.gate.refused({ quota: { limit: 30, remaining: 0, resetUs: second, windowUs: null } })
      told.gate.nowUs += 2 * second
      told.run(20 * second)
      return told.state.pace?.everyUs ?? 0
    }
    const everyUs = second / 30
    ok(refuse() < 0.6 * everyUs)
    ok(refuse() > everyUs)
  })

  it("counts nothing while it is doubted: much was left, and yet it was refused", () => {
    const told = new Told(slidingSide(30, second), "seconds")
    told.run(2 * minute)
    told.gate.refused({ quota: { limit: 30, remaining: 20, resetUs: second, windowUs: null } })
    equal(told.state.window, undefined)
  })

  it("grows by itself where the headers come but once", () => {
    const gate = new Scouted()
    gate.served({ quota: { limit: 30, remaining: 29, resetUs: second, windowUs: null } })
    for (let i = 0; i < 300; i++) gate.served()
    ok(gate.perSecond > 3, `${gate.perSecond}`)
  })

  it("grows by itself where they come now and then", () => {
    const gate = new Scouted()
    const quota = { limit: 30, remaining: 29, resetUs: second, windowUs: null }
    for (let i = 0; i < 300; i++) gate.served(i % 20 === 0 ? { quota } : {})
    ok(gate.perSecond > 3, `${gate.perSecond}`)
  })

  it("does not listen for long to what is too short to be counted", () => {
    const gate = new Scouted()
    for (let i = 0; i < 30; i++) gate.served({ quota: { limit: 100, remaining: 99, resetUs: 10_000, windowUs: null } })
    equal(gate.state.learned?.quota?.counting, counting.other)
  })

  it("says nothing where a rate is declared: that has a window of its own", () => {
    const rate: RatePolicy = { limit: 10, perUs: second, provider: "unknown", burst: 10, phaseUs: 0, guardUs: 0, slackUs: 500_000 }
    const policy = scouting({}, { rates: [rate] })
    const quota = { limit: 30, remaining: 29, resetUs: second, windowUs: second }
    const state = learn(policy, emptyGate(policy), startUs, answer("served", startUs - 100_000, { respondedAtUs: startUs, quota }))
    equal(state.window, undefined)
    ok((state.pace?.everyUs ?? 0) > 0)
  })
})

describe("a short window that was learned", () => {
  const known: QuotaState = { ...noQuota, limit: 5, windowUs: second, counting: counting.window }
  const learned = { version: 3, changedAtUs: startUs, quota: known }

  it("is counted from the moment on at which somebody brings it along", () => {
    const state = withTaught(emptyGate(scouting()), startUs, { learned, everyUs: 100_000, slots: null })
    deepEqual(windowIn(state), { limit: 5, perUs: second })
  })

  it("is forgotten with the rest, and where something else is taught", () => {
    const state = withTaught(emptyGate(scouting()), startUs, { learned, everyUs: 100_000, slots: null })
    equal(forgetLearned(state).window, undefined)
    equal(withTaught(state, startUs, { learned: { version: 0, changedAtUs: 0 }, everyUs: 1_000, slots: null }).window, undefined)
  })

  for (const wrong of [{ limit: 0 }, { windowUs: 1_000 }, { windowUs: 60 * second }, { doubtedUntilUs: startUs + 1 }])
    it(`is not counted with ${JSON.stringify(wrong)}`, () => {
      const quota = { ...known, ...wrong }
      equal(withTaught(emptyGate(scouting()), startUs, { learned: { ...learned, quota }, everyUs: null, slots: null }).window, undefined)
    })
})

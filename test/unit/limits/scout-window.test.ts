// A limit of so many a second that nobody has told: tried once the pace is known, kept where it is faster, given up where it is not.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { admit, type GateState, learn, type ScoutPolicy, settleGate, withTaught } from "../../../src/limits/index.ts"
import { type FoundState, noFound, stage } from "../../../src/limits/learning/found-window.ts"
import { forgetLearned } from "../../../src/limits/learning/learned.ts"
import { mode, noScout, type ScoutState, trusts } from "../../../src/limits/learning/scout-state.ts"
import { answer, minute, second, startUs } from "./answers.ts"
import { Scouted, scouting } from "./scouted.ts"
import { bucketSide, slidingSide, Told } from "./telling.ts"

/** At rest since the start, at a pace that has held. */
class Counting extends Scouted {
  private readonly first: GateState
  /** How long a request is under way. */
  tookUs = 20_000

  constructor(perSecond: number, own: Partial<ScoutPolicy> = {}, known: Partial<ScoutState> = {}) {
    super(scouting(own))
    const everyNs = 1_000_000_000 / perSecond
    const rested = { mode: mode.rest, trust: trusts.sure, restUs: this.own.restUs, gain: this.own.gain }
    const times = { sinceUs: startUs, sentAtUs: startUs, cycleAtUs: startUs }
    const scout = { ...noScout, ...rested, ...times, everyNs, heldNs: everyNs, spanUs: 10 * second, ...known }
    const pace = { everyUs: everyNs / 1_000, nextAtUs: startUs, busy: 1_000 }
    this.first = { ...this.state, pace, learned: { version: 1, changedAtUs: startUs, scout } }
    this.state = this.first
  }

  /** As if it had rested at its first pace, with much to send. */
  restedUntil(atUs: number): void {
    const { pace, learned } = this.first
    ok(pace && learned?.scout)
    const scout = { ...learned.scout, sinceUs: atUs - this.own.restUs, sentAtUs: atUs }
    this.nowUs = atUs
    this.state = { ...this.state, pace: { ...pace, nextAtUs: atUs }, learned: { ...learned, found: this.found, scout } }
  }

  private get own(): ScoutPolicy {
    const { adaptive } = this.policy
    ok(adaptive?.preset === "scout")
    return adaptive
  }

  get found(): FoundState {
    return this.state.learned?.found ?? noFound
  }

  get windowIn(): { limit: number; perUs: number } | undefined {
    const { window } = this.state
    return window && { limit: window.limit, perUs: window.counted.perUs }
  }

  /** One is sent as soon as it may be, and its answer is heard. */
  call(kind: "served" | "refused", lateUs = 0): void {
    this.nowUs += lateUs
    const sentAtUs = this.send()
    const respondedAtUs = sentAtUs + this.tookUs
    const took = { admittedAtUs: sentAtUs, sentAtUs, respondedAtUs, rttUs: this.tookUs }
    this.state = settleGate(this.policy, this.state, sentAtUs, { id: "t", fence: 1, reserved: 1, actual: null, ...took })
    if (kind === "refused") this.nowUs = respondedAtUs
    this.state = learn(this.policy, this.state, this.nowUs, answer(kind, sentAtUs, { respondedAtUs }))
  }

  /** All is served for so long. */
  passes(forUs: number, lateUs = 0): void {
    for (const endUs = this.nowUs + forUs; this.nowUs < endUs; ) this.call("served", lateUs)
  }

  /** All is served until it is so. */
  passesUntil(isSo: () => boolean): void {
    for (let i = 0; !isSo(); i++) {
      ok(i < 200_000, "it never came to be so")
      this.call("served")
    }
  }
}

/** It rises to that limit, and one more is refused. */
function refusedBeyond(limit: number, gate = new Counting(25)): Counting {
  gate.passesUntil(() => gate.found.limit === limit + 1)
  gate.call("refused")
  gate.call("served")
  return gate
}

function keeping(limit = 30): Counting {
  const gate = refusedBeyond(limit)
  gate.passesUntil(() => gate.found.stage === stage.kept)
  return gate
}

describe("a gate that rests at a pace of so many a second", () => {
  it("tries a window of as many, and lets its distance go down to half", () => {
    const gate = new Counting(25)
    gate.passesUntil(() => gate.found.stage !== stage.none)
    ok(gate.nowUs - startUs >= 180 * second, "after a rest")
    equal(gate.found.stage, stage.rising)
    deepEqual(gate.windowIn, { limit: 25, perUs: second })
    equal(gate.state.pace?.everyUs, 20_000)
    equal(gate.found.paceNs, 40_000_000)
  })

  for (const [what, gate] of [
    ["where it is slow", new Counting(7)],
    ["where it is very fast", new Counting(2_000, { leastUs: 1 })],
    ["where it may not be faster", new Counting(25, { leastUs: 20_000 })],
    ["where it is told not to", new Counting(25, { windowUs: 0 })],
    ["before it is sure of its pace", new Counting(25, {}, { trust: trusts.rough })],
  ] as const) {
    it(`tries none ${what}`, () => {
      for (let i = 0; i < 400 && gate.nowUs < startUs + 4 * minute; i++) {
        gate.nowUs = Math.max(gate.nowUs, startUs + 3 * minute)
        gate.call("served")
      }
      equal(gate.found.stage, stage.none)
      equal(gate.state.window, undefined)
    })
  }

  it("tries none with little to send, and none of another length than its policy has", () => {
    const idle = new Counting(25)
    idle.passes(10 * minute, 200_000)
    equal(idle.found.stage, stage.none)
    const other = new Counting(25, { windowUs: 2 * second })
    other.passesUntil(() => other.found.stage !== stage.none)
    deepEqual(other.windowIn, { limit: 50, perUs: 2 * second })
  })

  it("lets one more in every four windows, as long as they are filled", () => {
    const gate = new Counting(25)
    gate.passesUntil(() => gate.found.limit === 26)
    const atUs = gate.nowUs
    gate.passesUntil(() => gate.found.limit === 27)
    ok(Math.abs(gate.nowUs - atUs - 4 * second) < second / 2, `${gate.nowUs - atUs} µs`)
    gate.passes(minute, 200_000)
    equal(gate.found.limit, 27)
  })

  it("takes one less when one more was refused, and keeps that once it has held and was faster", () => {
    const gate = refusedBeyond(30)
    equal(gate.found.stage, stage.holding)
    deepEqual(gate.windowIn, { limit: 30, perUs: second })
    const atUs = gate.nowUs
    gate.passesUntil(() => gate.found.stage !== stage.holding)
    ok(gate.nowUs - atUs >= minute)
    equal(gate.found.stage, stage.kept)
    equal(Math.round(gate.perSecond), 30)
    gate.passes(minute)
    deepEqual(gate.windowIn, { limit: 30, perUs: second })
  })

  it("goes back to its pace where the window is no faster, and tries again a day later", () => {
    const gate = refusedBeyond(26)
    equal(gate.found.stage, stage.none)
    equal(gate.state.window, undefined)
    equal(gate.perSecond, 25)
    equal(gate.state.pace?.everyUs, 40_000)
    ok(gate.found.againAtUs - gate.nowUs > 86_000 * second)
    gate.restedUntil(gate.found.againAtUs - minute)
    gate.call("served")
    equal(gate.found.stage, stage.none)
    gate.restedUntil(gate.found.againAtUs)
    gate.call("served")
    equal(gate.found.stage, stage.rising)
  })

  it("goes back to its pace where so much of the window is lost to requests under way that it is no faster", () => {
    const gate = new Counting(25)
    gate.passesUntil(() => gate.found.passed > 0)
    gate.tookUs = 200_000
    refusedBeyond(27, gate)
    deepEqual([gate.found.stage, gate.found.limit], [stage.holding, 27])
    gate.passesUntil(() => gate.found.stage !== stage.holding)
    deepEqual([gate.found.stage, gate.windowIn, gate.perSecond], [stage.none, undefined, 25])
  })

  it("gives up after four episodes", () => {
    const gate = refusedBeyond(35)
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      seen.push([gate.found.stage, gate.found.limit])
      gate.call("refused")
      gate.call("served")
    }
    deepEqual(seen, [
      [stage.holding, 35],
      [stage.holding, 34],
      [stage.holding, 33],
    ])
    deepEqual([gate.found.stage, gate.windowIn, gate.perSecond], [stage.none, undefined, 25])
  })

  it("takes nothing refused of far more for a bucket that was full, and tries again after an hour", () => {
    const gate = new Counting(25)
    gate.passesUntil(() => gate.found.stage === stage.rising)
    gate.passesUntil(() => gate.found.stage === stage.none)
    equal(gate.perSecond, 25)
    const waitUs = gate.found.againAtUs - gate.nowUs
    ok(waitUs > 59 * minute && waitUs <= 60 * minute)
  })
})

describe("a window that was found", () => {
  it("is tried with one more after each rest, and kept as it was when that is refused", () => {
    const gate = keeping()
    const atUs = gate.nowUs
    gate.passesUntil(() => gate.found.limit === 31)
    ok(gate.nowUs - atUs >= 380 * second)
    equal(gate.found.stage, stage.more)
    gate.call("refused")
    gate.call("served")
    deepEqual([gate.found.stage, gate.windowIn], [stage.kept, { limit: 30, perUs: second }])
  })

  it("stays as it is after a stray refusal, and is one less after one soon after another", () => {
    const gate = keeping()
    gate.passes(2 * minute)
    gate.call("refused")
    gate.call("served")
    deepEqual([gate.found.stage, gate.found.limit], [stage.kept, 30])
    gate.passes(second)
    gate.call("refused")
    gate.call("served")
    deepEqual([gate.found.stage, gate.found.limit], [stage.holding, 29])
  })

  it("is given up for a search from there where far more passes", () => {
    const gate = keeping()
    gate.passesUntil(() => gate.found.stage === stage.none)
    equal(gate.scout.mode, mode.verify)
    ok(gate.perSecond > 37 * 1.25, `${gate.perSecond} a second`)
    equal(gate.state.window, undefined)
  })

  it("is given up when somebody sets another pace, and when a quota is told", () => {
    const set = keeping()
    set.state = { ...set.state, pace: { everyUs: 100_000, nextAtUs: set.nowUs, busy: 1_000 } }
    set.call("served")
    deepEqual([set.found.stage, set.state.window, set.perSecond], [stage.none, undefined, 10])
    const told = keeping()
    told.served({ quota: { limit: 6_000, remaining: 5_000, resetUs: 50 * second, windowUs: 60 * second } })
    deepEqual([told.found.stage, told.state.window], [stage.none, undefined])
  })

  it("is not looked for beside a quota, heeded or not", () => {
    const gate = keeping()
    const quota = { limit: 100_000, remaining: 90_000, resetUs: 3_000 * second, windowUs: 3_600 * second }
    gate.served({ quota })
    gate.refused({ quota })
    for (let i = 0; i < 20_000; i++) {
      gate.served({ quota })
      deepEqual([gate.found.stage, gate.state.window], [stage.none, undefined])
    }
  })

  it("is given up where the policy has another, at the pace that had held", () => {
    const { state, nowUs } = keeping()
    const gate = new Counting(25, { windowUs: 0 })
    gate.state = state
    gate.nowUs = nowUs
    gate.call("served")
    deepEqual([gate.found.stage, gate.windowIn, gate.perSecond], [stage.none, undefined, 25])
    ok(gate.found.againAtUs > gate.nowUs)
  })

  it("is not judged by a time in which there was nothing to send", () => {
    const gate = refusedBeyond(30)
    gate.passes(40 * second)
    gate.nowUs += 30 * second
    gate.passes(10 * second)
    deepEqual([gate.found.stage, gate.found.limit], [stage.holding, 30])
    gate.passes(minute)
    deepEqual([gate.found.stage, gate.found.limit], [stage.kept, 30])
  })

  it("is one less where it is refused again and again, however far apart", () => {
    const gate = keeping()
    for (let i = 0; i < 4 && gate.found.limit === 30; i++) {
      gate.passes(80 * second)
      gate.call("refused")
      gate.call("served")
    }
    equal(gate.found.limit, 29)
  })

  it("goes where what was learned goes", () => {
    const { state, nowUs } = keeping()
    ok(state.learned)
    const forgotten: GateState = forgetLearned(state)
    deepEqual([forgotten.window, forgotten.learned], [undefined, undefined])
    const taught = withTaught(forgotten, nowUs, { learned: state.learned, everyUs: state.pace?.everyUs ?? null, slots: null })
    equal(taught.window?.limit, 30)
    // What the other side counts already nobody knows: nothing is admitted before a whole window has passed.
    const { policy } = new Counting(25)
    equal(admit(policy, taught, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs }).kind, "refused")
  })
})

describe("with requests that are under way for different times", () => {
  it("finds thirty a second, and gets more of it than any pace would", () => {
    const told = new Told(slidingSide(30, second), null, new Scouted(), 150_000)
    told.run(20 * minute)
    const { found } = told.state.learned ?? {}
    deepEqual([found?.stage, found?.limit, told.state.window?.limit], [stage.kept, 30, 30])
    const [served, refused] = [told.served, told.refused]
    told.run(5 * minute)
    const share = (told.served - served) / (30 * 5 * 60)
    ok(share > 0.84, `${share}`)
    ok(told.refused - refused <= 5, `${told.refused - refused}`)
  })

  it("keeps to its pace before a bucket of as many", () => {
    const told = new Told(bucketSide(60, second / 20), null, new Scouted(), 150_000)
    told.run(20 * minute)
    equal(told.state.window, undefined)
    const [served, refused] = [told.served, told.refused]
    told.run(5 * minute)
    ok(told.served - served > 0.97 * 20 * 5 * 60)
    ok(told.refused - refused <= 5, `${told.refused - refused}`)
  })
})

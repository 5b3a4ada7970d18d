// The preset of seed 004, step by step: refusals and answers in, delay, floor, slots and streaks out.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { admit, emptyGate, type GatePolicy, type GateState, gateOpensAtUs, type Heard, learn } from "../../../src/limits/index.ts"
import { linearDefaults, noLinear, setLinear } from "../../../src/limits/learning/linear.ts"
import { seedFields } from "../../../src/limits/learning/seed-fields.ts"
import { answer, second, startUs } from "./answers.ts"

const own = linearDefaults
const policy: GatePolicy = { rates: [], concurrency: 10, adaptive: own }

/** A gate with much to send: each request goes out as soon as it may, and is answered 100 ms later. */
class Busy {
  state: GateState
  nowUs = startUs
  sentAtUs = startUs
  readonly policy: GatePolicy
  readonly delayUs: number

  constructor(given: { policy?: GatePolicy; delayUs?: number; state?: GateState } = {}) {
    this.policy = given.policy ?? policy
    this.delayUs = given.delayUs ?? own.baseDelayUs
    this.state = given.state ?? emptyGate(this.policy)
  }

  send(lateUs = 0): number {
    this.nowUs = gateOpensAtUs(this.policy, this.state, this.nowUs, 1) + lateUs
    const passage = { id: "t", fence: 1, cost: 1, untilUs: this.nowUs, delayUs: this.delayUs }
    const admission = admit(this.policy, this.state, this.nowUs, passage)
    ok(admission.kind === "admitted")
    this.state = admission.state
    this.sentAtUs = this.nowUs
    return this.nowUs
  }

  hear(kind: Heard["kind"], sentAtUs: number, given: Partial<Heard> = {}): void {
    this.state = learn(this.policy, this.state, this.nowUs, answer(kind, sentAtUs, { delayUs: this.delayUs, ...given }))
  }

  call(kind: Heard["kind"], times = 1, lateUs = 0): void {
    for (let n = 0; n < times; n++) {
      const sentAtUs = this.send(lateUs)
      this.nowUs += 100_000
      this.hear(kind, sentAtUs)
    }
  }

  get shown() {
    const {
      adaptiveDelayMs: delay,
      delayFloorMs: floor,
      errorStreak: errors,
      successStreak: successes,
    } = seedFields(this.policy, this.state, this.nowUs)
    return { delay, floor, errors, successes, slots: this.state.slots ?? this.policy.concurrency }
  }
}

type Row = readonly [does: string, times: number, delay: number, floor: number, errors: number, successes: number, slots: number]

function follow(gate: Busy, rows: readonly Row[]): void {
  for (const [i, [does, times, delay, floor, errors, successes, slots]] of rows.entries()) {
    gate.call(does === "429" ? "refused" : "served", times)
    deepEqual(gate.shown, { delay, floor, errors, successes, slots }, `row ${i}: ${times} × ${does}`)
  }
}

describe("linear", () => {
  it("grows by a step with each refusal, and probes a step down after 20 answers in a row", () => {
    follow(new Busy(), [
      // does, times, delay, floor, errors, successes, slots
      ["ok", 5, 0, 0, 0, 5, 10],
      ["429", 1, 1_500, 0, 1, 0, 10],
      ["429", 1, 2_500, 0, 2, 0, 10],
      ["429", 1, 3_500, 0, 3, 0, 10],
      ["ok", 19, 3_500, 0, 0, 19, 10],
      ["ok", 1, 2_500, 0, 0, 0, 10],
      ["ok", 19, 2_500, 0, 0, 19, 10],
      ["ok", 1, 1_500, 0, 0, 0, 10],
      ["ok", 20, 500, 0, 0, 0, 10],
      // Never below what the task asks for.
      ["ok", 40, 500, 0, 0, 40, 10],
    ])
  })

  it("goes back when a probe is refused, and keeps the delay before it as the floor", () => {
    follow(new Busy(), [
      ["429", 2, 2_500, 0, 2, 0, 10],
      ["ok", 20, 1_500, 0, 0, 0, 10],
      ["ok", 3, 1_500, 0, 0, 3, 10],
      ["429", 1, 2_500, 2_500, 1, 0, 10],
      ["ok", 60, 2_500, 2_500, 0, 60, 10],
    ])
  })

  it("takes a probe that lasted for good: a refusal after it grows from there", () => {
    follow(new Busy(), [
      ["429", 4, 4_500, 0, 4, 0, 10],
      ["ok", 20, 3_500, 0, 0, 0, 10],
      ["ok", 20, 2_500, 0, 0, 0, 10],
      // The probe to 2.5 s is refused, the one to 3.5 s had lasted.
      ["429", 1, 3_500, 3_500, 1, 0, 10],
      // Still of the same episode: a window that the probe has used up says nothing about the floor.
      ["429", 1, 4_500, 3_500, 2, 0, 10],
      ["ok", 20, 3_500, 3_500, 0, 0, 10],
      ["ok", 20, 3_500, 3_500, 0, 20, 10],
      // The floor was not safe after all: it is none any more.
      ["429", 1, 4_500, 0, 1, 0, 10],
    ])
    follow(new Busy(), [
      ["429", 1, 1_500, 0, 1, 0, 10],
      ["ok", 20, 500, 0, 0, 0, 10],
      // It cannot go lower, and has lasted all the same: what is refused later is no probe.
      ["ok", 20, 500, 0, 0, 20, 10],
      ["429", 1, 1_500, 0, 1, 0, 10],
    ])
  })

  it("takes a slot for each 5 s above the base, down to one, and gives them back", () => {
    follow(new Busy(), [
      ["429", 4, 4_500, 0, 4, 0, 10],
      ["429", 1, 5_500, 0, 5, 0, 9],
      ["429", 4, 9_500, 0, 9, 0, 9],
      ["429", 1, 10_500, 0, 10, 0, 8],
      ["ok", 20, 9_500, 0, 0, 0, 9],
      ["429", 1, 10_500, 10_500, 1, 0, 8],
      ["ok", 1, 10_500, 10_500, 0, 1, 8],
      ["429", 1, 11_500, 0, 1, 0, 8],
      ["429", 49, 60_000, 0, 50, 0, 1],
      ["429", 9, 60_000, 0, 59, 0, 1],
    ])
    const few = new Busy({ policy: { ...policy, concurrency: 2 } })
    follow(few, [
      ["429", 10, 10_500, 0, 10, 0, 1],
      ["429", 10, 20_500, 0, 20, 0, 1],
    ])
    follow(
      new Busy({ policy: { ...policy, concurrency: 2 }, state: setLinear(policy, own, emptyGate(policy), startUs, { delayMs: 5_500 }) }),
      [
        ["ok", 19, 5_500, 0, 0, 19, 1],
        ["ok", 1, 4_500, 0, 0, 0, 2],
      ],
    )
  })

  it("has no slots to take where none are bounded", () => {
    const gate = new Busy({ policy: { ...policy, concurrency: null } })
    gate.call("refused", 30)
    equal("slots" in gate.state, false)
  })

  it("starts from what the task asks for, where that is longer", () => {
    const robots = new Busy({ delayUs: 10 * second })
    follow(robots, [
      ["429", 1, 11_000, 0, 1, 0, 10],
      ["ok", 20, 10_000, 0, 0, 0, 10],
      ["ok", 20, 10_000, 0, 0, 20, 10],
    ])
    equal(robots.send() + 10 * second, robots.state.pace?.nextAtUs)
  })

  it("comes back from a minute in hours, and not in half a day", () => {
    const gate = new Busy()
    gate.call("refused", 70)
    equal(gate.shown.delay, 60_000)
    gate.call("served", 20)
    equal(gate.shown.delay, 53_000)
    const fromUs = gate.nowUs
    while (gate.shown.delay > 500) gate.call("served")
    ok(gate.nowUs - fromUs < 3 * 3_600 * second, `${(gate.nowUs - fromUs) / second} s`)
  })

  it("closes for the new delay, or for as long as the other side asks", () => {
    const gate = new Busy()
    gate.call("refused")
    equal(gate.state.closedUntilUs, gate.nowUs + 1_500_000)
    deepEqual(seedFields(gate.policy, gate.state, gate.nowUs).nextAvailableAtMs, gate.nowUs / 1_000 + 1_500)
    deepEqual(gate.state.cooldown, { count: 1, reactedAtUs: gate.nowUs })
    const sentAtUs = gate.send()
    gate.hear("refused", sentAtUs, { retryAfterUs: 90 * second })
    equal(gate.state.closedUntilUs, gate.nowUs + 90 * second)
    equal(gate.shown.delay, 2_500)
    gate.call("served")
    equal(gate.state.cooldown.count, 0)
    const { lastSuccessAtMs, nextAvailableAtMs } = seedFields(gate.policy, gate.state, gate.nowUs + 60 * second)
    equal(lastSuccessAtMs, gate.nowUs / 1_000)
    equal(nextAvailableAtMs, null)
  })

  it("reacts once to all that was under way", () => {
    const gate = new Busy()
    const sent = Array.from({ length: 8 }, () => gate.send())
    for (const sentAtUs of sent) gate.hear("refused", sentAtUs)
    deepEqual(gate.shown, { delay: 1_500, floor: 0, errors: 1, successes: 0, slots: 10 })
    const before = gate.state
    gate.hear("served", sent[7] ?? 0)
    equal(gate.state, before, "one that went out before says nothing about what was learned since")
  })

  it("lets what went out before a probe say nothing about it", () => {
    const gate = new Busy()
    gate.call("refused", 2)
    gate.call("served", 19)
    const [first, second, third] = [gate.send(), gate.send(), gate.send()]
    gate.hear("served", first)
    equal(gate.shown.delay, 1_500)
    gate.hear("served", second)
    equal(gate.shown.successes, 0)
    // At 2.5 s, which is therefore no floor: it failed.
    gate.hear("refused", third)
    deepEqual(gate.shown, { delay: 3_500, floor: 0, errors: 1, successes: 0, slots: 10 })
  })

  it("does not probe while there is little to send", () => {
    const gate = new Busy()
    gate.call("refused", 3)
    gate.call("served", 100, 30 * second)
    deepEqual(gate.shown, { delay: 3_500, floor: 0, errors: 0, successes: 100, slots: 10 })
    gate.call("served", 20)
    ok(gate.shown.delay < 3_500)
  })

  it("lets a floor sink by a step every ten minutes, so that a raised limit is found", () => {
    const gate = new Busy()
    gate.state = setLinear(policy, own, gate.state, gate.nowUs, { delayMs: 2_500, floorMs: 2_500 })
    const floors: number[] = []
    for (let n = 0; n < 4; n++) {
      gate.call("served")
      floors.push(gate.shown.floor)
      gate.nowUs += 600 * second
    }
    deepEqual(floors, [2_500, 1_500, 500, 0])
    const idle = setLinear(policy, own, gate.state, gate.nowUs, { floorMs: 60_000 })
    gate.state = idle
    gate.nowUs += 86_400 * second
    gate.call("served")
    equal(gate.shown.floor, 0)
  })

  it("is set by hand, within its bounds, and ends a probe", () => {
    const gate = new Busy()
    gate.call("refused", 2)
    gate.call("served", 20)
    gate.state = setLinear(policy, own, gate.state, gate.nowUs, { delayMs: 12_000 })
    deepEqual(gate.shown, { delay: 12_000, floor: 0, errors: 0, successes: 0, slots: 8 })
    equal(gate.state.pace?.everyUs, 12 * second)
    gate.state = setLinear(policy, own, gate.state, gate.nowUs, { delayMs: 90_000, floorMs: -5 })
    deepEqual(gate.shown, { delay: 60_000, floor: 0, errors: 0, successes: 0, slots: 1 })
    gate.state = setLinear(policy, own, gate.state, gate.nowUs, { delayMs: 2_000, floorMs: 1_000 })
    gate.call("refused")
    deepEqual(gate.shown, { delay: 3_000, floor: 1_000, errors: 1, successes: 0, slots: 10 })
  })

  it("keeps to a bound that was lowered since", () => {
    const gate = new Busy({ state: setLinear(policy, own, emptyGate(policy), startUs, { delayMs: 50_000, floorMs: 40_000 }) })
    const lowered = { ...own, mostUs: 10 * second }
    const state = learn({ ...policy, adaptive: lowered }, gate.state, startUs, answer("served", startUs))
    deepEqual([state.learned?.linear?.delayMs, state.learned?.linear?.floorMs, state.pace?.everyUs], [10_000, 10_000, 10 * second])
  })

  it("tells the six fields of a gate that has learned nothing", () => {
    const nothing = {
      errorStreak: 0,
      successStreak: 0,
      adaptiveDelayMs: 0,
      delayFloorMs: 0,
      nextAvailableAtMs: null,
      lastSuccessAtMs: null,
    }
    deepEqual(seedFields(policy, emptyGate(policy), startUs), nothing)
    deepEqual(learn(policy, emptyGate(policy), startUs, answer("told", startUs)), emptyGate(policy))
    ok(Object.values(noLinear).every((value) => value === null || value === 0))
  })
})

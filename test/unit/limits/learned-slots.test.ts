// Slots that are learned: as many as the pace keeps busy, fewer after a refusal for too many at once.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { admit, emptyGate, type GatePolicy, type GateState, type Heard, learn, releaseHolder, slotsOf } from "../../../src/limits/index.ts"
import { answer, second, startUs } from "./answers.ts"
import { scouting } from "./scouted.ts"

const policy = scouting({}, { concurrency: 20 })
const plain: GatePolicy = { rates: [], concurrency: 20 }

/** A gate at this distance whose answers take so long. */
function paced(everyUs: number, tookUs: number, given: GatePolicy = policy): GateState {
  let state: GateState = { ...emptyGate(given), pace: { everyUs, nextAtUs: startUs, busy: 0 } }
  for (let i = 0; i < 200; i++)
    state = learn(given, state, startUs + tookUs, answer("served", startUs, { respondedAtUs: startUs + tookUs }))
  return state
}

function hear(given: GatePolicy, state: GateState, kind: Heard["kind"], sentAtUs: number): GateState {
  const reason = kind === "refused" ? "concurrency" : "rate"
  return learn(given, state, sentAtUs + 300_000, answer(kind, sentAtUs, { respondedAtUs: sentAtUs + 300_000, reason }))
}

/** All slots in use. */
function full(given: GatePolicy, state: GateState, atUs: number): GateState {
  let after = { ...state, closedUntilUs: 0 }
  for (let i = 0; ; i++) {
    const admission = admit(given, after, atUs, { id: `t${i}`, fence: 1, cost: 1, untilUs: atUs + 3_600 * second })
    if (admission.kind === "refused") return after
    after = admission.state
  }
}

describe("the slots of a gate that scouts", () => {
  it("are those that its pace keeps busy, and a few to spare", () => {
    equal(slotsOf(policy, paced(second, 300_000)), 2)
    const ten = slotsOf(policy, paced(100_000, 700_000)) ?? 0
    ok(ten >= 10 && ten <= 12, `${ten} slots`)
  })

  it("are never more than declared, and at least one", () => {
    const state = paced(1_000, 2 * second)
    equal(slotsOf(policy, state), 20)
    equal(state.slots, undefined)
    equal(slotsOf(policy, paced(3_600 * second, 0)), 1)
  })

  it("are as declared while nothing is known", () => {
    equal(emptyGate(policy).slots, undefined)
    equal(learn(policy, emptyGate(policy), startUs, answer("told", startUs)).slots, undefined)
  })
})

describe("slots after a refusal for too many at once", () => {
  it("are seven tenths, once for an episode", () => {
    let state = hear(plain, emptyGate(plain), "refused", startUs)
    equal(slotsOf(plain, state), 14)
    state = hear(plain, state, "refused", startUs + 1)
    equal(slotsOf(plain, state), 14)
    state = hear(plain, state, "refused", startUs + second)
    equal(slotsOf(plain, state), 9)
  })

  it("stay at least one", () => {
    let state = emptyGate(plain)
    for (let i = 0; i < 30; i++) state = hear(plain, state, "refused", startUs + i * second)
    equal(slotsOf(plain, state), 1)
  })

  it("come back one by one, while all of them are in use", () => {
    let state = hear(plain, emptyGate(plain), "refused", startUs)
    const laterUs = startUs + 10 * second
    state = full(plain, state, laterUs)
    state = releaseHolder(state, "t0", 1, laterUs, laterUs)
    for (let i = 0; i < 13; i++) state = hear(plain, state, "served", laterUs)
    equal(slotsOf(plain, state), 14)
    state = hear(plain, state, "served", laterUs)
    equal(slotsOf(plain, state), 15)
  })

  it("do not come back while some are free", () => {
    let state = hear(plain, emptyGate(plain), "refused", startUs)
    for (let i = 0; i < 100; i++) state = hear(plain, state, "served", startUs + second)
    equal(slotsOf(plain, state), 14)
  })

  it("are what was declared again in the end", () => {
    let state = hear(plain, emptyGate(plain), "refused", startUs)
    const laterUs = startUs + 10 * second
    for (let i = 0; i < 200; i++) {
      state = full(plain, state, laterUs)
      state = hear(plain, releaseHolder(state, "t0", 1, laterUs, laterUs), "served", laterUs)
    }
    equal(slotsOf(plain, state), 20)
    equal(state.slots, undefined)
  })
})

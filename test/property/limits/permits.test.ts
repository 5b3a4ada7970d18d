// Further requests of somebody who has passed already are charged for when they go out, mixed with those who pass now.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  admit,
  emptyGate,
  type GatePolicy,
  type GateState,
  largestCost,
  neverUs,
  type RatePolicy,
  reserveAll,
} from "../../../src/limits/index.ts"
import { only, ratePolicy, runs, startUs } from "./policies.ts"
import { type Admitted, isWithin } from "./within.ts"

const step = fc.record({
  wait: fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, fc.nat(50), fc.nat(1_200)),
  size: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(1_000)),
  isPermit: fc.boolean(),
})
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: "max" })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function play(policy: GatePolicy, trace: readonly Step[], perUs: number): Admitted[] {
  let [state, nowUs]: [GateState, number] = [emptyGate(policy), startUs]
  const admitted: Admitted[] = []
  for (const [i, { wait, size, isPermit }] of trace.entries()) {
    nowUs += Math.floor((perUs * wait) / 1_000)
    const cost = 1 + Math.floor(((largestCost(policy) - 1) * size) / 1_000)
    const given = isPermit ? reserve(policy, state, nowUs, cost) : pass(policy, state, nowUs, cost, `t${i}`)
    // Two fixed windows may leave no moment that is far enough from the ends of both.
    if (!given || given.atUs === neverUs) continue
    assert.ok(given.atUs >= nowUs)
    state = given.state
    admitted.push({ atUs: given.atUs, cost })
  }
  return admitted
}

function reserve(policy: GatePolicy, state: GateState, nowUs: number, cost: number): { atUs: number; state: GateState } {
  const { atUs, states } = reserveAll([{ policy, state, cost, delayUs: 0 }], nowUs)
  return { atUs, state: states[0] as GateState }
}

/** All of them through both gates, each on its own clock of what was admitted. */
function playBoth(policies: readonly GatePolicy[], trace: readonly Step[], perUs: number): Admitted[] {
  let [states, nowUs] = [policies.map(emptyGate), startUs]
  const admitted: Admitted[] = []
  for (const { wait, size } of trace) {
    nowUs += Math.floor((perUs * wait) / 1_000)
    const cost = 1 + Math.floor(((Math.min(...policies.map(largestCost)) - 1) * size) / 1_000)
    const given = reserveAll(
      policies.map((policy, i) => ({ policy, state: states[i] as GateState, cost, delayUs: 0 })),
      nowUs,
    )
    if (given.atUs === neverUs) continue
    states = [...given.states]
    admitted.push({ atUs: given.atUs, cost })
  }
  return admitted
}

function pass(policy: GatePolicy, state: GateState, nowUs: number, cost: number, id: string) {
  const admission = admit(policy, state, nowUs, { id, fence: 1, cost, untilUs: nowUs + 1 })
  return admission.kind === "admitted" ? { atUs: nowUs, state: admission.state } : null
}

describe("a permit", () => {
  for (const provider of ["sliding", "unknown", "fixed", "bucket"] as const) {
    it(`keeps to a rate that is ${provider}, with others passing meanwhile`, () => {
      fc.assert(
        fc.property(ratePolicy(provider), steps, (rate, trace) => {
          assert.ok(isWithin(rate, play(only(rate), trace, rate.perUs)))
        }),
        { numRuns: runs(10_000) },
      )
    })
  }

  it("keeps to all rates of a gate", () => {
    const any = fc.constantFrom("sliding" as const, "fixed" as const, "bucket" as const).chain(ratePolicy)
    fc.assert(
      fc.property(any, any, steps, (first: RatePolicy, second: RatePolicy, trace) => {
        const admitted = play({ rates: [first, second], concurrency: null }, trace, Math.min(first.perUs, second.perUs))
        for (const rate of [first, second]) assert.ok(isWithin(rate, admitted), rate.provider)
      }),
      { numRuns: runs(10_000) },
    )
  })

  it("goes out at one moment that all of its gates have reckoned with", () => {
    const any = fc.constantFrom("sliding" as const, "fixed" as const, "bucket" as const).chain(ratePolicy)
    fc.assert(
      fc.property(any, any, steps, (first: RatePolicy, second: RatePolicy, trace) => {
        const admitted = playBoth([only(first), only(second)], trace, Math.min(first.perUs, second.perUs))
        for (const rate of [first, second]) assert.ok(isWithin(rate, admitted), rate.provider)
      }),
      { numRuns: runs(10_000) },
    )
  })

  it("is never given for what can never pass", () => {
    fc.assert(
      fc.property(ratePolicy("sliding"), (rate) => {
        assert.equal(reserve(only(rate), emptyGate(only(rate)), startUs, rate.limit + 1).atUs, neverUs)
      }),
      { numRuns: runs(1_000) },
    )
  })
})

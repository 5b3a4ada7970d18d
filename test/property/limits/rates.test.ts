// The laws of rates, over random traces: never more than the limit, whatever is spent, answered or crashed;
// and a refusal tells the truth about when it ends.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GatePolicy, type GateState, largestCost, type Provider, settleGate } from "../../../src/limits/index.ts"
import { only, ratePolicy, runs, type Step, startUs, steps } from "./policies.ts"
import { type Admitted, isWithin } from "./within.ts"

/** Plays the trace: attempts in the order of time, with the answers that have come by then settled first, each once. */
function play(policy: GatePolicy, trace: readonly Step[], perUs: number): Admitted[] {
  let [state, nowUs]: [GateState, number] = [emptyGate(policy), startUs]
  const admitted: Admitted[] = []
  const answers: { id: string; sentAtUs: number; cost: number; atUs: number }[] = []
  const largest = largestCost(policy)
  for (const [i, step] of trace.entries()) {
    nowUs += Math.floor((perUs * step.wait) / 1_000)
    for (const answer of answers.splice(0)) {
      if (answer.atUs > nowUs) {
        answers.push(answer)
        continue
      }
      state = settleGate(policy, state, nowUs, {
        id: answer.id,
        fence: 1,
        admittedAtUs: answer.sentAtUs,
        reserved: answer.cost,
        actual: null,
        sentAtUs: answer.sentAtUs,
        respondedAtUs: answer.atUs,
        rttUs: answer.atUs - answer.sentAtUs,
      })
    }
    const cost = 1 + Math.floor(((largest - 1) * step.size) / 1_000)
    const passage = { id: `t${i}`, fence: 1, cost, untilUs: nowUs + Math.ceil((perUs * step.lease) / 1_000) }
    const admission = admit(policy, state, nowUs, passage)
    if (admission.kind === "refused") {
      assert.ok(admission.atUs > nowUs)
      assert.equal(admit(policy, state, admission.atUs, passage).kind, "admitted", "it opens when it said")
      assert.equal(admit(policy, state, admission.atUs - 1, passage).kind, "refused", "and not before")
      continue
    }
    state = admission.state
    admitted.push({ atUs: nowUs, cost })
    if (step.answer !== null)
      answers.push({ id: passage.id, sentAtUs: nowUs, cost, atUs: nowUs + Math.floor((perUs * step.answer) / 1_000) })
  }
  return admitted
}

describe("a rate", () => {
  const laws = {
    sliding: "at most its limit in every interval of its window",
    unknown: "at most its limit in every interval of its window",
    fixed: "at most its limit in every aligned window, and nothing near its ends",
    bucket: "at most its burst and what has flowed in since",
  } as const
  for (const [provider, law] of Object.entries(laws)) {
    it(`that is ${provider} admits ${law}`, () => {
      fc.assert(
        fc.property(ratePolicy(provider as Provider), steps, (rate, trace) => {
          assert.ok(isWithin(rate, play(only(rate), trace, rate.perUs)))
        }),
        { numRuns: runs(10_000) },
      )
    })
  }
})

describe("several rates on one gate", () => {
  it("all hold at once", () => {
    fc.assert(
      fc.property(ratePolicy("sliding"), ratePolicy("sliding"), steps, (first, second, trace) => {
        const admitted = play({ rates: [first, second], concurrency: null }, trace, Math.min(first.perUs, second.perUs))
        for (const rate of [first, second]) assert.ok(isWithin(rate, admitted))
      }),
      { numRuns: runs(10_000) },
    )
  })
})

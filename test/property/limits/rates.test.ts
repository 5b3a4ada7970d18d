// The laws of rates, over random traces: never more than the limit, whatever is spent, answered or crashed;
// and a refusal tells the truth about when it ends.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GatePolicy, type GateState, largestCost, type Provider, settleGate } from "../../../src/limits/index.ts"
import { only, ratePolicy, runs, type Step, startUs, steps } from "./policies.ts"

interface Admitted {
  readonly atUs: number
  readonly cost: number
}

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

/** The most that lies in any interval of the length, its end included and its beginning not. */
function mostIn(admitted: readonly Admitted[], lengthUs: number): number {
  let [first, sum, most] = [0, 0, 0]
  for (const { atUs, cost } of admitted) {
    sum += cost
    while (atUs - (admitted[first]?.atUs ?? atUs) >= lengthUs) sum -= admitted[first++]?.cost ?? 0
    most = Math.max(most, sum)
  }
  return most
}

function check(provider: Provider, law: (rate: Parameters<typeof only>[0], admitted: readonly Admitted[]) => void): void {
  fc.assert(
    fc.property(ratePolicy(provider), steps, (rate, trace) => law(rate, play(only(rate), trace, rate.perUs))),
    { numRuns: runs(2_500) },
  )
}

describe("a rate", () => {
  for (const provider of ["sliding", "unknown"] as const) {
    it(`that is ${provider} admits at most its limit in every interval of its window`, () => {
      check(provider, (rate, admitted) => assert.ok(mostIn(admitted, rate.perUs) <= rate.limit))
    })
  }

  it("that is fixed admits at most its limit in every aligned window, and nothing near its ends", () => {
    check("fixed", (rate, admitted) => {
      const byWindow = new Map<number, number>()
      for (const { atUs, cost } of admitted) {
        const window = Math.floor((atUs - rate.phaseUs) / rate.perUs)
        const intoUs = atUs - (window * rate.perUs + rate.phaseUs)
        assert.ok(intoUs >= rate.guardUs && intoUs <= rate.perUs - rate.guardUs)
        byWindow.set(window, (byWindow.get(window) ?? 0) + cost)
      }
      for (const used of byWindow.values()) assert.ok(used <= rate.limit)
    })
  })

  it("that is a bucket admits at most its burst and what has flowed in since", () => {
    check("bucket", (rate, admitted) => {
      for (const [i, from] of admitted.entries()) {
        let sum = 0
        for (const { atUs, cost } of admitted.slice(i)) {
          sum += cost
          // sum ≤ burst + limit · elapsed / per, without a fraction
          const allowed = BigInt(rate.burst) * BigInt(rate.perUs) + BigInt(rate.limit) * BigInt(atUs - from.atUs)
          assert.ok(BigInt(sum) * BigInt(rate.perUs) <= allowed)
        }
      }
    })
  })
})

describe("several rates on one gate", () => {
  it("all hold at once", () => {
    fc.assert(
      fc.property(ratePolicy("sliding"), ratePolicy("sliding"), steps, (first, second, trace) => {
        const admitted = play({ rates: [first, second], concurrency: null }, trace, Math.min(first.perUs, second.perUs))
        for (const rate of [first, second]) assert.ok(mostIn(admitted, rate.perUs) <= rate.limit)
      }),
      { numRuns: runs(1_000) },
    )
  })
})

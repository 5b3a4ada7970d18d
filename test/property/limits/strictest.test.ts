// Where live code disagrees on a limit the stricter holds: what it lets through, each of the policies would have let through.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GatePolicy, largestCost, strictest } from "../../../src/limits/index.ts"
import { ratePolicy, runs, startUs } from "./policies.ts"

const provider = fc.constantFrom("sliding" as const, "unknown" as const, "fixed" as const, "bucket" as const)
/** A few windows only, so that policies often speak of the same rate. */
const rate = provider.chain(ratePolicy).map((drawn) => {
  const perUs = drawn.perUs > 1_000_000 ? 10_000_000 : 1_000_000
  const cut = (us: number) => Math.floor((us * perUs) / drawn.perUs / 10) * 10
  return {
    ...drawn,
    perUs,
    limit: Math.min(drawn.limit, 12),
    burst: Math.min(drawn.burst, 12),
    phaseUs: cut(drawn.phaseUs) > perUs / 2 ? 100 : 0,
    guardUs: cut(drawn.guardUs),
    slackUs: cut(drawn.slackUs),
  }
})
const concurrency = fc.option(fc.integer({ min: 1, max: 6 }))
/** Where there are no rates, a cost means slots: such a policy cannot be held together with one that has rates, save for a cost of one. */
const policies: fc.Arbitrary<GatePolicy[]> = fc.oneof(
  fc.array(fc.record({ rates: fc.array(rate, { minLength: 1, maxLength: 2 }), concurrency }), { minLength: 1, maxLength: 3 }),
  fc.array(fc.record({ rates: fc.constant([]), concurrency }), { minLength: 1, maxLength: 3 }),
)
const steps = fc.array(
  fc.record({
    waitUs: fc.oneof(fc.constant(0), fc.nat(300_000), fc.nat(6_000_000)),
    size: fc.nat(1_000),
    leaseUs: fc.integer({ min: 1, max: 3_000_000 }),
  }),
  { minLength: 1, maxLength: 40, size: "max" },
)

describe("the strictest of several policies", () => {
  it("lets nothing through that one of them refuses", () => {
    fc.assert(
      fc.property(policies, steps, (policies, trace) => {
        const strict = strictest(policies)
        let [state, nowUs] = [emptyGate(strict), startUs]
        let own = policies.map(emptyGate)
        const largest = Math.min(6, largestCost(strict))
        for (const [i, { waitUs, size, leaseUs }] of trace.entries()) {
          nowUs += waitUs
          const cost = 1 + Math.floor(((largest - 1) * size) / 1_000)
          const passage = { id: `t${i}`, fence: 1, cost, untilUs: nowUs + leaseUs }
          const admission = admit(strict, state, nowUs, passage)
          if (admission.kind === "refused") continue
          state = admission.state
          own = policies.map((policy, n) => {
            const alone = admit(policy, own[n] ?? emptyGate(policy), nowUs, passage)
            assert.equal(alone.kind, "admitted", `policy ${n} refuses ${cost}`)
            return alone.kind === "admitted" ? alone.state : emptyGate(policy)
          })
        }
      }),
      { numRuns: runs(10_000) },
    )
  })
})

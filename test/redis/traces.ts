// Random traces of a gate: any policy, and whatever can happen to it, in any order.

import fc from "fast-check"
import { type GatePolicy, linearDefaults, type Provider, scoutDefaults } from "../../src/limits/index.ts"
import { ratePolicy, startUs } from "../property/limits/policies.ts"
import type { Trace, TraceStep } from "./player.ts"

const providers: readonly Provider[] = ["sliding", "fixed", "bucket", "unknown"]

const policy: fc.Arbitrary<GatePolicy> = fc
  .record({
    rates: fc.array(fc.constantFrom(...providers).chain(ratePolicy), { maxLength: 2 }),
    concurrency: fc.option(fc.integer({ min: 1, max: 6 })),
    adaptive: fc.constantFrom(undefined, scoutDefaults, linearDefaults),
  })
  .map(({ adaptive, ...others }) => (adaptive ? { ...others, adaptive } : others))

/** Whole microseconds, as everywhere; fractions come from what is computed. */
const us = fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(2_000_000), fc.nat(90_000_000))
const who = fc.record({ id: fc.constantFrom("a", "b", "c", "d"), fence: fc.integer({ min: 1, max: 3 }) })
const random = fc.nat(999).map((n) => n / 1_000)

const quota = fc.option(
  fc.record({
    limit: fc.option(fc.integer({ min: 0, max: 500 })),
    remaining: fc.option(fc.integer({ min: 0, max: 500 })),
    resetUs: fc.option(us),
    windowUs: fc.option(us),
  }),
)

const drawn = fc.record({
  kind: fc.constantFrom<TraceStep["kind"]>(
    ...([
      "admit",
      "admit",
      "admit",
      "settle",
      "settle",
      "release",
      "renew",
      "permit",
      "cooldown",
      "relax",
      "end",
      "hear",
      "hear",
      "hear",
    ] as const),
    "forecast",
  ),
  waitUs: us,
  agoUs: us,
  leaseUs: us,
  who,
  cost: fc.integer({ min: 1, max: 4 }),
  actual: fc.option(fc.integer({ min: 0, max: 6 })),
  delayUs: fc.constantFrom(0, 0, 250_000),
  retryAfterUs: fc.option(us),
  heard: fc.record({ kind: fc.constantFrom("served", "served", "refused", "told"), reason: fc.constantFrom("rate", "concurrency") }),
  ahead: fc.record({ tasks: fc.nat(50), cost: fc.nat(200) }),
  quota,
  random,
})
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never

export const trace: fc.Arbitrary<Trace> = fc
  .record({ policy, steps: fc.array(drawn, { minLength: 1, maxLength: 40, size: "max" }) })
  .map(({ policy: made, steps }) => {
    let atUs = startUs
    return {
      policy: made,
      steps: steps.map((step) => {
        atUs += step.waitUs
        return stepOf(step, atUs)
      }),
    }
  })

function stepOf({ kind, who: { id, fence }, cost, delayUs, agoUs, leaseUs, retryAfterUs, ...others }: Drawn, atUs: number): TraceStep {
  const sentAtUs = atUs - agoUs
  const passage = { id, fence, cost, untilUs: atUs + leaseUs, ...(delayUs > 0 ? { delayUs } : {}) }
  switch (kind) {
    case "admit":
    case "renew":
      return { atUs, kind, passage }
    case "settle": {
      const times = { admittedAtUs: sentAtUs, sentAtUs, respondedAtUs: atUs, rttUs: agoUs }
      return { atUs, kind, settlement: { id, fence, reserved: cost, actual: others.actual, ...times } }
    }
    case "release":
      return { atUs, kind, id, fence, admittedAtUs: sentAtUs }
    case "permit":
      return { atUs, kind, cost, delayUs }
    case "cooldown":
      return { atUs, kind, sentAtUs, retryAfterUs, random: others.random }
    case "relax":
      return { atUs, kind, sentAtUs }
    case "end":
      return { atUs, kind }
    case "hear": {
      const heard = {
        ...others.heard,
        sentAtUs,
        respondedAtUs: atUs,
        cost,
        delayUs,
        retryAfterUs,
        quota: others.quota,
        random: others.random,
      }
      return { atUs, kind, heard: heard as Extract<TraceStep, { kind: "hear" }>["heard"] }
    }
    case "forecast":
      return { atUs, kind, ahead: others.ahead, cost }
  }
}

// Random policies and traces for the laws of the algebra. Limits from 1 per hour to 100,000 per minute, costs up to the limit.

import fc from "fast-check"
import type { GatePolicy, Provider, RatePolicy } from "../../../src/limits/index.ts"

export const startUs = 1_769_601_600_000_000

const second = 1_000_000

/** Small limits and windows are likelier: they are full more often. */
const limit = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 4 },
  { arbitrary: fc.integer({ min: 13, max: 1_000 }), weight: 2 },
  { arbitrary: fc.integer({ min: 1_001, max: 100_000 }), weight: 1 },
)
const perUs = fc.constantFrom(1_000, 7_000, 333_333, second, 10 * second, 60 * second, 3_600 * second)

export function ratePolicy(provider: Provider): fc.Arbitrary<RatePolicy> {
  return fc.record({ limit, perUs, burst: limit, phase: fc.nat(1_000), guard: fc.nat(40), slack: fc.nat(100) }).map((drawn) => ({
    provider,
    limit: Math.min(drawn.limit, provider === "bucket" ? drawn.perUs : drawn.limit),
    perUs: drawn.perUs,
    burst: drawn.burst,
    phaseUs: Math.floor((drawn.perUs * drawn.phase) / 1_000),
    guardUs: Math.floor((drawn.perUs * drawn.guard) / 100),
    slackUs: Math.floor((drawn.perUs * drawn.slack) / 100),
  }))
}

export interface Step {
  /** Thousandths of the window until the next attempt; 0 for a burst. */
  readonly wait: number
  /** Thousandths of the largest cost. */
  readonly size: number
  /** Thousandths of the window until the response, or null for a crash. */
  readonly answer: number | null
  readonly lease: number
}

export const steps = fc.array(
  fc.record({
    wait: fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, fc.nat(50), fc.nat(1_200)),
    size: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(1_000)),
    answer: fc.oneof({ arbitrary: fc.nat(1_500), weight: 4 }, fc.constant(null)),
    lease: fc.integer({ min: 1, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 60, size: "max" },
)

export function only(rate: RatePolicy): GatePolicy {
  return { rates: [rate], concurrency: null }
}

export { runs } from "../runs.ts"

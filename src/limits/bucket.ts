// A rate that refills steadily up to a burst. What is owed is kept in units of cost × window, which refill by the limit each
// microsecond: whole numbers throughout, so nothing is lost or gained by rounding. It holds for buckets of
// at most one unit a microsecond; whoever defines a limit has to refuse a faster one.

import type { RatePolicy } from "./policy.ts"

export interface BucketState {
  readonly kind: "bucket"
  /** What had to flow in again at that time. */
  readonly owed: number
  readonly atUs: number
}

export const emptyBucket: BucketState = { kind: "bucket", owed: 0, atUs: 0 }

function owedAt({ limit }: RatePolicy, state: BucketState, nowUs: number): number {
  const elapsedUs = Math.max(0, nowUs - state.atUs)
  // Compared by division first: the product of a long time and a large limit would not be exact.
  return elapsedUs >= Math.ceil(state.owed / limit) ? 0 : state.owed - elapsedUs * limit
}

/** A refund ends at a full bucket. */
export function chargeBucket(policy: RatePolicy, state: BucketState, nowUs: number, cost: number): BucketState {
  return { kind: "bucket", owed: Math.max(0, owedAt(policy, state, nowUs) + cost * policy.perUs), atUs: nowUs }
}

export function forecastBucket(policy: RatePolicy, state: BucketState, nowUs: number, ahead: number, cost: number): number {
  const { limit, perUs, burst } = policy
  const owed = owedAt(policy, state, nowUs)
  const waitUs = (wanted: number) => Math.max(0, Math.ceil((owed + (wanted - burst) * perUs) / limit))
  // A burst of one is full before each admission: what flows in during the rest of that microsecond is lost each time.
  if (burst === 1 && ahead > 0) return nowUs + waitUs(1) + ahead * Math.ceil(perUs / limit)
  return nowUs + waitUs(ahead + cost)
}

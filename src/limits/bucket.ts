// A rate that refills steadily up to a burst. What is owed is kept in units of cost × window, which refill by the limit each
// microsecond: whole numbers throughout, so nothing is lost or gained by rounding. It holds for buckets of
// at most one unit a microsecond; whoever defines a limit has to refuse a faster one.

import type { RatePolicy } from "./policy.ts"

export interface BucketState {
  readonly kind: "bucket"
  readonly perUs: number
  /** What had to flow in again at that time. */
  readonly owed: number
  readonly atUs: number
}

interface Charged {
  readonly admittedAtUs: number
  readonly reserved: number
}

export function emptyBucket({ perUs }: RatePolicy): BucketState {
  return { kind: "bucket", perUs, owed: 0, atUs: 0 }
}

export function usedOfBucket(policy: RatePolicy, state: BucketState, nowUs: number): number {
  return Math.min(policy.burst, Math.ceil(owedAt(policy, state, nowUs) / policy.perUs))
}

function owedAt({ limit }: RatePolicy, state: BucketState, nowUs: number): number {
  const elapsedUs = Math.max(0, nowUs - state.atUs)
  // Compared by division first: the product of a long time and a large limit would not be exact.
  return elapsedUs >= Math.ceil(state.owed / limit) ? 0 : state.owed - elapsedUs * limit
}

export function chargeBucket(policy: RatePolicy, state: BucketState, nowUs: number, cost: number): BucketState {
  // What was charged for later stays there.
  const atUs = Math.max(nowUs, state.atUs)
  return { ...state, owed: owedAt(policy, state, atUs) + cost * policy.perUs, atUs }
}

/**
 * Less was spent than was reserved. What has flowed in since the charge has paid for it already: given back in full, it would let
 * more through than the burst. A refund ends at a full bucket.
 */
export function refundBucket(policy: RatePolicy, state: BucketState, nowUs: number, charged: Charged, cost: number): BucketState {
  const atUs = Math.max(nowUs, state.atUs)
  const unpaid = owedAt(policy, { ...state, owed: charged.reserved * policy.perUs, atUs: charged.admittedAtUs }, atUs)
  return { ...state, owed: Math.max(0, owedAt(policy, state, atUs) - Math.min(cost * policy.perUs, unpaid)), atUs }
}

export function forecastBucket(policy: RatePolicy, state: BucketState, atUs: number, ahead: number, cost: number): number {
  const { limit, perUs, burst } = policy
  const nowUs = Math.max(atUs, state.atUs)
  const owed = owedAt(policy, state, nowUs)
  const waitUs = (wanted: number) => Math.max(0, Math.ceil((owed + (wanted - burst) * perUs) / limit))
  // A burst of one is full before each admission: what flows in during the rest of that microsecond is lost each time.
  if (burst === 1 && ahead > 0) return nowUs + waitUs(1) + ahead * Math.ceil(perUs / limit)
  return nowUs + waitUs(ahead + cost)
}

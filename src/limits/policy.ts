// What a limit allows, as plain whole numbers. How the other side counts decides how a rate is kept.

/**
 * How the other side counts: `unknown` assumes the strictest and allows for the time a request is under way; `sliding` counts
 * the last window at every moment; `fixed` counts aligned windows; `bucket` refills steadily up to a burst.
 */
export type Provider = "unknown" | "sliding" | "fixed" | "bucket"

export interface RatePolicy {
  readonly limit: number
  readonly perUs: number
  readonly provider: Provider
  /** `bucket`: how much may pass at once. */
  readonly burst: number
  /** `fixed`: where the windows start, from the epoch; and how far from their ends nothing is admitted. */
  readonly phaseUs: number
  readonly guardUs: number
  /** `unknown`: how long a request may be under way before it is counted. */
  readonly slackUs: number
}

export interface GatePolicy {
  readonly rates: readonly RatePolicy[]
  /** The total cost that may be held at once; null for no bound. */
  readonly concurrency: number | null
}

/** Free times are rounded up to this, which bounds how many of them there are. */
export function grainUs({ limit, perUs }: RatePolicy): number {
  return limit <= 256 ? Math.min(1_000, perUs) : Math.ceil(perUs / 256)
}

/** The largest cost that can ever pass; a task that costs more would wait for ever. */
export function largestCost(policy: GatePolicy): number {
  const rates = policy.rates.map((rate) => (rate.provider === "bucket" ? rate.burst : rate.limit))
  return Math.min(...rates, policy.concurrency ?? Number.POSITIVE_INFINITY)
}

export function ceilTo(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

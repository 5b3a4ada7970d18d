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
  /** How many may hold it at once; null for no bound. */
  readonly concurrency: number | null
}

/** Free times are rounded up to this, which bounds how many of them there are. */
export function grainUs({ limit, perUs }: RatePolicy): number {
  return limit <= 256 ? Math.min(1_000, perUs) : Math.ceil(perUs / 256)
}

/** A cost counts against the rates, and a task takes one slot; where there are slots alone, they are what it costs. */
export function slotsFor({ rates }: GatePolicy, cost: number): number {
  return rates.length > 0 ? 1 : cost
}

/** The largest cost that can ever pass; a task that costs more would wait for ever. */
export function largestCost(policy: GatePolicy): number {
  if (policy.rates.length === 0) return policy.concurrency ?? Number.POSITIVE_INFINITY
  return Math.min(...policy.rates.map((rate) => (rate.provider === "bucket" ? rate.burst : rate.limit)))
}

/** What all of them allow. Rates that are counted alike are one rate, the smaller. */
export function strictest(policies: readonly GatePolicy[]): GatePolicy {
  const rates = new Map<string, RatePolicy>()
  for (const rate of policies.flatMap((policy) => policy.rates)) {
    const key = `${rate.provider} ${rate.perUs} ${rate.phaseUs}`
    const known = rates.get(key)
    rates.set(key, known ? stricter(known, rate) : rate)
  }
  const bounds = policies.flatMap(({ concurrency }) => (concurrency === null ? [] : [concurrency]))
  // In one order, whoever was asked first.
  const sorted = [...rates].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rate]) => rate)
  return { rates: sorted, concurrency: bounds.length > 0 ? Math.min(...bounds) : null }
}

function stricter(a: RatePolicy, b: RatePolicy): RatePolicy {
  return {
    ...a,
    limit: Math.min(a.limit, b.limit),
    burst: Math.min(a.burst, b.burst),
    guardUs: Math.max(a.guardUs, b.guardUs),
    slackUs: Math.max(a.slackUs, b.slackUs),
  }
}

export function ceilTo(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

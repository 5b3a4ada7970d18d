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
  /** How it learns from what the other side answers; absent: what is declared holds. */
  readonly adaptive?: AdaptivePolicy
  /** The name of the other side's quota that it is about; absent: "requests". */
  readonly quota?: string
}

/** A policy that holds for now: rates that may hold again later are counted meanwhile, and hold nobody. */
export interface PassingPolicy extends GatePolicy {
  readonly counted?: readonly RatePolicy[]
}

/** All that is counted, what holds first. */
export function countedRates({ rates, counted }: PassingPolicy): readonly RatePolicy[] {
  return counted ? [...rates, ...counted] : rates
}

export type AdaptivePolicy = ScoutPolicy | LinearPolicy

/** Finds a limit that nobody has told. */
export interface ScoutPolicy {
  readonly preset: "scout"
  /** The distance to begin with, where no rate is declared. */
  readonly startUs: number
  /** The shortest and the longest distance that it may come to. */
  readonly leastUs: number
  readonly mostUs: number
  /** Until the first refusal the pace doubles after so many answers and so long. */
  readonly growAfter: number
  readonly growEveryUs: number
  /** After a refusal one request at a time is sent: the first after this or more, each next after twice as long, above the second a little less. */
  readonly canaryUs: number
  readonly canarySlowUs: number
  /** One that is not answered for so long is taken for lost. */
  readonly canaryLostUs: number
  /** What the other side may let through at once. */
  readonly burst: number
  /** By how much a probe is faster than what has held, in thousandths: at first, at least and at most. */
  readonly gain: number
  readonly gainLeast: number
  readonly gainMost: number
  /** By how much it gets slower, in thousandths, where what had held was refused for a moment. */
  readonly ease: number
  /** Such a refusal is let pass if so much has passed since the last, and so long ago. */
  readonly tolerated: number
  readonly toleratedUs: number
  /** How long it rests once the limit is known to a few parts in a hundred; doubles up to the second. */
  readonly restUs: number
  readonly restMostUs: number
  /** A window of this length is tried, too short for a pace to keep it well; 0: none is. */
  readonly windowUs: number
  /** The distance that is kept in any case, where a task does not say. */
  readonly baseDelayUs: number
  /** How often a task may be refused; null: any number of times. */
  readonly maxRetries: number | null
}

/** Longer by a step with each refusal, shorter by a step after many answers. */
export interface LinearPolicy {
  readonly preset: "linear"
  readonly stepUs: number
  readonly mostUs: number
  readonly probeAfter: number
  readonly baseDelayUs: number
  /** A slot less for each of these that the distance is above its base. */
  readonly slotUs: number
  /** A floor sinks by a step each time so long has passed. */
  readonly floorDecayUs: number
  readonly maxRetries: number | null
}

/** Free times are rounded up to this, which bounds how many of them there are. */
export function grainUs({ limit, perUs }: RatePolicy): number {
  return limit <= mostFine ? Math.min(1_000, perUs) : Math.ceil(perUs / 256)
}

const mostFine = 256

/** The same rate as one that rounds free times the other way: finely where it does so coarsely. */
export function otherwiseRounded(rate: RatePolicy): RatePolicy {
  return rate.limit > mostFine ? { ...rate, limit: mostFine } : coarse(rate)
}

/** Of one that holds nobody there are no more free times than of one that lets many pass, however many do. */
export function coarse(rate: RatePolicy): RatePolicy {
  return { ...rate, limit: Math.max(rate.limit, mostFine + 1) }
}

/** A cost counts against the rates, and a task takes one slot; where there are slots alone, they are what it costs. */
export function slotsFor(policy: GatePolicy, cost: number): number {
  return isMetered(policy) ? 1 : cost
}

/** Whether a cost counts against something over time. */
export function isMetered({ rates, adaptive }: GatePolicy): boolean {
  return rates.length > 0 || adaptive !== undefined
}

/** The largest cost that can ever pass; a task that costs more would wait for ever. */
export function largestCost(policy: GatePolicy): number {
  if (!isMetered(policy)) return policy.concurrency ?? Number.POSITIVE_INFINITY
  return Math.min(Number.POSITIVE_INFINITY, ...policy.rates.map((rate) => (rate.provider === "bucket" ? rate.burst : rate.limit)))
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
  return {
    rates: sorted,
    concurrency: bounds.length > 0 ? Math.min(Number.POSITIVE_INFINITY, ...bounds) : null,
    ...only("adaptive", policies),
    ...only("quota", policies),
  }
}

/** Of ways to learn none is stricter than the other: one is taken, the same whoever was asked first. */
function only<Part extends "adaptive" | "quota">(part: Part, policies: readonly GatePolicy[]): Pick<GatePolicy, Part> {
  const [first] = policies.flatMap((policy) => (policy[part] === undefined ? [] : [JSON.stringify(policy[part])])).sort()
  return (first === undefined ? {} : { [part]: JSON.parse(first) }) as Pick<GatePolicy, Part>
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

// From the options of a limit to its policy in whole microseconds. What the algebra could not keep exactly is refused here.

import { SluiceError, shown } from "../errors/index.ts"
import type { GatePolicy, Provider, RatePolicy } from "../limits/index.ts"
import {
  type Duration,
  formatDuration,
  oneOf,
  parseDuration,
  parseName,
  parseRate,
  type Rate,
  readOptions,
  wholeNumber,
} from "../units/index.ts"
import { type AdaptiveOption, readAdaptive } from "./adaptive.ts"
import { limitDefaults } from "./defaults.ts"

/** How the other side counts, and what that way of counting needs to know. */
export interface CountingOptions {
  /** "unknown" assumes the strictest; "fixed" counts aligned windows, "sliding" the last window, "bucket" refills steadily. */
  readonly provider?: Provider
  /** "bucket": how much may pass at once; the rate's limit if not given. */
  readonly burst?: number
  /** "fixed": how far from both ends of a window nothing is admitted. */
  readonly guard?: Duration
  /** "fixed": where the windows start, counted from the epoch. */
  readonly phase?: Duration
  /** "unknown": how long a request may be under way before the other side counts it. */
  readonly slack?: Duration
}

export interface RateOptions extends CountingOptions {
  readonly limit: number
  readonly per: Duration
}

/** "10/10s", or the same with how it is counted. */
export type RateOption = string | RateOptions

/** Those of counting hold for each rate that does not say otherwise. */
export interface PolicyOptions extends CountingOptions {
  readonly rate?: RateOption | readonly RateOption[]
  readonly concurrency?: number
}

export interface LearningPolicyOptions<Input = unknown> extends PolicyOptions {
  /** Learns from what the other side answers: `true`, a preset, or a preset with its numbers. */
  readonly adaptive?: AdaptiveOption<Input>
  /** Which of the quotas that the other side tells of is meant: "requests", "tokens", …; "requests" if not given. */
  readonly quota?: string
}

const mostUnits = 1_000_000_000
const mostRates = 8
/** Keeps sums of times in microseconds exact for centuries. */
const longestWindowMs = 3_650 * 86_400_000

const countingReaders = {
  provider: oneOf("unknown", "fixed", "sliding", "bucket"),
  burst: wholeNumber(1, mostUnits),
  guard: parseDuration,
  phase: parseDuration,
  slack: parseWindow(0),
}
type Counting = ReturnType<typeof readOptions<typeof countingReaders>>

export const policyReaders = {
  rate: readRates,
  concurrency: wholeNumber(1, 1_000_000),
  ...countingReaders,
}
export type ReadPolicyOptions = ReturnType<typeof readOptions<typeof policyReaders>>

type ReadRate = Rate & { readonly counting: Counting }

function readRates(name: string, value: unknown): readonly ReadRate[] {
  if (!Array.isArray(value)) return [readRate(name, value)]
  if (value.length > mostRates) throw invalid(`${name}: expected at most ${mostRates} rates, got ${value.length}`)
  return value.map((one, i) => readRate(`${name}[${i}]`, one))
}

function readRate(name: string, value: unknown): ReadRate {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const rate = parseRate(name, value)
    if (rate.perMs > longestWindowMs) throw badWindow(name, value, 1)
    return { ...rate, counting: {} }
  }
  const { limit, per, ...counting } = readOptions(name, value, { limit: readUnits, per: parseWindow(1), ...countingReaders })
  const missing = limit === undefined ? "limit" : per === undefined ? "per" : null
  if (missing || limit === undefined || per === undefined)
    throw new SluiceError("invalid_rate", `${name}: expected a rate such as { limit: 10, per: "10s" }, got one without ${missing}`)
  return { limit, perMs: per, counting }
}

function readUnits(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= mostUnits) return value
  throw new SluiceError("invalid_rate", `${name}: expected a whole number from 1 to ${mostUnits}, got ${shown(value)}`)
}

function parseWindow(leastMs: number) {
  return (name: string, value: unknown): number => {
    const ms = parseDuration(name, value)
    if (ms >= leastMs && ms <= longestWindowMs) return ms
    throw badWindow(name, value, leastMs)
  }
}

function badWindow(name: string, value: unknown, leastMs: number): SluiceError {
  const range = `${leastMs === 0 ? "0" : formatDuration(leastMs)} to ${formatDuration(longestWindowMs)}`
  return new SluiceError("invalid_rate", `${name}: expected a window from ${range}, got ${shown(value)}`)
}

/** What code says beside rates and slots; people do not override it. */
export const learningReaders = { adaptive: readAdaptive, quota: parseName }
export type ReadLearning = ReturnType<typeof readOptions<typeof learningReaders>>

/** What code says of a limit: all parts. */
export function policyOf(where: string, { adaptive, quota, ...options }: ReadPolicyOptions & ReadLearning): GatePolicy {
  const rates = ratesOf(where, options)
  const concurrency = options.concurrency ?? null
  if (rates.length === 0 && concurrency === null && !adaptive)
    throw invalid(`${where}: expected a rate such as "10/10s", a concurrency, adaptive: true, or several of them, got none`)
  return { rates, concurrency, ...(adaptive ? { adaptive: adaptive.policy } : {}), ...(quota === undefined ? {} : { quota }) }
}

export function ratesOf(where: string, options: ReadPolicyOptions): readonly RatePolicy[] {
  const { rate = [], concurrency: _, ...common } = options
  checkUsed(
    where,
    common,
    rate.map(({ counting }) => counting.provider ?? common.provider ?? limitDefaults.provider),
  )
  return rate.map((one, i) => ratePolicy(rate.length > 1 ? `${where}: rate[${i}]` : `${where}: rate`, one, common))
}

const usedBy = { burst: "bucket", guard: "fixed", phase: "fixed", slack: "unknown" } as const satisfies Record<string, Provider>

/** An option that nothing heeds is a misunderstanding. */
function checkUsed(where: string, counting: Counting, providers: readonly Provider[]): void {
  const { provider } = counting
  if (provider !== undefined && providers.length === 0) throw invalid(`${where}: provider: expected a rate beside it, got none`)
  for (const [option, needed] of Object.entries(usedBy)) {
    if (counting[option as keyof typeof usedBy] === undefined || providers.includes(needed)) continue
    const got = providers.length === 0 ? "no rate" : [...new Set(providers)].map(shown).join(" and ")
    throw invalid(`${where}: ${option}: expected provider: "${needed}" beside it, which alone heeds it, got ${got}`)
  }
}

function ratePolicy(where: string, { limit, perMs, counting }: ReadRate, common: Counting): RatePolicy {
  const provider = counting.provider ?? common.provider ?? limitDefaults.provider
  checkUsed(where, { ...counting, provider: undefined } as Counting, [provider])
  const chosen = { ...common, ...counting }
  const perUs = perMs * 1_000
  // What a way of counting does not heed is the same for all, so that equal limits have equal policies.
  const policy = { limit, perUs, provider, burst: limit, phaseUs: 0, guardUs: 0, slackUs: 0 }
  switch (provider) {
    case "sliding":
      return policy
    case "unknown":
      return { ...policy, slackUs: (chosen.slack ?? limitDefaults.slackMs) * 1_000 }
    case "fixed":
      return { ...policy, phaseUs: ((chosen.phase ?? 0) % perMs) * 1_000, guardUs: guardUs(where, perMs, chosen.guard) }
    case "bucket":
      return checkBucket(where, { ...policy, burst: chosen.burst ?? limit })
  }
}

function guardUs(where: string, perMs: number, guardMs: number | undefined): number {
  const perUs = perMs * 1_000
  if (guardMs === undefined) return Math.min(limitDefaults.guardMs * 1_000, Math.floor(perUs / 10))
  if (guardMs * 2 < perMs) return guardMs * 1_000
  throw invalid(
    `${where}: guard: expected less than half the window of ${formatDuration(perMs)}, so that something is left of it, got ${formatDuration(guardMs)}`,
  )
}

function checkBucket(where: string, policy: RatePolicy): RatePolicy {
  const { limit, perUs, burst } = policy
  const window = formatDuration(perUs / 1_000)
  if (limit > perUs)
    throw new SluiceError("invalid_rate", `${where}: expected a bucket of at most one unit per microsecond, got ${limit}/${window}`)
  // What a bucket owes is kept in units of cost × window, and its sums have to stay exact.
  if (burst * perUs <= Number.MAX_SAFE_INTEGER / 4) return policy
  throw new SluiceError(
    "invalid_rate",
    `${where}: expected a bucket whose burst times window can be counted exactly, got a burst of ${burst} and a window of ${window}; write the same rate with a shorter window`,
  )
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}

// Policies and gates, with what most tests do not care about filled in. Here, as everywhere in the suite, times are in milliseconds.

import { type GatePolicy, type LinearPolicy, linearDefaults, type RatePolicy, type ScoutPolicy, scoutDefaults } from "../../limits/index.ts"
import type { GateRef } from "../../task/index.ts"

export function rate(limit: number, perMs: number, fields: Partial<RatePolicy> = {}): RatePolicy {
  return { limit, perUs: perMs * 1_000, provider: "sliding", burst: limit, phaseUs: 0, guardUs: 0, slackUs: 0, ...fields }
}

export const rates = (...list: readonly RatePolicy[]): GatePolicy => ({ rates: list, concurrency: null })

/** The simplest of them: a rolling rate. */
export const rolling = (limit: number, perMs: number): GatePolicy => rates(rate(limit, perMs))

export const slots = (concurrency: number, ...list: readonly RatePolicy[]): GatePolicy => ({ rates: list, concurrency })

/** Learns by steps; what is not given is the default: a distance of half a second, steps of a second. */
export const linear = (fields: Partial<LinearPolicy> = {}, others: Partial<GatePolicy> = {}): GatePolicy => ({
  rates: [],
  concurrency: null,
  adaptive: { ...linearDefaults, ...fields },
  ...others,
})

/** Looks for the limit. */
export const scouting = (fields: Partial<ScoutPolicy> = {}, others: Partial<GatePolicy> = {}): GatePolicy => ({
  rates: [],
  concurrency: null,
  adaptive: { ...scoutDefaults, ...fields },
  ...others,
})

/** The gates of a task that passes one. */
export const through = (limit: string, key = "", cost = 1): readonly GateRef[] => [{ limit, key, cost }]

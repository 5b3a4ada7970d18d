// Policies and gates, with what most tests do not care about filled in. Here, as everywhere in the suite, times are in milliseconds.

import type { GatePolicy, RatePolicy } from "../../limits/index.ts"
import type { GateRef } from "../../task/index.ts"

export function rate(limit: number, perMs: number, fields: Partial<RatePolicy> = {}): RatePolicy {
  return { limit, perUs: perMs * 1_000, provider: "sliding", burst: limit, phaseUs: 0, guardUs: 0, slackUs: 0, ...fields }
}

export const rates = (...list: readonly RatePolicy[]): GatePolicy => ({ rates: list, concurrency: null })

/** The simplest of them: a rolling rate. */
export const rolling = (limit: number, perMs: number): GatePolicy => rates(rate(limit, perMs))

export const slots = (concurrency: number, ...list: readonly RatePolicy[]): GatePolicy => ({ rates: list, concurrency })

/** The gates of a task that passes one. */
export const through = (limit: string, key = "", cost = 1): readonly GateRef[] => [{ limit, key, cost }]

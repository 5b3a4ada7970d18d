// A rate counted in aligned windows: what the current one has admitted. A guard keeps away from both ends, where clocks differ.

import type { RatePolicy } from "./policy.ts"

export interface FixedState {
  readonly kind: "fixed"
  readonly perUs: number
  /** Of the latest window that was charged. It may lie ahead, where a permit was given for later. */
  readonly startUs: number
  readonly used: number
}

export function emptyFixed({ perUs }: RatePolicy): FixedState {
  return { kind: "fixed", perUs, startUs: 0, used: 0 }
}

function startOf({ perUs, phaseUs }: RatePolicy, atUs: number): number {
  return Math.floor((atUs - phaseUs) / perUs) * perUs + phaseUs
}

/** Whether it was kept for windows that start when those of this policy do. */
export function isOfPhase(policy: RatePolicy, { startUs }: FixedState): boolean {
  return startOf(policy, startUs) === startUs
}

/**
 * What a window of another phase has admitted counts in the current one where it began within that. Of one that began before, nobody knows
 * how much has come since. Null: nothing.
 */
export function fixedOfPhase(policy: RatePolicy, known: FixedState, nowUs: number): FixedState | null {
  const startUs = startOf(policy, nowUs)
  const isWithin = known.perUs === policy.perUs && known.startUs >= startUs && known.startUs < startUs + policy.perUs
  return isWithin && known.used > 0 ? { ...known, startUs } : null
}

/** A window before the latest one that was charged is full: else nobody would have gone on to the later one. */
function leftIn({ limit }: RatePolicy, state: FixedState, startUs: number): number {
  if (state.startUs > startUs) return 0
  return state.startUs === startUs ? Math.max(0, limit - state.used) : limit
}

export function usedOfFixed(policy: RatePolicy, state: FixedState, nowUs: number): number {
  return policy.limit - leftIn(policy, state, startOf(policy, nowUs))
}

export function fixedOpensAtUs(policy: RatePolicy, state: FixedState, nowUs: number, cost: number): number {
  return forecastFixed(policy, state, nowUs, 0, cost)
}

export function chargeFixed(policy: RatePolicy, state: FixedState, nowUs: number, cost: number): FixedState {
  const startUs = startOf(policy, nowUs)
  return { ...state, startUs, used: (state.startUs === startUs ? state.used : 0) + cost }
}

export function forecastFixed(policy: RatePolicy, state: FixedState, nowUs: number, ahead: number, cost: number): number {
  const { limit, perUs, guardUs } = policy
  const ownStartUs = startOf(policy, nowUs)
  const startUs = Math.max(ownStartUs, state.startUs)
  const isOver = nowUs > startUs + perUs - guardUs
  const left = isOver ? 0 : leftIn(policy, state, startUs)
  const wanted = ahead + cost
  if (wanted <= left) return Math.max(nowUs, startUs + guardUs)
  return startUs + perUs * (1 + Math.floor((wanted - 1 - left) / limit)) + guardUs
}

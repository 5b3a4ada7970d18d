// A rate counted in aligned windows: what the current one has admitted. A guard keeps away from both ends, where clocks differ.

import type { RatePolicy } from "./policy.ts"

export interface FixedState {
  readonly kind: "fixed"
  readonly startUs: number
  readonly used: number
}

export const emptyFixed: FixedState = { kind: "fixed", startUs: 0, used: 0 }

function startOf({ perUs, phaseUs }: RatePolicy, atUs: number): number {
  return Math.floor((atUs - phaseUs) / perUs) * perUs + phaseUs
}

function usedIn(state: FixedState, startUs: number): number {
  return state.startUs === startUs ? state.used : 0
}

export function fixedOpensAtUs(policy: RatePolicy, state: FixedState, nowUs: number, cost: number): number {
  return forecastFixed(policy, state, nowUs, 0, cost)
}

export function chargeFixed(policy: RatePolicy, state: FixedState, nowUs: number, cost: number): FixedState {
  const startUs = startOf(policy, nowUs)
  return { kind: "fixed", startUs, used: usedIn(state, startUs) + cost }
}

export function forecastFixed(policy: RatePolicy, state: FixedState, nowUs: number, ahead: number, cost: number): number {
  const { limit, perUs, guardUs } = policy
  const startUs = startOf(policy, nowUs)
  const isOver = nowUs > startUs + perUs - guardUs
  const left = isOver ? 0 : Math.max(0, limit - usedIn(state, startUs))
  const wanted = ahead + cost
  if (wanted <= left) return Math.max(nowUs, startUs + guardUs)
  return startUs + perUs * (1 + Math.floor((wanted - 1 - left) / limit)) + guardUs
}

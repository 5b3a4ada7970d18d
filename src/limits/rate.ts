// One rate, whichever way it is kept.

import { type BucketState, chargeBucket, emptyBucket, forecastBucket, refundBucket, usedOfBucket } from "./bucket.ts"
import { chargeFixed, emptyFixed, type FixedState, fixedOfPhase, fixedOpensAtUs, forecastFixed, usedOfFixed } from "./fixed.ts"
import { otherwiseRounded, type RatePolicy } from "./policy.ts"
import {
  chargeWindow,
  echoAtUs,
  emptyWindow,
  forecastWindow,
  freeAtUs,
  pruneWindow,
  usedOfWindow,
  type WindowState,
  windowOfLength,
  windowOpensAtUs,
  withLag,
} from "./window.ts"

export type RateState = WindowState | FixedState | BucketState

export function emptyRate(policy: RatePolicy): RateState {
  if (policy.provider === "fixed") return emptyFixed(policy)
  return policy.provider === "bucket" ? emptyBucket(policy) : emptyWindow(policy)
}

/** What is known of a rate where only others were counted in its way: nothing that they have admitted may be forgotten. Null: nothing. */
export function pastOf(policy: RatePolicy, known: readonly RateState[], nowUs: number): RateState | null {
  if (policy.provider === "fixed") return pastOfFixed(policy, known, nowUs)
  let longest: WindowState | null = null
  for (const one of known) if (one.kind === "window" && (!longest || one.perUs > longest.perUs)) longest = one
  return longest && isRolling(policy) ? windowOfLength(policy, longest) : null
}

function pastOfFixed(policy: RatePolicy, known: readonly RateState[], nowUs: number): FixedState | null {
  let fullest: FixedState | null = null
  for (const one of known) {
    const state = one.kind === "fixed" ? fixedOfPhase(policy, one, nowUs) : null
    if (state && (!fullest || state.used > fullest.used)) fullest = state
  }
  return fullest
}

function isRolling({ provider }: RatePolicy): boolean {
  return provider === "sliding" || provider === "unknown"
}

/** What counts against the rate at this moment. */
export function usedOf(policy: RatePolicy, state: RateState, nowUs: number): number {
  if (state.kind === "fixed") return usedOfFixed(policy, state, nowUs)
  if (state.kind === "bucket") return usedOfBucket(policy, state, nowUs)
  return usedOfWindow(state, nowUs)
}

/** The earliest time, now or later, at which the cost may pass. */
export function opensAtUs(policy: RatePolicy, state: RateState, nowUs: number, cost: number): number {
  if (state.kind === "fixed") return fixedOpensAtUs(policy, state, nowUs, cost)
  if (state.kind === "bucket") return forecastBucket(policy, state, nowUs, 0, cost)
  return windowOpensAtUs(policy, state, nowUs, cost)
}

export function charge(policy: RatePolicy, state: RateState, nowUs: number, cost: number): RateState {
  if (state.kind === "fixed") return chargeFixed(policy, state, nowUs, cost)
  if (state.kind === "bucket") return chargeBucket(policy, state, nowUs, cost)
  return chargeWindow(pruneWindow(state, nowUs), freeAtUs(policy, nowUs), cost)
}

/** Charges for a moment that is still to come; until then it counts already, so that nobody takes its place. */
export function chargeAhead(policy: RatePolicy, state: RateState, nowUs: number, atUs: number, cost: number): RateState {
  if (state.kind !== "window") return charge(policy, state, atUs, cost)
  return chargeWindow(pruneWindow(state, nowUs), freeAtUs(policy, atUs), cost)
}

export interface Spent {
  readonly admittedAtUs: number
  readonly reserved: number
  readonly actual: number
  /** When the request went out, where that is known. */
  readonly sentAtUs: number | null
  /** When its response came, where there was one; and how long that took, where somebody has measured it. */
  readonly respondedAtUs: number | null
  readonly rttUs: number | null
}

/** Corrects the charge to what was really spent, and moves it to when the other side can have counted it. */
export function correct(policy: RatePolicy, state: RateState, nowUs: number, spent: Spent): RateState {
  const more = spent.actual - spent.reserved
  if (state.kind === "bucket") return correctBucket(policy, state, nowUs, spent, more)
  if (state.kind === "fixed") return correctFixed(policy, state, spent.admittedAtUs, more)
  const { rttUs, admittedAtUs } = spent
  const rttMinUs = rttUs === null ? state.rttMinUs : Math.min(rttUs, state.rttMinUs ?? rttUs)
  const heard: WindowState = { ...state, rttMinUs }
  const fromUs = chargedAtUs(policy, heard, admittedAtUs, spent.reserved)
  const toUs = echoAtUs(policy, heard, spent)
  // Free already: there is nothing left to correct, and more than was reserved can no longer be charged to its time.
  if (fromUs <= nowUs) return heard
  const moved = chargeWindow(chargeWindow(heard, fromUs, -spent.reserved), toUs, spent.actual)
  const isTold = policy.provider === "unknown" && spent.respondedAtUs !== null
  return pruneWindow(isTold ? withLag(moved, Math.max(0, toUs - policy.perUs - admittedAtUs)) : moved, nowUs)
}

/** When the charge is free. Where it is not found, a policy that rounds otherwise may have held when it was made. */
function chargedAtUs(policy: RatePolicy, { free }: WindowState, admittedAtUs: number, reserved: number): number {
  const isThere = (atUs: number) => free.some(([freeUs, cost]) => freeUs === atUs && cost >= reserved)
  const fromUs = freeAtUs(policy, admittedAtUs)
  if (isThere(fromUs)) return fromUs
  const otherUs = freeAtUs(otherwiseRounded(policy), admittedAtUs)
  return isThere(otherUs) ? otherUs : fromUs
}

function correctBucket(policy: RatePolicy, state: BucketState, nowUs: number, spent: Spent, more: number): BucketState {
  if (more === 0) return state
  return more > 0 ? chargeBucket(policy, state, nowUs, more) : refundBucket(policy, state, nowUs, spent, -more)
}

function correctFixed(policy: RatePolicy, state: FixedState, admittedAtUs: number, more: number): FixedState {
  const isSameWindow = admittedAtUs >= state.startUs && admittedAtUs < state.startUs + policy.perUs
  return isSameWindow ? { ...state, used: Math.max(0, state.used + more) } : state
}

export function forecastRate(policy: RatePolicy, state: RateState, nowUs: number, ahead: number, cost: number): number {
  if (state.kind === "fixed") return forecastFixed(policy, state, nowUs, ahead, cost)
  if (state.kind === "bucket") return forecastBucket(policy, state, nowUs, ahead, cost)
  return forecastWindow(policy, state, nowUs, ahead, cost)
}

// One rate, whichever way it is kept.

import { type BucketState, chargeBucket, emptyBucket, forecastBucket } from "./bucket.ts"
import { chargeFixed, emptyFixed, type FixedState, fixedOpensAtUs, forecastFixed } from "./fixed.ts"
import type { RatePolicy } from "./policy.ts"
import { chargeWindow, echoAtUs, emptyWindow, forecastWindow, freeAtUs, pruneWindow, type WindowState, windowOpensAtUs } from "./window.ts"

export type RateState = WindowState | FixedState | BucketState

export function emptyRate(policy: RatePolicy): RateState {
  if (policy.provider === "fixed") return emptyFixed
  return policy.provider === "bucket" ? emptyBucket : emptyWindow
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

export interface Spent {
  readonly admittedAtUs: number
  readonly reserved: number
  readonly actual: number
  /** When the request went out and when its response came, where there was one. */
  readonly sentAtUs: number | null
  readonly respondedAtUs: number | null
}

/** Corrects the charge to what was really spent, and moves it to when the other side can have counted it. */
export function correct(policy: RatePolicy, state: RateState, nowUs: number, spent: Spent): RateState {
  const more = spent.actual - spent.reserved
  if (state.kind === "bucket") return more === 0 ? state : chargeBucket(policy, state, nowUs, more)
  if (state.kind === "fixed") return correctFixed(policy, state, spent.admittedAtUs, more)
  const { sentAtUs, respondedAtUs, admittedAtUs } = spent
  const rttUs = sentAtUs === null || respondedAtUs === null ? null : Math.max(0, respondedAtUs - sentAtUs)
  const rttMinUs = rttUs === null ? state.rttMinUs : Math.min(rttUs, state.rttMinUs ?? rttUs)
  const heard: WindowState = { ...state, rttMinUs }
  const fromUs = freeAtUs(policy, admittedAtUs)
  const toUs = respondedAtUs === null ? fromUs : echoAtUs(policy, heard, admittedAtUs, respondedAtUs)
  // Free already: there is nothing left to correct, and more than was reserved can no longer be charged to its time.
  if (fromUs <= nowUs) return heard
  const moved = chargeWindow(chargeWindow(heard, fromUs, -spent.reserved), toUs, spent.actual)
  return pruneWindow(moved, nowUs)
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

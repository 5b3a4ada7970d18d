// A gate: one limit for one key, with its live state as a plain value. Admission charges it; settling gives back and corrects.

import type { GatePolicy } from "./policy.ts"
import { charge, correct, emptyRate, forecastRate, opensAtUs, type RateState } from "./rate.ts"

/** Whoever has passed and not yet settled: one lease of one task, or one call from outside. */
export interface Holder {
  readonly id: string
  readonly fence: number
  readonly cost: number
  readonly admittedAtUs: number
  /** The end of its lease; then it holds nothing any more. */
  readonly untilUs: number
}

export interface GateState {
  readonly rates: readonly RateState[]
  readonly holders: readonly Holder[]
  readonly closedUntilUs: number
  readonly cooldown: Cooldown
}

export interface Cooldown {
  /** Refusals in a row that were reacted to. */
  readonly count: number
  readonly reactedAtUs: number
}

export interface Passage {
  readonly id: string
  readonly fence: number
  readonly cost: number
  readonly untilUs: number
}

export type Admission =
  | { readonly kind: "admitted"; readonly state: GateState }
  /** `atUs`: when it may open, if nothing else happens first. */
  | { readonly kind: "refused"; readonly atUs: number }

export function emptyGate(policy: GatePolicy): GateState {
  return { rates: policy.rates.map(emptyRate), holders: [], closedUntilUs: 0, cooldown: { count: 0, reactedAtUs: -1 } }
}

export function admit(policy: GatePolicy, state: GateState, nowUs: number, passage: Passage): Admission {
  const atUs = opens(policy, state, nowUs, passage.cost)
  if (atUs > nowUs) return { kind: "refused", atUs }
  const { id, fence, cost, untilUs } = passage
  const holders = [...liveHolders(state, nowUs), { id, fence, cost, admittedAtUs: nowUs, untilUs }]
  const rates = policy.rates.map((rate, i) => charge(rate, rateOf(policy, state, i), nowUs, cost))
  return { kind: "admitted", state: { ...state, rates, holders } }
}

/** The earliest time at which every part of the gate would let the cost pass. */
function opens(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  let atUs = Math.max(nowUs, state.closedUntilUs)
  for (const [i, rate] of policy.rates.entries()) atUs = Math.max(atUs, opensAtUs(rate, rateOf(policy, state, i), nowUs, cost))
  return Math.max(atUs, slotsFreeAtUs(policy, state, nowUs, cost))
}

function slotsFreeAtUs(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  if (policy.concurrency === null) return nowUs
  const live = [...liveHolders(state, nowUs)].sort((a, b) => a.untilUs - b.untilUs)
  let held = live.reduce((sum, holder) => sum + holder.cost, 0)
  let atUs = nowUs
  for (const holder of live) {
    if (held + cost <= policy.concurrency) break
    held -= holder.cost
    atUs = holder.untilUs
  }
  return atUs
}

function liveHolders(state: GateState, nowUs: number): readonly Holder[] {
  return state.holders.filter((holder) => holder.untilUs > nowUs)
}

/** A policy that was changed may have more rates than the state knows. */
function rateOf(policy: GatePolicy, state: GateState, i: number): RateState {
  const rate = policy.rates[i]
  const known = state.rates[i]
  if (!rate) throw new RangeError(`no rate ${i}`)
  const empty = emptyRate(rate)
  return known?.kind === empty.kind ? known : empty
}

export interface Settlement {
  readonly id: string
  readonly fence: number
  /** What was really spent; null: what was reserved. */
  readonly actual: number | null
  readonly sentAtUs: number | null
  readonly respondedAtUs: number | null
}

/** Gives the slot back, once: a holder that is not there, or has another fence, changes nothing. */
export function settleGate(policy: GatePolicy, state: GateState, nowUs: number, settlement: Settlement): GateState {
  const holder = state.holders.find(({ id, fence }) => id === settlement.id && fence === settlement.fence)
  if (!holder) return state
  const { sentAtUs, respondedAtUs } = settlement
  const spent = {
    admittedAtUs: holder.admittedAtUs,
    reserved: holder.cost,
    actual: settlement.actual ?? holder.cost,
    sentAtUs,
    respondedAtUs,
  }
  return {
    ...state,
    holders: state.holders.filter((other) => other !== holder),
    rates: policy.rates.map((rate, i) => correct(rate, rateOf(policy, state, i), nowUs, spent)),
  }
}

/** The lease and its slots end together: renewing one renews the other. */
export function renewHolder(state: GateState, id: string, fence: number, untilUs: number): GateState {
  const renewed = state.holders.map((holder) =>
    holder.id === id && holder.fence === fence ? { ...holder, untilUs: Math.max(holder.untilUs, untilUs) } : holder,
  )
  return { ...state, holders: renewed }
}

/** When a task with so much cost ahead of it would start if nothing more arrives and workers have room. */
export function forecast(policy: GatePolicy, state: GateState, nowUs: number, ahead: number, cost: number): number {
  const fromUs = Math.max(nowUs, state.closedUntilUs)
  let atUs = fromUs
  for (const [i, rate] of policy.rates.entries()) atUs = Math.max(atUs, forecastRate(rate, rateOf(policy, state, i), fromUs, ahead, cost))
  return atUs
}

const stepsUs = [2_000_000, 4_000_000, 8_000_000, 16_000_000, 30_000_000] as const

export interface Refusal {
  /** When the refused request was sent: one that was under way at the last reaction says nothing new. */
  readonly sentAtUs: number
  readonly retryAfterUs: number | null
  /** In [0, 1), from the caller: up to a tenth is added, so that gates that were closed together do not open together. */
  readonly random: number
}

/** The other side said "too fast": closed for as long as it asked, else ever longer. */
export function cooldown(state: GateState, nowUs: number, refusal: Refusal): GateState {
  if (refusal.sentAtUs <= state.cooldown.reactedAtUs) return state
  const count = state.cooldown.count + 1
  const baseUs = refusal.retryAfterUs ?? stepsUs[Math.min(count, stepsUs.length) - 1] ?? 0
  const untilUs = nowUs + baseUs + Math.ceil((baseUs * refusal.random) / 10)
  return { ...state, closedUntilUs: Math.max(state.closedUntilUs, untilUs), cooldown: { count, reactedAtUs: nowUs } }
}

/** A request that was sent after the last reaction went through: the episode is over. */
export function relax(state: GateState, sentAtUs: number): GateState {
  if (state.cooldown.count === 0 || sentAtUs <= state.cooldown.reactedAtUs) return state
  return { ...state, cooldown: { ...state.cooldown, count: 0 } }
}

// A gate: one limit for one key, with its live state as a plain value. Admission charges it; settling gives back and corrects.

import { type Cooldown, noCooldown } from "./cooldown.ts"
import { isOfPhase } from "./fixed.ts"
import { hasLearned, type Learned } from "./learning/learned.ts"
import { chargePace, chargePaceAt, correctPace, forecastPace, newPace, type Pace } from "./pace.ts"
import { ceilTo, countedRates, type GatePolicy, isMetered, largestCost, type PassingPolicy, type RatePolicy, slotsFor } from "./policy.ts"
import { charge, chargeAhead, correct, emptyRate, forecastRate, opensAtUs, pastOf, type RateState, usedOf } from "./rate.ts"
import { chargeTold, chargeToldAhead, correctTold, forecastTold, type ToldWindow, toldOpensAtUs } from "./told-window.ts"

/** Whoever has passed a gate with slots and not yet settled: one lease of one task. */
export interface Holder {
  readonly id: string
  readonly fence: number
  readonly slots: number
  /** The end of its lease; then it holds nothing any more. */
  readonly untilUs: number
}

export interface GateState {
  readonly rates: readonly RateState[]
  readonly holders: readonly Holder[]
  /** How long a slot is held, on average; 0 before the first was given back. */
  readonly holdUs: number
  readonly closedUntilUs: number
  readonly cooldown: Cooldown
  /** The distance between admissions, where one was learned. */
  readonly pace?: Pace
  /** A window that the other side has told of, where it is so short that a distance alone would not keep it. */
  readonly window?: ToldWindow
  /** How many may hold it at once, where fewer was learned than the policy has. */
  readonly slots?: number
  /** What the controllers remember. Admission does not look at it. */
  readonly learned?: Learned
  /** How often the other side has said "too fast"; absent: never. */
  readonly refusals?: number
}

export interface Passage {
  readonly id: string
  readonly fence: number
  readonly cost: number
  readonly untilUs: number
  /** The distance that it asks for itself; absent: none. */
  readonly delayUs?: number
  /** By how much the true time may be ahead of the clock: what is charged to a window becomes free so much later. Absent: the clock is exact. */
  readonly lateUs?: number
}

export type Admission =
  | { readonly kind: "admitted"; readonly state: GateState }
  /** `atUs`: when it may open, if nothing else happens first; `neverUs` where only a change of the limit helps. */
  | { readonly kind: "refused"; readonly atUs: number }

export const neverUs = Number.MAX_SAFE_INTEGER

export function emptyGate(policy: GatePolicy): GateState {
  return { rates: policy.rates.map(emptyRate), holders: [], holdUs: 0, closedUntilUs: 0, cooldown: noCooldown }
}

/** Of a gate that has learned nothing yet; null where nothing is spaced. */
function paceOf({ rates, adaptive }: GatePolicy, { pace }: GateState): Pace | null {
  if (pace) return pace
  if (!adaptive) return null
  // A declared rate is believed until the other side says otherwise.
  return newPace(adaptive.preset === "scout" && rates.length === 0 ? adaptive.startUs : 0)
}

export function slotsOf({ concurrency }: GatePolicy, { slots }: GateState): number | null {
  return concurrency === null ? null : Math.min(concurrency, slots ?? concurrency)
}

export function admit(policy: PassingPolicy, state: GateState, nowUs: number, passage: Passage): Admission {
  const isOfSlots = hasSlotsAlone(policy, state)
  const atUs = isOfSlots ? slotsOpenAtUs(policy, state, nowUs, passage.cost) : gateOpensAtUs(policy, state, nowUs, passage.cost)
  if (atUs > nowUs) return { kind: "refused", atUs }
  const { id, fence, cost, untilUs, delayUs } = passage
  const holder: Holder = { id, fence, slots: slotsFor(policy, cost), untilUs }
  const holders = policy.concurrency === null ? state.holders : [...liveHolders(state, nowUs), holder]
  if (isOfSlots) return { kind: "admitted", state: withHolders(state, holders, state.holdUs) }
  const pace = paceOf(policy, state)
  return {
    kind: "admitted",
    state: {
      ...state,
      rates: countedRates(policy).map((rate, i) => chargeLate(rate, rateOf(rate, state, i, nowUs), nowUs, passage.lateUs ?? 0, cost)),
      holders,
      ...(pace && { pace: chargePace(pace, nowUs, cost, delayUs ?? 0) }),
      ...(state.window && { window: chargeTold(state.window, nowUs, cost) }),
    },
  }
}

/** A rolling window has to know when at the latest; windows that are aligned, and buckets, go by the clock as it is. */
function chargeLate(rate: RatePolicy, state: RateState, nowUs: number, lateUs: number, cost: number): RateState {
  return lateUs > 0 && state.kind === "window" ? chargeAhead(rate, state, nowUs, nowUs + lateUs, cost) : charge(rate, state, nowUs, cost)
}

/** Nothing there goes by time: who passes takes slots, who settles gives them back, and that is all. */
export function hasSlotsAlone(policy: PassingPolicy, { rates, pace, window }: GateState): boolean {
  return !isMetered(policy) && !policy.counted && rates.length === 0 && !pace && !window
}

/** Field by field where it has no more than every gate has, which nearly all are: quicker than to go through all that there may be. */
function withHolders(state: GateState, holders: readonly Holder[], holdUs: number): GateState {
  const { rates, closedUntilUs, cooldown, pace, window, slots, learned, refusals } = state
  const isMore = pace || window || learned || slots !== undefined || refusals !== undefined
  return isMore ? { ...state, holders, holdUs } : { rates, holders, holdUs, closedUntilUs, cooldown }
}

/** The earliest time at which every part of the gate would let the cost pass. */
export function gateOpensAtUs(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  if (cost > largestCost(policy)) return neverUs
  let atUs = Math.max(nowUs, state.closedUntilUs, state.pace?.nextAtUs ?? 0, ratesOpenAtUs(policy, state, nowUs, cost))
  if (atUs < neverUs) atUs = Math.max(atUs, slotsFreeAtUs(policy, state, nowUs, slotsFor(policy, cost)))
  return atUs
}

/** The same of one that has slots alone, which are what it costs. */
function slotsOpenAtUs(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  if (policy.concurrency !== null && cost > policy.concurrency) return neverUs
  const atUs = Math.max(nowUs, state.closedUntilUs)
  return atUs < neverUs ? Math.max(atUs, slotsFreeAtUs(policy, state, nowUs, cost)) : atUs
}

function ratesOpenAtUs(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  let atUs = toldOpensAtUs(state.window, nowUs, cost)
  for (const [i, rate] of policy.rates.entries()) atUs = Math.max(atUs, opensAtUs(rate, rateOf(rate, state, i, nowUs), nowUs, cost))
  return atUs
}

/** Times to come are told in whole milliseconds: what were charged for an earlier moment than it is used at would be refilled too early. */
const toldUs = 1_000

/** When the last of the rates opens, a fixed one may be near the end of its window again: looked at until it holds for all. */
function ratesAllOpenAtUs(policy: GatePolicy, state: GateState, nowUs: number, cost: number): number {
  let atUs = nowUs
  for (let look = 0; look < 100; look++) {
    const laterUs = ratesOpenAtUs(policy, state, atUs, cost)
    if (laterUs === atUs || laterUs >= neverUs) return laterUs
    atUs = ceilTo(laterUs, toldUs)
  }
  return neverUs
}

function slotsFreeAtUs(policy: GatePolicy, state: GateState, nowUs: number, slots: number): number {
  const bound = slotsOf(policy, state)
  if (bound === null) return nowUs
  let held = heldSlots(state, nowUs)
  if (held + slots <= bound) return nowUs
  const live = liveHolders(state, nowUs)
  // Mostly the first that ends is enough; there may be thousands of them to put in order.
  const first = live.reduce<Holder | undefined>((least, holder) => (least && least.untilUs <= holder.untilUs ? least : holder), undefined)
  if (first && held - first.slots + slots <= bound) return first.untilUs
  let atUs = nowUs
  for (const holder of [...live].sort((a, b) => a.untilUs - b.untilUs)) {
    if (held + slots <= bound) break
    held -= holder.slots
    atUs = holder.untilUs
  }
  return atUs
}

export function heldSlots(state: GateState, nowUs: number): number {
  let held = 0
  for (const { slots } of liveHolders(state, nowUs)) held += slots
  return held
}

function liveHolders(state: GateState, nowUs: number): readonly Holder[] {
  if (state.holders.length === 0) return state.holders
  return state.holders.filter((holder) => holder.untilUs > nowUs)
}

/** What is known of this rate: a policy that was changed keeps the past of the rates that are counted as before, or nearly so. */
function rateOf(rate: RatePolicy, { rates }: GateState, i: number, nowUs: number): RateState {
  const empty = emptyRate(rate)
  const isAlike = (known: RateState | undefined) =>
    known?.kind === empty.kind && known.perUs === empty.perUs && (known.kind !== "fixed" || isOfPhase(rate, known))
  const known = rates[i]
  return (isAlike(known) ? known : rates.find(isAlike)) ?? pastOf(rate, rates, nowUs) ?? empty
}

/** One more request by somebody who has passed already: the earliest time, from then on, at which it fits. No slot is taken. */
export function permitOpensAtUs(policy: GatePolicy, state: GateState, fromUs: number, cost: number): number {
  // Where there are slots alone it takes none of them, and is only counted for rates that may hold again.
  if (isMetered(policy) && cost > largestCost(policy)) return neverUs
  return ratesAllOpenAtUs(policy, state, Math.max(fromUs, ceilTo(paceOf(policy, state)?.nextAtUs ?? 0, toldUs)), cost)
}

/** A charge for a moment that may lie ahead. */
export interface Permit {
  readonly atUs: number
  readonly cost: number
  readonly delayUs: number
  /** As of a passage. */
  readonly lateUs: number
}

/** Charged now. */
export function chargePermit(policy: PassingPolicy, state: GateState, nowUs: number, { atUs, cost, delayUs, lateUs }: Permit): GateState {
  const pace = paceOf(policy, state)
  const rates = countedRates(policy).map((rate, i) => {
    const known = rateOf(rate, state, i, nowUs)
    return chargeAhead(rate, known, nowUs, known.kind === "window" ? atUs + lateUs : atUs, cost)
  })
  const window = state.window && chargeToldAhead(state.window, nowUs, atUs, cost)
  return { ...state, rates, ...(pace && { pace: chargePaceAt(pace, atUs, cost, delayUs) }), ...(window && { window }) }
}

export interface Settlement {
  readonly id: string
  readonly fence: number
  readonly admittedAtUs: number
  readonly reserved: number
  /** What was really spent; null: what was reserved. */
  readonly actual: number | null
  readonly sentAtUs: number | null
  readonly respondedAtUs: number | null
  readonly rttUs: number | null
}

/**
 * Gives the slot back, once: a holder that is not there, or has another fence, changes nothing. The rates know nobody: whoever
 * settles is asked to do it once, which the fence of the task sees to.
 */
export function settleGate(policy: PassingPolicy, state: GateState, nowUs: number, settlement: Settlement): GateState {
  const { id, fence, admittedAtUs, reserved } = settlement
  const spent = { ...settlement, actual: settlement.actual ?? reserved }
  const rates = countedRates(policy).map((rate, i) => correct(rate, rateOf(rate, state, i, nowUs), nowUs, spent))
  const pace = state.pace && correctPace(state.pace, spent.actual - reserved)
  const window = state.window && correctTold(state.window, nowUs, spent)
  return { ...releaseHolder(state, id, fence, nowUs, admittedAtUs), rates, ...(pace && { pace }), ...(window && { window }) }
}

/** A lease that ended without a settle: its slot is back, and its charge stays. */
export function releaseHolder(state: GateState, id: string, fence: number, nowUs: number, admittedAtUs: number): GateState {
  const holders = state.holders.filter((holder) => holder.id !== id || holder.fence !== fence)
  if (holders.length === state.holders.length) return state
  const heldUs = Math.max(0, nowUs - admittedAtUs)
  const holdUs = state.holdUs === 0 ? heldUs : state.holdUs + Math.trunc((heldUs - state.holdUs) / 8)
  return withHolders(state, holders, holdUs)
}

/**
 * The lease and its slots end together: renewing one renews the other. One that passed before the gate had slots is counted from
 * then on.
 */
export function renewHolder(policy: GatePolicy, state: GateState, { id, fence, cost, untilUs }: Passage): GateState {
  const known = state.holders.find((holder) => holder.id === id && holder.fence === fence)
  const holder: Holder = { id, fence, slots: slotsFor(policy, cost), ...known, untilUs: Math.max(known?.untilUs ?? 0, untilUs) }
  return { ...state, holders: [...state.holders.filter((other) => other !== known), holder] }
}

/** What stands before a task at a gate. */
export interface Ahead {
  readonly tasks: number
  readonly cost: number
}

/** When a task would start if nothing more arrives and workers have room. Of slots it is an estimate, of rates it is not. */
export function forecast(policy: GatePolicy, state: GateState, nowUs: number, ahead: Ahead, cost: number, delayUs = 0): number {
  if (cost > largestCost(policy)) return neverUs
  const fromUs = Math.max(nowUs, state.closedUntilUs)
  if (fromUs >= neverUs) return neverUs
  const pace = paceOf(policy, state)
  let atUs = Math.max(fromUs, forecastSlots(policy, state, fromUs, ahead, cost))
  if (pace) atUs = Math.max(atUs, forecastPace(pace, fromUs, ahead.cost, delayUs))
  if (state.window) atUs = Math.max(atUs, forecastTold(state.window, fromUs, ahead.cost, cost))
  for (const [i, rate] of policy.rates.entries()) {
    atUs = Math.max(atUs, forecastRate(rate, rateOf(rate, state, i, fromUs), fromUs, ahead.cost, cost))
  }
  return atUs
}

function forecastSlots(policy: GatePolicy, state: GateState, fromUs: number, ahead: Ahead, cost: number): number {
  const bound = slotsOf(policy, state)
  if (bound === null) return fromUs
  const wanted = slotsFor(policy, cost) + (isMetered(policy) ? ahead.tasks : ahead.cost)
  const missing = wanted - (bound - heldSlots(state, fromUs))
  if (missing <= 0) return fromUs
  // Before the first slot has come back nobody knows more than when the leases end.
  if (state.holdUs === 0) return slotsFreeAtUs(policy, state, fromUs, slotsFor(policy, cost))
  return fromUs + Math.ceil((missing * state.holdUs) / bound)
}

/** What counts against each rate at this moment. */
export function levels(policy: GatePolicy, state: GateState, nowUs: number): readonly number[] {
  return policy.rates.map((rate, i) => usedOf(rate, rateOf(rate, state, i, nowUs), nowUs))
}

/** Nothing of it matters any more: made anew, it would be the same gate. */
export function isSpent(policy: PassingPolicy, state: GateState, nowUs: number): boolean {
  if (state.closedUntilUs > nowUs || heldSlots(state, nowUs) > 0) return false
  // A cooldown is remembered for an hour: the next refusal goes on from there.
  if (state.cooldown.count > 0 && nowUs - state.cooldown.reactedAtUs < 3_600_000_000) return false
  if (hasLearned(state, nowUs) || (state.pace?.nextAtUs ?? 0) > nowUs) return false
  return levels({ ...policy, rates: countedRates(policy) }, state, nowUs).every((used) => used === 0)
}

// A declared rate whose gate was refused what it had called safe: the other side counts in a stricter way than windows of the last so
// long. From then on admissions keep a distance, a window and a margin for each limit's worth of them. It reacts once to each
// episode; before the first there is no pace at all, and after it the pace is kept.
//
// The first refusal: evenly spaced, and as an interpolating counter needs it, which lets one less than the limit pass: the strictest way of
// counting there is, so that one episode is enough. Where that is much of a small limit, it takes another refusal soon after. Each further
// one: a little more. Many answers without one: a little less, because it may have been somebody else's traffic; where less was too
// little, the next try takes twice as many.

import { isNews } from "../cooldown.ts"
import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { GatePolicy, RatePolicy } from "../policy.ts"
import type { Heard } from "./heard.ts"
import { withLearned } from "./learned.ts"

export interface MarginState {
  /** What the window is taken to be longer. */
  readonly marginUs: number
  /** What was answered since it was changed, in units of cost, while there was enough to send. */
  readonly clean: number
  /** How much it takes to make it smaller. */
  readonly patience: number
  /** How often it was made smaller since the last refusal. */
  readonly shrunk: number
}

export const noMargin: MarginState = { marginUs: 0, clean: 0, patience: 0, shrunk: 0 }

/** Up to this limit one less is a fifth or more of it. */
const small = 5
/** Thousandths of the distance at the limit: the margin after the first refusal at a small limit, and what each further one adds. */
const firstShare = 50
const stepShare = 150
/** In thousandths of admissions that came as soon as they might: with less to send, nothing is learned of a smaller margin. */
const busyEnough = 600
/** The most that a margin may come to: of the distance at the limit in thousandths, or a part of the window, whichever is more. */
const mostShare = 3_000
const mostPart = 4
/** How many times longer than at first it may take to make it smaller. */
const mostPatience = 16

export function margin(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  const rate = slowest(policy)
  const learned = state.learned?.margin
  if (!rate || heard.kind === "told" || !isNews(state, heard.sentAtUs)) return state
  const known = learned && within(rate, learned)
  if (heard.kind === "refused") return enforce(rate, state, nowUs, known ? widen(rate, known) : begin(rate))
  if (!known || (state.pace?.busy ?? 0) < busyEnough) return state
  return enforce(rate, state, nowUs, narrow(rate, known, heard.cost))
}

/** The limit may have been another when it was learned. */
function within(rate: RatePolicy, known: MarginState): MarginState {
  const marginUs = Math.min(known.marginUs, mostUs(rate))
  const patience = Math.min(known.patience, enough(rate) * mostPatience)
  return marginUs === known.marginUs && patience === known.patience ? known : { ...known, marginUs, patience }
}

/** Aligned windows have a guard at their ends instead: a distance within them helps nothing. */
function slowest({ rates }: GatePolicy): RatePolicy | undefined {
  const spaced = rates.filter(({ provider }) => provider !== "fixed")
  return spaced.reduce<RatePolicy | undefined>((a, b) => (a && a.perUs / a.limit >= b.perUs / b.limit ? a : b), undefined)
}

function begin(rate: RatePolicy): MarginState {
  const marginUs = rate.limit > small ? oneLessUs(rate) : shareOf(rate, firstShare)
  return { ...noMargin, marginUs, patience: enough(rate) }
}

function widen(rate: RatePolicy, { marginUs, clean, patience, shrunk }: MarginState): MarginState {
  const isSoon = shrunk === 0 && clean < enough(rate)
  const wideUs = Math.max(marginUs + shareOf(rate, stepShare), isSoon ? oneLessUs(rate) : 0)
  const slower = shrunk === 0 ? patience : Math.min(patience * 2, enough(rate) * mostPatience)
  return { marginUs: Math.min(mostUs(rate), wideUs), clean: 0, patience: slower, shrunk: 0 }
}

function narrow(rate: RatePolicy, known: MarginState, cost: number): MarginState {
  if (known.marginUs === 0) return known
  const clean = known.clean + Math.max(1, cost)
  if (clean < known.patience) return { ...known, clean }
  const shrunk = known.shrunk + 1
  if (shrunk <= 2) return { ...known, marginUs: Math.floor((known.marginUs * 9) / 10), clean: 0, shrunk }
  // Twice it went well: whatever it was that refused is gone, and the way back may be quicker.
  const patience = Math.max(enough(rate), Math.floor(known.patience / 2))
  return { marginUs: Math.floor((known.marginUs * 3) / 4), clean: 0, patience, shrunk }
}

function enforce({ perUs, limit }: RatePolicy, state: GateState, nowUs: number, after: MarginState): GateState {
  const pace = repace(state.pace, nowUs, Math.ceil((perUs + after.marginUs) / limit))
  if (after === state.learned?.margin && pace === state.pace) return state
  return { ...withLearned(state, nowUs, { margin: after }), pace }
}

/** The margin with which one less than the limit passes in a window. */
function oneLessUs({ perUs, limit }: RatePolicy): number {
  return limit === 1 ? perUs : Math.ceil(perUs / (limit - 1))
}

function mostUs(rate: RatePolicy): number {
  return Math.min(rate.perUs, Math.max(shareOf(rate, mostShare), Math.ceil(rate.perUs / mostPart)))
}

function shareOf({ perUs, limit }: RatePolicy, thousandths: number): number {
  return Math.ceil(((perUs / limit) * thousandths) / 1_000)
}

/** Enough of them to say something: several windows of them, and a minute's worth. */
function enough({ limit, perUs }: RatePolicy): number {
  return Math.max(200, 5 * limit, Math.ceil((limit / perUs) * 60_000_000))
}

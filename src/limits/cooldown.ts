// A cooldown: the gate is closed because the other side said so. It reacts once to each episode: a refusal of a request that was
// under way at the last reaction says nothing new.

import type { GateState } from "./gate.ts"
import type { Pace } from "./pace.ts"
import type { GatePolicy, RatePolicy } from "./policy.ts"

export interface Cooldown {
  /** Refusals in a row that were reacted to. */
  readonly count: number
  readonly reactedAtUs: number
}

export const noCooldown: Cooldown = { count: 0, reactedAtUs: -1 }

const stepsUs = [2_000_000, 4_000_000, 8_000_000, 16_000_000, 30_000_000] as const

export interface Refusal {
  /** When the refused request was sent: one that was under way at the last reaction says nothing new. */
  readonly sentAtUs: number
  readonly retryAfterUs: number | null
  /** In [0, 1), from the caller: up to a tenth is added, so that gates that were closed together do not open together. */
  readonly random: number
}

/**
 * A window that has passed has let go of everything: one of the limit's own is enough at first, where it is shorter. Of those who keep
 * a distance one is too many now and then: for the first in a row a few distances are enough.
 */
function stepUs(count: number, rates: readonly RatePolicy[], pace: Pace | undefined): number {
  const step = stepsUs[Math.min(count, stepsUs.length) - 1] ?? 0
  const windowUs = rates.length === 0 ? step : Math.max(0, ...rates.map(({ perUs }) => perUs)) * 2 ** (count - 1)
  return Math.min(step, windowUs, pace && count === 1 ? fewDistances * pace.everyUs : step)
}

const fewDistances = 3
/** Whatever was asked for, and with what is added to it. A handler that asks for longer by itself has its reasons. */
const mostUs = 3_600_000_000

export function isNews(state: GateState, sentAtUs: number): boolean {
  return sentAtUs > state.cooldown.reactedAtUs
}

/** The other side said "too fast": closed for as long as it asked, else ever longer. `pace`: the distance that was kept before. */
export function cooldown({ rates }: Pick<GatePolicy, "rates">, state: GateState, nowUs: number, refusal: Refusal, pace?: Pace): GateState {
  if (!isNews(state, refusal.sentAtUs)) return state
  const count = state.cooldown.count + 1
  const baseUs = refusal.retryAfterUs ?? stepUs(count, rates, pace)
  const untilUs = nowUs + Math.min(baseUs + Math.ceil((baseUs * refusal.random) / 10), Math.max(baseUs, mostUs))
  return { ...state, closedUntilUs: Math.max(state.closedUntilUs, untilUs), cooldown: { count, reactedAtUs: nowUs } }
}

/** A request that was sent after the last reaction went through: the episode is over. */
export function relax(state: GateState, sentAtUs: number): GateState {
  if (state.cooldown.count === 0 || !isNews(state, sentAtUs)) return state
  return { ...state, cooldown: { ...state.cooldown, count: 0 } }
}

/** Somebody has decided that it is over. What was charged stays charged. */
export function endCooldown(state: GateState): GateState {
  return { ...state, closedUntilUs: 0, cooldown: { count: 0, reactedAtUs: state.cooldown.reactedAtUs } }
}

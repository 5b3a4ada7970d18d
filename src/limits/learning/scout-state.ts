// What scout remembers of a gate, and how that becomes its pace.

import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { ScoutPolicy } from "../policy.ts"
import { isCounting } from "./found-window.ts"
import type { Heard } from "./heard.ts"
import { withLearned } from "./learned.ts"
import { isLoose } from "./quota-window.ts"

export const mode = { start: 0, blocked: 1, verify: 2, rest: 3 } as const
/** How well the distance in use is founded: on a start, on a few answers, on many. */
export const trusts = { guess: 0, rough: 1, sure: 2 } as const

/** Distances are those of a cost of one, in nanoseconds: whole microseconds are too coarse for thousands a second. */
export interface ScoutState {
  readonly mode: number
  /** The distance in use, or to come back to. */
  readonly everyNs: number
  readonly trust: number
  /** The shortest distance that held, and the longest that was refused; null where unknown or forgotten. */
  readonly heldNs: number | null
  readonly refusedNs: number | null
  /** How long the other side's memory seems to be: its window, or the time in which a burst runs out. */
  readonly spanUs: number
  /** By how much the next probe is faster, in thousandths; and how long the next rest is. */
  readonly gain: number
  readonly restUs: number
  /** When the mode began, and how many answers to requests from then on have come. */
  readonly sinceUs: number
  readonly answers: number
  /** How many modes it was in since the last episode. */
  readonly steps: number
  /** The last request that passed was sent then. */
  readonly sentAtUs: number
  /**
   * The cycle: since when, how much later that may have been, and how much has passed since. At both ends of it the limit was just
   * no longer used up.
   */
  readonly cycleAtUs: number
  readonly slackUs: number
  readonly passed: number
  /** Of the episode: the mode that it ended, its first and its last refused request, and how long the present wait is. */
  readonly from: number
  readonly blockedAtUs: number
  readonly refusedAtUs: number
  readonly waitUs: number
  /** Until when the other side has said that it refuses; 0 where it has not said. */
  readonly toldUntilUs: number
  /** 1: there was much to send when it began. */
  readonly wasBusy: number
}

export const noScout: ScoutState = {
  mode: mode.start,
  everyNs: 0,
  trust: trusts.guess,
  heldNs: null,
  refusedNs: null,
  spanUs: 0,
  gain: 0,
  restUs: 0,
  sinceUs: 0,
  answers: 0,
  steps: 0,
  sentAtUs: 0,
  cycleAtUs: 0,
  slackUs: 0,
  passed: 0,
  from: mode.start,
  blockedAtUs: 0,
  refusedAtUs: 0,
  waitUs: 0,
  toldUntilUs: 0,
  wasBusy: 0,
}

/** What the parts of scout work with. */
export interface Scouting {
  readonly own: ScoutPolicy
  readonly known: ScoutState
  readonly nowUs: number
  readonly heard: Heard
  /** There is more to send than the pace lets through. */
  readonly isBusy: boolean
  /** The gate is closed until then. */
  readonly closedUntilUs: number
  /** No distance is shorter: bounds of the policy, a declared rate, what the task asks for itself. */
  readonly leastNs: number
}

/** Stores what is known, with the pace that follows from it. A declared rate is not paced before the first refusal. */
export function keep(state: GateState, { own, nowUs, leastNs }: Scouting, known: ScoutState): GateState {
  const after = withLearned(state, nowUs, { scout: known })
  if (known.mode === mode.blocked || (known.mode === mode.start && !isPaced(state, known))) return after
  const evenUs = everyUsOf(known, own)
  const everyUs = state.window && isRoomy(state, known, leastNs) ? looseUs(evenUs) : evenUs
  return state.pace?.everyUs === everyUs ? after : { ...after, pace: repace(state.pace, nowUs, everyUs) }
}

/** A window that is counted holds what the distance need not. */
function isRoomy({ learned }: GateState, { mode: now, everyNs }: ScoutState, leastNs: number): boolean {
  if (now !== mode.rest || everyNs < 2 * leastNs) return false
  return isCounting(learned?.found) || (learned?.quota !== undefined && isLoose(learned.quota))
}

export function looseUs(everyUs: number): number {
  return Math.ceil(everyUs / 2)
}

function isPaced({ pace }: GateState, known: ScoutState): boolean {
  return pace !== undefined && pace.everyUs > 0 && known.everyNs > 0
}

export function everyUsOf({ everyNs }: ScoutState, { leastUs, mostUs }: ScoutPolicy): number {
  return Math.min(mostUs, Math.max(leastUs, Math.round(everyNs / 1_000)))
}

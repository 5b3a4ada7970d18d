// What a gate has learned, kept with its state. Each controller has a part of its own, a flat record of whole numbers, so that
// a store can tell a damaged one.

import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { CostState } from "./cost.ts"
import { type FoundState, windowOfFound } from "./found-window.ts"
import type { LatencyState } from "./latency.ts"
import type { LinearState } from "./linear.ts"
import type { MarginState } from "./margin.ts"
import type { QuotaState } from "./quota.ts"
import { windowOf } from "./quota-window.ts"
import type { ScoutState } from "./scout-state.ts"
import type { SlotsState } from "./slots.ts"

export interface Learned {
  /** Grows with each change, by a controller or by hand. Where a store cannot learn in one step with a settle, it compares this. */
  readonly version: number
  readonly changedAtUs: number
  readonly scout?: ScoutState
  readonly found?: FoundState
  readonly linear?: LinearState
  readonly margin?: MarginState
  readonly quota?: QuotaState
  readonly latency?: LatencyState
  readonly slots?: SlotsState
  /** By type of task: what its runs cost beyond what is known beforehand. */
  readonly costs?: Readonly<Record<string, CostState>>
}

/** What admission needs beside what the controllers remember; null: nothing of the kind. */
export interface Taught {
  readonly learned: Learned
  readonly everyUs: number | null
  readonly slots: number | null
}

/** What was learned outlives the tasks that it was learned from by so much. */
const keptUs = 30 * 86_400_000_000

export function hasLearned({ learned }: GateState, nowUs: number): boolean {
  return learned !== undefined && nowUs - learned.changedAtUs < keptUs
}

/** A part of what was learned has changed. */
export function withLearned(state: GateState, nowUs: number, part: Partial<Learned>): GateState {
  const { learned } = state
  return { ...state, learned: { ...learned, ...part, version: (learned?.version ?? 0) + 1, changedAtUs: nowUs } }
}

/** Somebody who knows better writes it. The version goes on, so that whoever learns at the same time notices. */
export function withTaught(state: GateState, nowUs: number, { learned, everyUs, slots }: Taught): GateState {
  const { pace: _pace, slots: _slots, window: known, ...others } = state
  const window = (learned.quota && windowOf(learned.quota, known, nowUs)) ?? windowOfFound(learned.found, known, nowUs)
  return {
    ...others,
    ...(everyUs === null ? {} : { pace: repace(state.pace, nowUs, everyUs) }),
    ...(window && { window }),
    ...(slots === null ? {} : { slots }),
    learned: { ...learned, version: (state.learned?.version ?? 0) + 1, changedAtUs: nowUs },
  }
}

/** As if it had never heard an answer. What was charged stays charged. */
export function forgetLearned(state: GateState): GateState {
  if (!state.learned && !state.pace && !state.window && state.slots === undefined) return state
  const { pace: _pace, slots: _slots, learned: _learned, window: _window, ...others } = state
  return others
}

// How many slots a paced gate needs: no more than the pace can keep busy (Little's law), so that a slow other side does not
// gather requests. A refusal for too many at once takes a third of them, and they come back one by one.

import { isNews } from "../cooldown.ts"
import { type GateState, heldSlots, slotsOf } from "../gate.ts"
import type { GatePolicy } from "../policy.ts"
import type { Heard } from "./heard.ts"
import { highLatencyUs } from "./latency.ts"
import { withLearned } from "./learned.ts"

export interface SlotsState {
  /** More than this were refused; 0: none was. */
  readonly most: number
  /** How many have passed with all of them in use, towards one more. */
  readonly passed: number
}

export const noSlots: SlotsState = { most: 0, passed: 0 }

const spare = 1.25
const keptPercent = 70

export function learnSlots(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  const { concurrency, adaptive } = policy
  // Linear has a rule of its own.
  if (concurrency === null || adaptive?.preset === "linear") return state
  const after = bound(policy, state, nowUs, heard)
  const most = after.learned?.slots?.most ?? 0
  const slots = Math.min(concurrency, most === 0 ? concurrency : most, neededSlots(policy, after))
  return withSlots(after, slots < concurrency ? slots : undefined)
}

/** What as many as the pace lets through in the time that one takes need, and a little more. */
function neededSlots({ adaptive }: GatePolicy, { learned, pace }: GateState): number {
  const everyUs = learned?.scout ? learned.scout.everyNs / 1_000 : (pace?.everyUs ?? 0)
  if (adaptive?.preset !== "scout" || !learned?.latency || !pace || pace.everyUs === 0 || everyUs === 0) return Number.POSITIVE_INFINITY
  return Math.max(1, Math.ceil((spare * highLatencyUs(learned.latency)) / everyUs) + 1)
}

/** Less with each episode of too many at once, more while all that is left is in use and nothing is refused. */
function bound(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  const slots = slotsOf(policy, state) ?? 0
  if (!isNews(state, heard.sentAtUs)) return state
  if (heard.kind === "refused" && heard.reason === "concurrency")
    return withLearned(state, nowUs, { slots: { most: Math.max(1, Math.floor((slots * keptPercent) / 100)), passed: 0 } })
  const known = state.learned?.slots
  // Its own slot is back already.
  if (heard.kind !== "served" || !known || known.most === 0 || slots < known.most || heldSlots(state, nowUs) + 1 < slots) return state
  const isMore = known.passed + 1 >= known.most
  const most = isMore ? known.most + 1 : known.most
  const isFree = most >= (policy.concurrency ?? 0)
  return withLearned(state, nowUs, { slots: isFree ? noSlots : { most, passed: isMore ? 0 : known.passed + 1 } })
}

function withSlots(state: GateState, slots: number | undefined): GateState {
  if (state.slots === slots) return state
  const { slots: _before, ...others } = state
  return slots === undefined ? others : { ...others, slots }
}

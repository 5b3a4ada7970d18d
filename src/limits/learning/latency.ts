// How long requests are under way, on average and beyond it. Little's law needs it.

import type { GateState } from "../gate.ts"
import type { GatePolicy } from "../policy.ts"
import type { Heard } from "./heard.ts"
import { withLearned } from "./learned.ts"

export interface LatencyState {
  readonly meanUs: number
  /** The mean distance from the mean. */
  readonly deviationUs: number
}

export const noLatency: LatencyState = { meanUs: 0, deviationUs: 0 }

/** What nearly all take: for a long tail somewhat more than a normal one would have. */
export function highLatencyUs({ meanUs, deviationUs }: LatencyState): number {
  return meanUs + 3 * deviationUs
}

/** Only where slots are learned: everybody else would write it for nothing. */
export function hearLatency(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  if (policy.adaptive?.preset !== "scout" || policy.concurrency === null) return state
  if (heard.kind !== "served" || heard.respondedAtUs === null) return state
  const tookUs = Math.max(0, heard.respondedAtUs - heard.sentAtUs)
  const known = state.learned?.latency
  if (!known) return withLearned(state, nowUs, { latency: { meanUs: tookUs, deviationUs: Math.ceil(tookUs / 2) } })
  const meanUs = known.meanUs + Math.round((tookUs - known.meanUs) / 16)
  const deviationUs = known.deviationUs + Math.round((Math.abs(tookUs - known.meanUs) - known.deviationUs) / 16)
  return withLearned(state, nowUs, { latency: { meanUs, deviationUs } })
}

// The pace that somebody takes for the limit, told to a gate that scouts.

import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { GatePolicy, ScoutPolicy } from "../policy.ts"
import { withLearned } from "./learned.ts"

export function setScout(_policy: GatePolicy, own: ScoutPolicy, state: GateState, nowUs: number, everyUs: number): GateState {
  const within = Math.min(own.mostUs, Math.max(own.leastUs, everyUs))
  return { ...withLearned(state, nowUs, {}), pace: repace(state.pace, nowUs, within) }
}

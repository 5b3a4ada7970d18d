// What there is to tell people of a gate that learns, in the same words whichever way it does.

import type { GateState } from "../gate.ts"
import type { GatePolicy } from "../policy.ts"
import { noLinear } from "./linear.ts"
import { noScout } from "./scout-state.ts"

export interface SeedFields {
  readonly errorStreak: number
  readonly successStreak: number
  /** The learned distance between two starts; 0: none. */
  readonly adaptiveDelayMs: number
  /** The least distance that is known to be safe; 0: none is. */
  readonly delayFloorMs: number
  /** When the next may pass; null: now. */
  readonly nextAvailableAtMs: number | null
  readonly lastSuccessAtMs: number | null
}

/** By the way that the policy has: what was learned in another one before is kept, and says nothing now. */
export function seedFields({ adaptive }: GatePolicy, state: GateState, nowUs: number): SeedFields {
  const nextUs = Math.max(state.closedUntilUs, state.pace?.nextAtUs ?? 0)
  const nextAvailableAtMs = nextUs > nowUs ? Math.ceil(nextUs / 1_000) : null
  if (adaptive?.preset === "linear") {
    const { errorStreak, successStreak, delayMs, floorMs, lastSuccessAtMs } = state.learned?.linear ?? noLinear
    return { errorStreak, successStreak, adaptiveDelayMs: delayMs, delayFloorMs: floorMs, nextAvailableAtMs, lastSuccessAtMs }
  }
  const scout = (adaptive && state.learned?.scout) || noScout
  const errorStreak = state.cooldown.count
  // Where the first request of all was refused, none has passed yet.
  const hasPassed = scout.sentAtUs > 0 && scout.sentAtUs !== scout.blockedAtUs
  return {
    errorStreak,
    successStreak: errorStreak > 0 ? 0 : scout.answers,
    adaptiveDelayMs: (state.pace?.everyUs ?? 0) / 1_000,
    delayFloorMs: Math.round((scout.heldNs ?? 0) / 1_000) / 1_000,
    nextAvailableAtMs,
    lastSuccessAtMs: hasPassed ? Math.floor(scout.sentAtUs / 1_000) : null,
  }
}

// What runs of a type cost beyond what is known of it beforehand: the mean of what they have said that they spent, and a little
// more, because most of them cost less than the few that cost much.

import type { GateState } from "../gate.ts"
import { withLearned } from "./learned.ts"

export interface CostState {
  /** In thousandths. */
  readonly mean: number
  /** The mean distance from the mean, in thousandths. */
  readonly deviation: number
}

export const noCost: CostState = { mean: 0, deviation: 0 }

/** A hundredth of what is heard once nothing more is known, and less and less than that of an outlier. */
const share = 32

export function learnCost(state: GateState, nowUs: number, type: string, beyond: number): GateState {
  const heard = Math.round(beyond * 1_000)
  const known = knownOf(state, type)
  const cost: CostState = known
    ? {
        mean: known.mean + Math.round((heard - known.mean) / share),
        deviation: known.deviation + Math.round((Math.abs(heard - known.mean) - known.deviation) / share),
      }
    : { mean: heard, deviation: Math.abs(Math.round(heard / 2)) }
  return withLearned(state, nowUs, { costs: { ...state.learned?.costs, [type]: cost } })
}

function knownOf({ learned }: GateState, type: string): CostState | undefined {
  // Not by its name: a type may be called like something that every object has. One is looked for, so their order does not matter.
  return Object.entries(learned?.costs ?? {}).find(([name]) => name === type)?.[1]
}

/** What to charge for a run of the type: null where nothing was learned. */
export function learnedCost(state: GateState, type: string, known: number): number | null {
  const cost = knownOf(state, type)
  return cost ? Math.max(1, known + Math.ceil((cost.mean + cost.deviation) / 1_000)) : null
}

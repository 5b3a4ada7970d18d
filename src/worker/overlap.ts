// How many exchanges a worker has under way at once, where the store says that more than one helps: each then claims for its share of the
// worker's room, so that the store works on one while the worker works on what another brought.

import { budgets, type Overlap } from "../store/index.ts"

export interface Overlapping {
  readonly exchanges: number
  /** What one claim takes at most while there is more than that. */
  readonly share: number
  /** A further exchange carries so many outcomes, or claims so many tasks: else it waits for the one before, and goes with what comes by then. */
  readonly leastTasks: number
}

const one: Overlap = { exchanges: 1, leastTasks: 1, reason: "" }

export function overlapping({ exchanges: most, leastTasks }: Overlap = one, concurrency: number): Overlapping {
  const exchanges = Math.max(1, Math.min(most, Math.floor(concurrency / leastTasks)))
  const share = exchanges === 1 ? concurrency : Math.min(budgets.claimTasks, Math.ceil(concurrency / exchanges))
  return { exchanges, share, leastTasks }
}

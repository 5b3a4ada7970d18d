// How a step begins: what the row of its namespace says, and what time it is by the store's clock.

import { type ClockState, laterClock, tick } from "../../store/clock.ts"
import { damaged } from "./damage.ts"
import type { KnownGates } from "./known-gates.ts"
import type { Mode } from "./mode.ts"
import type { Numbers } from "./numbers.ts"
import type { Row, Sql } from "./sql.ts"

/** A server without a clock of its own starts in 1970, and is this far behind at most. */
const furthestAheadMs = 100 * 365 * 86_400_000

export interface Opening {
  readonly ns: number
  readonly sql: Sql
  /** As readNamespace answers; with the lock, what lockNamespace says of the writers behind it. */
  readonly row: Row | undefined
  /** The time of whoever brings a clock of his own; null: the server's. */
  readonly wallMs: number | null
  /** The latest time that this process has given out. */
  readonly seen: ClockState
  readonly mode: Mode
  readonly shared: Shared
}

/** What the steps of one process have in common. */
export interface Shared {
  /** For new lanes and gates. */
  readonly numbers: Numbers
  readonly plainLanes: Map<string, number>
  readonly servedTimes: Map<string, number>
  readonly soleFlows: Map<string, string>
  readonly knownGates: KnownGates
}

/** `earliest`: when the next schedule is due. */
export function readOpening({ ns, row, wallMs, seen }: Opening): {
  virtualTime: number
  earliest: number | null | undefined
  time: ClockState
} {
  if (!row) throw damaged(`namespace ${ns}`, "its row of namespaces", undefined)
  const [virtualTime, clockMs, behindAtMs, talliedMs, serverMs, earliest] = row as readonly [number, number, ...(number | null)[]]
  const atMs = wallMs ?? (serverMs as number)
  // Steps that are free leave the clock where they leave their counts.
  const kept = { lastMs: clockMs, behindAtMs: behindAtMs ?? null }
  const tallied = { lastMs: talliedMs ?? 0, behindAtMs: null }
  const time = tick(laterClock(laterClock(kept, tallied), seen), atMs)
  // Else every lease, every expiry and every retention would be over at once.
  if (time.lastMs - atMs > furthestAheadMs) throw damaged(`the clock (row ${ns} of namespaces)`, "a time of this century", clockMs)
  return { virtualTime, earliest, time }
}

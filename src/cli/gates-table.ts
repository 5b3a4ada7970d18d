// Gates as a table: how many wait, when it opens, how full it is, and what is out of the ordinary.

import type { GateView } from "../queue/index.ts"
import { levelText, opensText, slotsText, stateWords } from "./gate-text.ts"
import { headed } from "./headed.ts"
import { plain } from "./plain.ts"
import type { Session } from "./session.ts"

export interface GatesTableOptions {
  /** The heading of the first column, and what stands there. */
  readonly heading: string
  readonly nameOf: (gate: GateView) => string
  readonly now: Date
}

export function gatesTable(session: Session, gates: readonly GateView[], { heading, nameOf, now }: GatesTableOptions): string[] {
  const rows = gates.map((gate) => [
    plain(nameOf(gate)),
    String(gate.waitingTasks),
    opensText(gate, now),
    slotsText(gate),
    stateWords(gate, now).join(", "),
    levelText(gate),
  ])
  return headed(session, [heading, "WAITING", "OPENS", "SLOTS", "STATE", "LEVEL"], rows, [1])
}

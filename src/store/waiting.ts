// Who waits where, as far as a step has looked: who is first at a gate, who has to stand behind whom, and where somebody has to be
// told when to look again.

import type { TaskRecord } from "../task/index.ts"
import { compareFlows, type FlowPlace, type FlowRow } from "./claim.ts"
import type { Records } from "./records.ts"

/** Those of one type who wait at one gate. */
interface Place {
  readonly type: string
  readonly gate: number
}

/** The virtual time of a flow that was served in this step. */
export type TimeOf = (type: string, flow: string) => number | null

/** How many flows are looked at to find who is first, where flows were served elsewhere since they were placed. */
const mostLooks = 64

export class Waiting {
  private readonly records: Records
  private readonly first = new Map<string, { readonly row: FlowRow | null }>()
  /** Who has come to stand there since; not among the records yet. */
  private readonly joined = new Map<string, FlowRow[]>()
  /** Places whose due time is to be told anew. */
  private readonly looked = new Map<string, Place>()

  constructor(records: Records) {
    this.records = records
  }

  /** Whether somebody of the type waits at the gate who comes before this place. */
  isBehind(type: string, gate: number, place: FlowPlace, timeOf: TimeOf): boolean {
    if (this.joined.get(placeKey(type, gate))?.some((row) => isBefore(type, row, timeOf, place))) return true
    const first = this.firstWaiter(type, gate)
    // Nobody stands earlier than where he was placed: who is before the first is before all.
    if (!first || compareFlows(first, place) >= 0) return false
    return isBefore(type, first, timeOf, place) || this.isBehindOthers(type, gate, place, timeOf)
  }

  private isBehindOthers(type: string, gate: number, place: FlowPlace, timeOf: TimeOf): boolean {
    let skip = 0
    for (let look = 0; look < mostLooks; look++) {
      const [row] = this.records.backlog().flows(type, gate, skip, 1)
      if (!row || compareFlows(row, place) >= 0) return false
      if (isBefore(type, row, timeOf, place)) return true
      if (row.virtualTime < row.flowTime) this.records.refreshFlow(type, gate, row.flow)
      else skip++
    }
    return false
  }

  /** A flow may have been served elsewhere since it was placed here: then it is placed anew, and the next one is looked at. */
  private firstWaiter(type: string, gate: number): FlowRow | null {
    const key = placeKey(type, gate)
    const known = this.first.get(key)
    if (known) return known.row
    const backlog = this.records.backlog()
    let found: FlowRow | null = null
    for (let look = 0; look < mostLooks; look++) {
      found = backlog.flows(type, gate, 0, 1)[0] ?? null
      if (!found || found.virtualTime >= found.flowTime) break
      this.records.refreshFlow(type, gate, found.flow)
    }
    this.first.set(key, { row: found })
    return found
  }

  /** A lane comes to stand there: others now have to stand behind it. */
  join(type: string, gate: number, row: FlowRow): void {
    const key = placeKey(type, gate)
    const joined = this.joined.get(key) ?? []
    this.joined.set(key, joined)
    joined.push(row)
  }

  /** Who waits there has changed, or has to be told when to look again. */
  look(type: string, gate: number): void {
    this.first.delete(placeKey(type, gate))
    this.joined.delete(placeKey(type, gate))
    this.looked.set(placeKey(type, gate), { type, gate })
  }

  /** Those that were looked at, once; everything is read anew from now on. */
  takeLooked(): readonly Place[] {
    const looked = [...this.looked.values()]
    if (looked.length > 0) {
      this.first.clear()
      this.joined.clear()
      this.looked.clear()
    }
    return looked
  }

  /** The task that is first at the gate. */
  headAt(type: string, number: number): TaskRecord | null {
    const backlog = this.records.backlog()
    const flow = this.firstWaiter(type, number)
    const row = flow && backlog.lanes(type, number, flow.flow, 0, 1)[0]
    return (row && backlog.tasks(row.lane, 0, 1)[0]) ?? null
  }
}

function placeKey(type: string, gate: number): string {
  return `${gate} ${type}`
}

function isBefore(type: string, row: FlowRow, timeOf: TimeOf, place: FlowPlace): boolean {
  const virtualTime = Math.max(row.virtualTime, row.flowTime, timeOf(type, row.flow) ?? row.virtualTime)
  return compareFlows({ ...row, virtualTime }, place) < 0
}

// Gates whose time has come: of the lanes that wait there, as many become ready as may pass now, the first first.

import type { TaskRecord } from "../task/index.ts"
import { type Backlog, compareFlows, type FlowPlace, type FlowRow, placeOf, ready, turn } from "./claim.ts"
import type { ClaimRequest } from "./exchange-contract.ts"
import { Frontier, type Ranked } from "./frontier.ts"
import type { OpenGate } from "./gates.ts"
import type { Records } from "./records.ts"

/**
 * Looks into up to `budget` gates; answers with how many records it has looked at. Planned first, moved then: where others stand
 * must not change while they are read.
 */
export function openDue(records: Records, types: ClaimRequest["types"], budget: number): number {
  let left = budget
  const count = { touched: 0 }
  const lanes: number[] = []
  for (const type of new Set(types.filter(({ room }) => room > 0).map((one) => one.type))) {
    if (left <= 0) break
    for (const { gate: number } of records.limits.dueGates(type, left)) {
      const gate = records.gates.numbered(number)
      const woken = gate ? firstLanes(records, type, gate, left, count) : []
      lanes.push(...woken)
      records.gates.look(type, number)
      left -= Math.max(1, woken.length)
      count.touched++
      if (left <= 0) break
    }
  }
  for (const lane of lanes) records.standAt(lane, ready)
  return count.touched
}

/** Those that may pass the gate now, in the order in which they will. */
function firstLanes(records: Records, type: string, gate: OpenGate, most: number, count: { touched: number }): number[] {
  const mayPass = records.gates.rehearse(gate)
  const backlog = records.backlog()
  const flows = waitingFlows(backlog, type, gate.number, count)
  const woken: number[] = []
  let { virtualTime } = backlog
  while (woken.length < most) {
    const flow = flows.best()
    const task = flow?.first?.task
    if (!flow || !task || !mayPass(task)) break
    woken.push(flow.wake())
    flows.changed()
    virtualTime = Math.max(virtualTime, flow.virtualTime)
    flow.virtualTime = virtualTime + turn
  }
  return woken
}

function waitingFlows(backlog: Backlog, type: string, gate: number, count: { touched: number }): Frontier<WaitingFlow> {
  return new Frontier((skip, limit) => {
    const rows = backlog.flows(type, gate, skip, limit)
    count.touched += rows.length
    const last = rows.at(-1)
    return {
      items: rows.map((row) => new WaitingFlow(backlog, type, gate, row, count)),
      isBehind: (flow) => last !== undefined && flow.compareTo(last) > 0,
    }
  })
}

/** A flow at a gate, in the order in which it will be served: with each of its lanes that becomes ready it goes back by a turn. */
class WaitingFlow implements Ranked<WaitingFlow> {
  virtualTime: number
  /** Its first lane, as of the last refresh. */
  first: { readonly lane: number; readonly task: TaskRecord } | null = null
  private readonly read: (skip: number) => { readonly lane: number; readonly task: TaskRecord } | null
  private woken = 0
  private isRead = false

  constructor(backlog: Backlog, type: string, gate: number, row: FlowRow, count: { touched: number }) {
    // It may have been served elsewhere since it was placed here.
    this.virtualTime = Math.max(row.virtualTime, row.flowTime)
    this.read = (skip) => {
      const [lane] = backlog.lanes(type, gate, row.flow, skip, 1)
      const [task] = lane ? backlog.tasks(lane.lane, 0, 1) : []
      if (lane) count.touched += 2
      return lane && task ? { lane: lane.lane, task } : null
    }
  }

  refresh(): void {
    if (!this.isRead) this.first = this.read(this.woken)
    this.isRead = true
  }

  isEmpty(): boolean {
    return this.first === null
  }

  /** Its first lane leaves; answers with which. */
  wake(): number {
    const lane = this.first?.lane ?? 0
    this.woken++
    this.isRead = false
    return lane
  }

  compare(other: WaitingFlow): number {
    const theirs = other.first?.task
    return theirs ? this.compareTo(placeOf(theirs, other.virtualTime)) : -1
  }

  compareTo(place: FlowPlace): number {
    const mine = this.first?.task
    return mine ? compareFlows(placeOf(mine, this.virtualTime), place) : 1
  }
}

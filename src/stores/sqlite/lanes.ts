// Lanes and flows in SQLite. Membership is a column of the task; heads are placed anew for the lanes that a step has
// touched, before the step's claim reads them and when the step ends.

import type { Backlog, Chosen, FlowRow, LaneRow } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import type { Row } from "./driver.ts"
import { fromJson, jsonOrNull, laneOf, toRecord } from "./rows.ts"
import type { Statements } from "./statements.ts"

export class Lanes implements Backlog {
  virtualTime: number
  private readonly ns: number
  private readonly sql: Statements
  /** Where tasks that this step has read stand. */
  private readonly laneOfSeq = new Map<number, number | null>()
  private readonly known = new Map<string, number>()
  private readonly touched = new Set<number>()
  private readonly served = new Map<string, { type: string; flow: string; virtualTime: number }>()

  constructor(ns: number, virtualTime: number, sql: Statements) {
    this.ns = ns
    this.virtualTime = virtualTime
    this.sql = sql
  }

  /** Every row that a step reads comes through here, so that it is known where the task stands. */
  toRecords(rows: readonly Row[]): TaskRecord[] {
    return fromJson(rows).map((row) => {
      this.laneOfSeq.set(row[0] as number, laneOf(row))
      return toRecord(row)
    })
  }

  /** The lane for a task that is about to wait, made if there is none. */
  enter(task: TaskRecord): number {
    const gates = jsonOrNull(task.gates) ?? "[]"
    const key = JSON.stringify([task.type, task.flow, gates])
    const lane = this.known.get(key) ?? this.findOrMake(task, gates)
    this.known.set(key, lane)
    this.laneOfSeq.set(task.seq, lane)
    this.touched.add(lane)
    return lane
  }

  leave(task: TaskRecord): void {
    const lane = this.laneOfSeq.get(task.seq)
    if (lane !== null && lane !== undefined) this.touched.add(lane)
    this.laneOfSeq.set(task.seq, null)
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
    for (const flow of chosen.served) this.served.set(JSON.stringify([flow.type, flow.flow]), flow)
  }

  /** Makes heads and best heads what the tasks say. */
  place(): void {
    if (this.touched.size === 0 && this.served.size === 0) return
    const flows = new Map<string, { type: string; flow: string; virtualTime: number | null }>(this.served)
    for (const lane of this.touched) {
      const [row] = this.sql("placeLane").rows(lane)
      const [type, flow] = (row ?? []) as [string, string]
      const key = JSON.stringify([type, flow])
      if (row && !flows.has(key)) flows.set(key, { type, flow, virtualTime: null })
    }
    for (const { type, flow, virtualTime } of flows.values()) this.sql("placeFlow").run(this.ns, type, flow, virtualTime, this.virtualTime)
    this.touched.clear()
    this.served.clear()
  }

  flows(type: string, skip: number, limit: number): FlowRow[] {
    return this.sql("readFlows")
      .rows(this.ns, type, limit, skip)
      .map(([flow, priority, virtualTime, seq]) => ({ flow, priority, virtualTime, seq }) as FlowRow)
  }

  lanes(type: string, flow: string, skip: number, limit: number): LaneRow[] {
    return this.sql("readLanes")
      .rows(this.ns, type, flow, limit, skip)
      .map(([lane, priority, readyAtMs, seq]) => ({ lane, priority, readyAtMs, seq }) as LaneRow)
  }

  tasks(lane: number, skip: number, limit: number): TaskRecord[] {
    return this.toRecords(this.sql("readLaneTasks").rows(lane, limit, skip))
  }

  private findOrMake(task: TaskRecord, gates: string): number {
    const [found] = this.sql("findLane").rows(this.ns, task.type, task.flow, gates)
    this.sql("addFlow").run(this.ns, task.type, task.flow, this.virtualTime)
    const [lane] = found ?? this.sql("addLane").rows(this.ns, task.type, task.flow, gates)[0] ?? []
    return lane as number
  }
}

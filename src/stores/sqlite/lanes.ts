// Lanes and flows in SQLite. Membership is a column of the task; heads are placed anew for the lanes that a step has
// touched, before the step's claim reads them and when the step ends.

import { shown } from "../../errors/index.ts"
import { type Backlog, type Chosen, compareHeads, type FlowRow, type Head, type LaneRow, ready } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import { damaged, rowNumber } from "./damage.ts"
import type { Row } from "./driver.ts"
import { Ranks } from "./ranks.ts"
import { fromJson, laneOf, toRecord } from "./rows.ts"
import type { Statements } from "./statements.ts"

interface KnownLane {
  readonly lane: number
  /** As it was when the step first met the lane. */
  readonly head: Head | null
}

interface Standing {
  readonly type: string
  readonly flow: string
  readonly gate: number
}

export interface Place {
  readonly type: string
  readonly gate: number
}

export class Lanes implements Backlog {
  virtualTime: number
  private readonly ns: number
  private readonly sql: Statements
  /** Where tasks that this step has read stand. */
  private readonly laneOfSeq = new Map<number, number | null>()
  private readonly known = new Map<string, KnownLane>()
  private readonly typeOfLane = new Map<number, string>()
  private readonly knownFlows = new Set<string>()
  private readonly touched = new Set<number>()
  private readonly standings = new Map<string, Standing>()
  private readonly served = new Map<string, number>()
  /** Flows that became ready because a gate opened. They were not idle, and keep the virtual time that they waited with. */
  private readonly woken = new Set<string>()
  private readonly changed = new Map<string, Place>()
  private readonly ranks: Ranks
  /** Told when a task comes to stand in a lane, and when it leaves. */
  private readonly count: (task: TaskRecord, by: 1 | -1) => void

  constructor(ns: number, virtualTime: number, sql: Statements, count: (task: TaskRecord, by: 1 | -1) => void) {
    this.ns = ns
    this.virtualTime = virtualTime
    this.sql = sql
    this.ranks = new Ranks(sql)
    this.count = (task, by) => {
      this.ranks.forget()
      count(task, by)
    }
  }

  /** Every row that a step reads comes through here, so that it is known where the task stands. */
  toRecords(rows: readonly Row[]): TaskRecord[] {
    return fromJson(rows).map((row) => {
      this.laneOfSeq.set(row[0] as number, laneOf(row))
      return toRecord(row)
    })
  }

  /** Those that can be read. */
  toSoundRecords(rows: readonly Row[]): TaskRecord[] {
    return fromJson(rows).flatMap((row) => {
      try {
        const task = toRecord(row)
        this.laneOfSeq.set(task.seq, laneOf(row))
        return [task]
      } catch {
        return []
      }
    })
  }

  /** The lane for a task that is about to wait, made if there is none. */
  enter(task: TaskRecord): number {
    // What a task costs at a gate is its own affair: tasks that pass the same gates share a lane.
    const gates = JSON.stringify((task.gates ?? []).map(({ limit, key }) => [limit, key]))
    const key = JSON.stringify([task.type, task.flow, gates])
    const known = this.known.get(key) ?? this.findOrMake(task, gates)
    this.known.set(key, known)
    this.laneOfSeq.set(task.seq, known.lane)
    // Behind a head it changes nothing of where the lane stands. A head that leaves touches the lane by itself.
    if (!known.head || compareHeads(task, known.head) <= 0) this.touched.add(known.lane)
    this.count(task, 1)
    return known.lane
  }

  leave(task: TaskRecord): void {
    const lane = this.laneOfSeq.get(task.seq)
    if (lane !== null && lane !== undefined) {
      this.touched.add(lane)
      this.count(task, -1)
    }
    this.laneOfSeq.set(task.seq, null)
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
    for (const { type, flow, virtualTime } of chosen.served) this.served.set(this.touch(type, flow, ready), virtualTime)
  }

  standAt(lane: number, gate: number): void {
    // Whether there is still somebody in it shows only once it is placed.
    if (this.touched.has(lane)) this.place()
    const [row] = this.sql("readLane").rows(lane)
    const [type, flow, before, head] = (row ?? []) as [string, string, number, number | null]
    // Left where it stands, it would be told to move for ever.
    if (!row) throw damaged(`lane ${lane}`, "its row of lanes, which an index names", undefined)
    if (head === null || before === gate) return
    this.sql("moveLane").run(lane, gate)
    this.touch(type, flow, before)
    const key = this.touch(type, flow, gate)
    if (gate === ready) this.woken.add(key)
  }

  refresh(type: string, gate: number, flow: string): void {
    this.touch(type, flow, gate)
    this.place()
  }

  takeChanged(): Place[] {
    this.place()
    const changed = [...this.changed.values()]
    this.changed.clear()
    return changed
  }

  /** How many stand before the task in its lane, and how many of its priority or above stand there. */
  rank(task: TaskRecord): { before: number; of: number } | null {
    const lane = this.laneOfSeq.get(task.seq)
    return lane === null || lane === undefined ? null : this.ranks.find(lane, task)
  }

  /** Makes heads and best heads what the tasks say: lanes first, then the flows that they stand in, the ready ones first. */
  place(): void {
    if (this.touched.size === 0 && this.standings.size === 0) return
    for (const lane of this.touched) {
      const [row] = this.sql("placeLane").rows(lane)
      const [type, flow, gate, head] = (row ?? []) as [string, string, number, number | null]
      if (!row) continue
      this.touch(type, flow, gate)
      // An empty lane waits for nothing.
      if (head === null && gate !== ready) this.sql("moveLane").run(lane, ready)
    }
    for (const [key, { type, flow, gate }] of this.standings) {
      if (gate !== ready) continue
      const present = this.woken.has(key) ? 0 : this.virtualTime
      const place = () => this.sql("placeFlow").run(this.ns, type, flow, this.served.get(key) ?? null, present)
      if (place() > 0) continue
      // A row that was lost is made again: else its tasks would stand where no claim looks.
      this.sql("addFlow").run(this.ns, type, flow, this.virtualTime)
      if (place() === 0) throw damaged(`flow ${shown(flow)} of ${shown(type)}`, "its row of flows", undefined)
    }
    for (const { type, flow, gate } of this.standings.values()) {
      if (gate === ready) continue
      const [row] = this.sql("placeWaitingFlow").rows(this.ns, type, flow, gate)
      if (!row) this.sql("dropWaitingFlow").run(this.ns, type, flow, gate)
      this.changed.set(`${gate} ${type}`, { type, gate })
    }
    this.known.clear()
    this.touched.clear()
    this.standings.clear()
    this.served.clear()
    this.woken.clear()
  }

  flows(type: string, gate: number, skip: number, limit: number): FlowRow[] {
    const rows =
      gate === ready
        ? this.sql("readFlows").rows(this.ns, type, limit, skip)
        : this.sql("readWaitingFlows").rows(this.ns, type, limit, skip, gate)
    return rows.map(
      ([flow, priority, virtualTime, readyAtMs, seq, flowTime]) => ({ flow, priority, virtualTime, readyAtMs, seq, flowTime }) as FlowRow,
    )
  }

  lanes(type: string, gate: number, flow: string, skip: number, limit: number): LaneRow[] {
    const rows = this.sql("readLanes").rows(this.ns, type, gate, flow, limit, skip)
    return rows.map(([lane, priority, readyAtMs, seq]) => {
      this.typeOfLane.set(rowNumber(lane, "lanes"), type)
      return { lane, priority, readyAtMs, seq } as LaneRow
    })
  }

  /** Whoever stands in a lane is about to be claimed: one that has ended, or runs elsewhere, must not be. */
  tasks(lane: number, skip: number, limit: number): TaskRecord[] {
    const tasks = this.toRecords(this.sql("readLaneTasks").rows(lane, limit, skip))
    const type = this.typeOfLane.get(lane)
    for (const task of tasks) {
      if (task.status !== "pending" || task.type !== type)
        throw damaged(
          `task ${shown(task.id)} (row ${task.seq} of tasks)`,
          `lane ${lane} to hold pending tasks of one type`,
          `${task.status} ${task.type}`,
        )
    }
    return tasks
  }

  private touch(type: string, flow: string, gate: number): string {
    const key = JSON.stringify([gate, type, flow])
    this.standings.set(key, { type, flow, gate })
    return key
  }

  private findOrMake(task: TaskRecord, gates: string): KnownLane {
    const [found] = this.sql("findLane").rows(this.ns, task.type, task.flow, gates)
    const [lane, priority, readyAtMs, seq] = (found ?? []) as [number, number, number, number | null]
    if (found && seq !== null) return { lane: rowNumber(lane, "lanes"), head: { priority, readyAtMs, seq } }
    const flow = JSON.stringify([task.type, task.flow])
    if (!this.knownFlows.has(flow)) this.sql("addFlow").run(this.ns, task.type, task.flow, this.virtualTime)
    this.knownFlows.add(flow)
    if (found) return { lane: rowNumber(lane, "lanes"), head: null }
    const [made] = this.sql("addLane").rows(this.ns, task.type, task.flow, gates)
    return { lane: rowNumber(made?.[0], "lanes"), head: null }
  }
}

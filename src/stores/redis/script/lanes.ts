// Lanes and flows in Redis. Where a task stands is part of its record; heads are placed anew for the lanes that a step has touched,
// before the step's claim reads them and when the step ends.

import { shown } from "../../../errors/index.ts"
import { type Backlog, type Chosen, compareHeads, type FlowRow, type Head, type LaneRow, ready } from "../../../store/claim.ts"
import type { Change, TaskRecord } from "../../../task/index.ts"
import { type Context, damaged } from "./context.ts"
import { FlowTable } from "./flow-table.ts"
import { addGateNames } from "./gate-refs.ts"
import type { RedisGates } from "./gates.ts"
import { headOf, type Lane, LaneTable } from "./lane-table.ts"
import { Live, Standing } from "./live.ts"
import { flowAt, flowName, laneAt, laneMember } from "./places.ts"
import type { Entry } from "./stored-task.ts"
import { recordOf, type Tasks } from "./tasks.ts"
import { isThere } from "./waiting-line.ts"
import type { Writes } from "./writes.ts"

/** How far the tasks of a lane are counted. */
const countUpTo = 100_000

interface StandingFlow {
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
  private readonly context: Context
  private readonly taskTable: Tasks
  private readonly table: LaneTable
  private readonly flowTable: FlowTable
  private touched: Lane[] = []
  private standings: Record<string, StandingFlow | undefined> = {}
  private standingKeys: string[] = []
  /** Lanes of one flow come one after the other. */
  private lastTouched: StandingFlow | undefined
  private lastKey = ""
  private served: Record<string, number | undefined> = {}
  /** Flows that became ready because a gate opened. They were not idle, and keep the virtual time that they waited with. */
  private woken: Record<string, boolean | undefined> = {}
  private changed: Place[] = []
  private isChanged: Record<string, boolean | undefined> = {}
  private readonly limits: RedisGates
  /** Told when a task comes to stand in a lane, and when it leaves. */
  private readonly count: (task: TaskRecord, by: 1 | -1) => void

  constructor(context: Context, tasks: Tasks, limits: RedisGates, writes: Writes, count: (task: TaskRecord, by: 1 | -1) => void) {
    this.context = context
    this.limits = limits
    this.virtualTime = context.meta.number("time")
    this.taskTable = tasks
    this.table = new LaneTable(context, tasks, writes)
    this.flowTable = new FlowTable(context, writes)
    this.count = count
  }

  /** `isLast`: it comes behind all that ever stood there, and has never stood there itself. */
  enter(entry: Entry, task: TaskRecord, isLast: boolean): void {
    const lane = this.table.laneFor(task)
    const { seq, priority, readyAtMs } = task
    const line = this.table.lineOf(lane, priority)
    if (isLast) line.append(seq)
    else line.insert(readyAtMs, seq)
    // Part of it is kept with the lane.
    this.table.change(lane)
    entry.live[Live.standing] = isLast ? Standing.inOrder : Standing.sorted
    entry.live[Live.lane] = lane.number
    lane.isReadAnew = true
    // Behind a head it changes nothing of where the lane stands. A head that leaves touches the lane by itself.
    const best = lane.come ?? lane.head
    if (!best || compareHeads(task, best) < 0) {
      lane.come = { priority, readyAtMs, seq }
      this.touchLane(lane)
    }
    if (task.gates && task.gates.length > 0) this.count(task, 1)
  }

  /** Where it stands in a lane. */
  leave(entry: Entry, task: TaskRecord): void {
    const standing = entry.live[Live.standing] as Standing
    if (standing === Standing.none) return
    const lane = this.table.lane(entry.live[Live.lane] as number)
    if (lane.only === task.seq) {
      lane.lines = []
      lane.only = null
    } else {
      const line = this.table.lineOf(lane, task.priority)
      if (standing === Standing.inOrder) line.leave(task.seq)
      else line.remove(task.seq)
    }
    entry.live[Live.standing] = Standing.none
    entry.live[Live.lane] = false
    lane.hasLost = true
    lane.isReadAnew = true
    this.touchLane(lane)
    if (task.gates && task.gates.length > 0) this.count(task, -1)
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
    for (const { type, flow, virtualTime } of chosen.served) this.served[this.touch(type, flow, ready)] = virtualTime
  }

  standAt(number: number, gate: number): void {
    const lane = this.table.lane(number)
    // Whether there is still somebody in it shows only once it is placed.
    if (lane.isTouched) this.place()
    const before = lane.gate
    if (!lane.head || before === gate) return
    this.table.move(lane, gate)
    this.touch(lane.type, lane.flow, before)
    const key = this.touch(lane.type, lane.flow, gate)
    if (gate === ready) this.woken[key] = true
  }

  refresh(type: string, gate: number, flow: string): void {
    this.touch(type, flow, gate)
    this.place()
  }

  takeChanged(): Place[] {
    this.place()
    const changed = this.changed
    this.changed = []
    this.isChanged = {}
    return changed
  }

  /** How many stand before the task in its lane, and how many of its priority or above stand there. */
  rank(entry: Entry): { before: number; of: number } | null {
    if (entry.live[Live.standing] === Standing.none) return null
    const priority = entry.live[Live.priority] as number
    let before = 0
    let of = 0
    for (const line of this.table.linesOf(this.table.lane(entry.live[Live.lane] as number))) {
      if (line.priority < priority) continue
      const count = line.count()
      before += line.priority === priority ? line.countBefore(entry) : count
      of += count
    }
    return { before: Math.min(before, countUpTo), of: Math.min(of, countUpTo) }
  }

  /** Makes heads and best heads what the tasks say: lanes first, then the flows that they stand in, the ready ones first. */
  place(): void {
    if (this.touched.length === 0 && this.standingKeys.length === 0) return
    this.readHeads()
    for (const lane of this.touched) this.placeLane(lane)
    this.touched = []
    const standings: StandingFlow[] = []
    for (const key of this.standingKeys) standings.push(this.standings[key] as StandingFlow)
    for (const { type, flow, gate } of standings) {
      if (gate !== ready) continue
      const key = standingKey(type, flow, gate)
      const found = this.flowTable.flow(type, flow, this.virtualTime)
      // A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
      const present = this.woken[key] ? 0 : this.virtualTime
      const resumed = found.member === false ? Math.max(found.virtualTime, present) : found.virtualTime
      this.flowTable.placeReady(found, this.served[key] ?? resumed, this.table.standing(type, gate, flow, 0, 1)[0])
    }
    for (const { type, flow, gate } of standings) {
      if (gate === ready) continue
      const found = this.flowTable.flow(type, flow, this.virtualTime)
      this.flowTable.placeWaiting(found, gate, this.table.standing(type, gate, flow, 0, 1)[0])
      const key = `${gate} ${type}`
      if (!this.isChanged[key]) this.changed.push({ type, gate })
      this.isChanged[key] = true
    }
    this.standings = {}
    this.standingKeys = []
    this.lastTouched = undefined
    this.served = {}
    this.woken = {}
  }

  flows(type: string, gate: number, skip: number, limit: number): FlowRow[] {
    const rows: FlowRow[] = []
    for (const member of this.flowTable.standing(type, gate, skip, limit)) {
      const { flow, priority, virtualTime, readyAtMs, seq } = flowAt(member)
      const found = this.flowTable.flow(type, flow, this.virtualTime)
      // One that stood twice would hand out its tasks twice, or wait where nobody is.
      if (this.flowTable.memberOf(found, gate) !== member)
        throw damaged(`flow ${shown(flow)} (in ${this.context.base}flows)`, `to stand at gate ${gate} as it does`, member)
      rows.push({ flow, priority, virtualTime, readyAtMs, seq, flowTime: found.virtualTime })
    }
    return rows
  }

  lanes(type: string, gate: number, flow: string, skip: number, limit: number): LaneRow[] {
    const rows: LaneRow[] = []
    const members = this.table.standing(type, gate, flow, skip, limit)
    const numbers: number[] = []
    for (const member of members) numbers.push(laneAt(member))
    if (members.length > 1) this.readAhead(numbers)
    for (const [i, number] of numbers.entries()) {
      const lane = this.table.lane(number)
      const member = members[i] as string
      const { head } = lane
      // One that stood elsewhere as well would be told to move for ever.
      if (lane.gate !== gate || !head || laneMember(head, number) !== member)
        throw damaged(`lane ${number} (in ${this.context.base}lanes)`, `to stand at gate ${gate} as it does`, member)
      lane.member = member
      rows.push({ lane: number, priority: head.priority, readyAtMs: head.readyAtMs, seq: head.seq, alone: this.aloneIn(lane) })
    }
    return rows
  }

  /** The only task of the lane, where it was read. */
  private aloneIn(lane: Lane): TaskRecord | undefined {
    const { only } = lane
    const entry = only === null ? undefined : this.taskTable.entryOfSeq(only)
    return entry && isThere(entry) ? this.claimable(lane, entry) : undefined
  }

  /** Lanes, heads and the gates that these pass, which are asked for one by one. */
  private readAhead(numbers: readonly number[]): void {
    this.table.readAhead(numbers)
    const seqs: number[] = []
    for (const number of numbers) {
      const { head } = this.table.lane(number)
      if (head) seqs.push(head.seq)
    }
    this.taskTable.readBySeq(seqs)
    const names: string[] = []
    for (const seq of seqs) addGateNames(this.taskTable.entryOfSeq(seq), names)
    this.limits.readAhead(names)
  }

  /** The lanes of tasks that are about to come. */
  readLanesFor(changes: readonly Change[]): void {
    const nowMs = this.context.nowMs
    const tasks: TaskRecord[] = []
    for (const { task } of changes) if (task.status === "pending" && task.availableAtMs <= nowMs) tasks.push(task)
    this.table.readAheadFor(tasks)
  }

  /** Whoever stands in a lane is about to be claimed: one that has ended, or runs elsewhere, must not be. */
  tasks(number: number, skip: number, limit: number): TaskRecord[] {
    const lane = this.table.lane(number)
    const lines = this.table.linesOf(lane)
    if (lane.isReadAnew) readAnew(lane)
    const { read } = lane
    while (read.length < skip + limit && lane.readFrom < lines.length) {
      const isMore = lines[lane.readFrom]?.readInto(read, skip + limit)
      if (!isMore) lane.readFrom++
    }
    const found: TaskRecord[] = []
    const to = Math.min(read.length, skip + limit)
    for (let i = skip; i < to; i++) {
      const entry = read[i] as Entry
      found.push(this.claimable(lane, entry))
    }
    return found
  }

  private claimable({ number, type }: Lane, entry: Entry): TaskRecord {
    const { live } = entry
    if (live[Live.status] === 0 && live[Live.type] === type) return recordOf(entry)
    throw damaged(
      `task ${shown(entry.id)} (in ${this.context.base}tasks)`,
      `lane ${number} to hold pending tasks of one type`,
      `${live[Live.status]} ${live[Live.type]}`,
    )
  }

  /** Drops up to `limit` lanes and flows that nothing needs any more; answers how many. */
  forget(limit: number): number {
    this.place()
    const lanes = limit > 0 ? this.table.forget(limit) : 0
    return lanes + (limit > lanes ? this.flowTable.forget(this.virtualTime, limit - lanes) : 0)
  }

  end(): void {
    this.place()
    this.table.end()
    if (this.virtualTime !== this.context.meta.number("time")) this.context.meta.set("time", this.virtualTime)
  }

  /** The tasks that may be heads now, in one go. */
  private readHeads(): void {
    const seqs: number[] = []
    for (const lane of this.touched) {
      const first = lane.hasLost ? lane.lines?.[0]?.first() : undefined
      if (first !== undefined) seqs.push(first)
    }
    if (seqs.length > 1) this.taskTable.readBySeq(seqs)
  }

  private placeLane(lane: Lane): void {
    lane.isTouched = false
    const { gate, type, flow } = lane
    this.table.setHead(lane, lane.hasLost ? this.findHead(lane) : (lane.come ?? lane.head))
    this.touch(type, flow, gate)
    // An empty lane waits for nothing.
    if (!lane.head && gate !== ready) this.table.move(lane, ready)
  }

  /** The first of the highest priority; priorities that nobody has any more are dropped. */
  private findHead(lane: Lane): Head | null {
    readAnew(lane)
    // How many have left a list may have changed, whether the head did or not.
    this.table.change(lane)
    const lines = this.table.linesOf(lane)
    while (lines.length > 0) {
      const line = lines[0]
      line?.dropGone()
      const first = line?.next(1)
      if (first) return headOf(first)
      line?.end()
      lines.shift()
    }
    return null
  }

  private touchLane(lane: Lane): void {
    if (lane.isTouched) return
    lane.isTouched = true
    this.touched.push(lane)
  }

  private touch(type: string, flow: string, gate: number): string {
    const last = this.lastTouched
    if (last !== undefined && last.type === type && last.flow === flow && last.gate === gate) return this.lastKey
    const key = standingKey(type, flow, gate)
    if (this.standings[key] === undefined) {
      this.standings[key] = { type, flow, gate }
      this.standingKeys.push(key)
    }
    this.lastTouched = this.standings[key]
    this.lastKey = key
    return key
  }
}

/** Somebody has come or left since its tasks were read. */
function readAnew(lane: Lane): void {
  lane.isReadAnew = false
  lane.read = []
  lane.readFrom = 0
  if (lane.lines) for (const line of lane.lines) line.restart()
}

function standingKey(type: string, flow: string, gate: number): string {
  return `${gate}:${flowName(type, flow)}`
}

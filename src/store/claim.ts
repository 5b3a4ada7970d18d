// How claim chooses, for every store that runs it in TypeScript. It only reads, through a Backlog that the store opens on
// its atomic step, and looks at little more than what it returns.
//
// Between flows: the head's priority, then the flow's virtual time, then who came first. Inside a flow: lanes by their
// heads. Inside a lane: priority, ready_at, seq. Each task taken moves its flow's virtual time on by one.

import { isExpiredAt, type TaskRecord } from "../task/index.ts"
import { budgets, type ClaimRequest } from "./contract.ts"

export interface Head {
  readonly priority: number
  readonly readyAtMs: number
  readonly seq: number
}

/** Where a flow stands: by the priority and the sequence of its best head, and by its virtual time. */
export interface FlowPlace {
  readonly priority: number
  readonly virtualTime: number
  readonly seq: number
}

export interface FlowRow extends FlowPlace {
  readonly flow: string
}

export interface LaneRow extends Head {
  readonly lane: number
}

/** What claim sees of a store. Rows come in order, best first, `skip` of them left out. */
export interface Backlog {
  readonly virtualTime: number
  flows(type: string, skip: number, limit: number): readonly FlowRow[]
  lanes(type: string, flow: string, skip: number, limit: number): readonly LaneRow[]
  tasks(lane: number, skip: number, limit: number): readonly TaskRecord[]
}

export interface ServedFlow {
  readonly type: string
  readonly flow: string
  readonly virtualTime: number
}

export interface Chosen {
  readonly tasks: readonly TaskRecord[]
  /** Met on the way, past their expiry: to be marked so in the same step. */
  readonly overdue: readonly TaskRecord[]
  readonly served: readonly ServedFlow[]
  readonly virtualTime: number
  readonly touched: number
  readonly more: boolean
}

/** How far one task moves its flow. A unit is divided by a flow's weight, so it is large and divisible. */
const turn = 1_000_000

export function compareHeads(a: Head, b: Head): number {
  return b.priority - a.priority || a.readyAtMs - b.readyAtMs || a.seq - b.seq
}

export function compareFlows(a: FlowPlace, b: FlowPlace): number {
  return b.priority - a.priority || a.virtualTime - b.virtualTime || a.seq - b.seq
}

export function choose(backlog: Backlog, request: ClaimRequest, nowMs: number): Chosen {
  const max = Math.min(request.max, budgets.claimTasks)
  const count = { touched: 0 }
  // A type that is named twice is one type: lanes that are read twice would hand out their tasks twice.
  const rooms = new Map(request.types.map(({ type, room }) => [type, room]))
  const types = [...rooms].map(([type, room]) => ({ room, flows: openFlows(backlog, type, count) }))
  const taken: TaskRecord[] = []
  const overdue: TaskRecord[] = []
  const served = new Set<Flow>()
  let virtualTime = backlog.virtualTime
  while (taken.length < max && overdue.length < budgets.stepRows) {
    const best = bestFlow(types)
    const task = best?.flow.head()
    if (!best || !task) break
    best.flow.advance(Math.min(max - taken.length, best.from.room))
    if (isExpiredAt(task, nowMs)) {
      overdue.push(task)
      continue
    }
    taken.push(task)
    best.from.room--
    // A flow that nobody served for a while does not catch up on what it missed: it starts again at the present.
    virtualTime = Math.max(virtualTime, best.flow.virtualTime)
    best.flow.virtualTime = virtualTime + turn
    served.add(best.flow)
  }
  return {
    tasks: taken,
    overdue,
    served: [...served].map(({ type, flow, virtualTime: time }) => ({ type, flow, virtualTime: time })),
    virtualTime,
    touched: count.touched,
    more: taken.length + overdue.length > 0 && bestFlow(types) !== null,
  }
}

interface OpenType {
  room: number
  readonly flows: Frontier<Flow>
}

function bestFlow(types: readonly OpenType[]): { from: OpenType; flow: Flow } | null {
  let best: { from: OpenType; flow: Flow } | null = null
  for (const from of types) {
    const flow = from.room > 0 ? from.flows.best() : null
    if (flow && (!best || flow.compare(best.flow) < 0)) best = { from, flow }
  }
  return best
}

/** Something with a place in an order that changes as its tasks are taken; null once it is empty. */
interface Ranked<T> {
  compare(other: T): number
  isEmpty(): boolean
}

/**
 * The best of rows that are stored in order, read in pieces and re-ranked as they are used. What was not read yet ranks
 * behind the last row that was, as it was when it was read: `mark` remembers that.
 */
class Frontier<T extends Ranked<T>> {
  private readonly read: T[] = []
  private loaded = 0
  private size = 2
  private ended = false
  private isBehind: (item: T) => boolean = () => true
  private readonly load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }

  constructor(load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }) {
    this.load = load
  }

  best(): T | null {
    for (;;) {
      let best: T | null = null
      for (const item of this.read) if (!item.isEmpty() && (!best || item.compare(best) < 0)) best = item
      if (this.ended || (best && !this.isBehind(best))) return best
      const { items, isBehind } = this.load(this.loaded, this.size)
      this.loaded += items.length
      this.ended = items.length < this.size
      this.size = Math.min(this.size * 2, 32)
      this.isBehind = isBehind
      this.read.push(...items)
    }
  }

  get alone(): boolean {
    return this.ended && this.read.length === 1
  }
}

function openFlows(backlog: Backlog, type: string, count: { touched: number }): Frontier<Flow> {
  return new Frontier((skip, limit) => {
    const rows = backlog.flows(type, skip, limit)
    count.touched += rows.length
    const last = rows.at(-1)
    return {
      items: rows.map((row) => new Flow(type, row, backlog, count)),
      isBehind: (flow) => last !== undefined && flow.compareTo(last) > 0,
    }
  })
}

class Flow implements Ranked<Flow> {
  readonly type: string
  readonly flow: string
  virtualTime: number
  private readonly lanes: Frontier<Lane>

  constructor(type: string, row: FlowRow, backlog: Backlog, count: { touched: number }) {
    this.type = type
    this.flow = row.flow
    this.virtualTime = row.virtualTime
    this.lanes = new Frontier((skip, limit) => {
      const rows = backlog.lanes(type, row.flow, skip, limit)
      count.touched += rows.length
      const last = rows.at(-1)
      return {
        items: rows.map((lane) => new Lane(lane.lane, backlog, count)),
        isBehind: (lane) => last !== undefined && lane.compareTo(last) > 0,
      }
    })
  }

  head(): TaskRecord | null {
    return this.lanes.best()?.head() ?? null
  }

  isEmpty(): boolean {
    return this.lanes.best() === null
  }

  /** `wanted` tells how many more may be taken: a lane that has its flow to itself reads them all at once. */
  advance(wanted: number): void {
    this.lanes.best()?.advance(this.lanes.alone ? wanted : 4)
  }

  compare(other: Flow): number {
    const [mine, theirs] = [this.head(), other.head()]
    if (!mine || !theirs) return mine ? -1 : 1
    return compareFlows(this.place(mine), other.place(theirs))
  }

  compareTo(row: FlowRow): number {
    const mine = this.head()
    return mine ? compareFlows(this.place(mine), row) : 1
  }

  private place(head: TaskRecord): FlowPlace {
    return { priority: head.priority, virtualTime: this.virtualTime, seq: head.seq }
  }
}

class Lane implements Ranked<Lane> {
  private readonly lane: number
  private readonly backlog: Backlog
  private readonly count: { touched: number }
  private read: readonly TaskRecord[] = []
  private at = 0
  private skipped = 0
  private ended = false

  constructor(lane: number, backlog: Backlog, count: { touched: number }) {
    this.lane = lane
    this.backlog = backlog
    this.count = count
  }

  head(): TaskRecord | null {
    if (this.at >= this.read.length && !this.ended) this.readOn(1)
    return this.read[this.at] ?? null
  }

  isEmpty(): boolean {
    return this.head() === null
  }

  advance(wanted: number): void {
    this.at++
    if (this.at >= this.read.length && !this.ended) this.readOn(wanted)
  }

  compare(other: Lane): number {
    const [mine, theirs] = [this.head(), other.head()]
    if (!mine || !theirs) return mine ? -1 : 1
    return compareHeads(mine, theirs)
  }

  compareTo(row: LaneRow): number {
    const mine = this.head()
    return mine ? compareHeads(mine, row) : 1
  }

  private readOn(limit: number): void {
    this.skipped += this.read.length
    this.read = this.backlog.tasks(this.lane, this.skipped, limit)
    this.count.touched += this.read.length
    this.at = 0
    this.ended = this.read.length < limit
  }
}

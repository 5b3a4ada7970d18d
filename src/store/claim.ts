// How claim chooses, for every store that runs it in TypeScript. It only reads, through a Backlog that the store opens on
// its atomic step, and looks at little more than what it returns. Only the gates are charged on the way.
//
// Between flows: the head's priority, then the flow's virtual time, then who came first. Inside a flow: lanes by their
// heads. Inside a lane: priority, ready_at, seq. Each task taken moves its flow's virtual time on by one. A lane whose head a
// gate refuses goes to stand behind that gate.

import { copyTask } from "../task/copy.ts"
import type { Change, TaskRecord } from "../task/index.ts"
import { budgets } from "./contract.ts"
import type { ClaimRequest } from "./exchange-contract.ts"
import { Frontier, type Ranked } from "./frontier.ts"
import type { Gates, OpenGate } from "./gates.ts"

export interface Head {
  readonly priority: number
  readonly readyAtMs: number
  readonly seq: number
}

/** Where a flow stands: by its best head and its virtual time. Flows stand among each other as their lanes do inside one. */
export interface FlowPlace extends Head {
  readonly virtualTime: number
}

export interface FlowRow extends FlowPlace {
  readonly flow: string
  /** The flow's virtual time; where it waits at a gate, the one it was placed by may lag behind. */
  readonly flowTime: number
}

export interface LaneRow extends Head {
  readonly lane: number
  /** Its only task, where the store has it at hand and knows that there is no other. */
  readonly alone?: TaskRecord | undefined
}

/** Where ready lanes stand; any other number is a gate's. */
export const ready = 0

/** What claim sees of a store. Rows come in order, best first, `skip` of them left out. */
export interface Backlog {
  readonly virtualTime: number
  /** How many tasks of a lane are read on at once where those of other lanes come in between; 4 where it is not said. */
  readonly stride?: number
  flows(type: string, gate: number, skip: number, limit: number): readonly FlowRow[]
  lanes(type: string, gate: number, flow: string, skip: number, limit: number): readonly LaneRow[]
  tasks(lane: number, skip: number, limit: number): readonly TaskRecord[]
}

export interface ServedFlow {
  readonly type: string
  readonly flow: string
  readonly virtualTime: number
}

export interface ParkedLane {
  readonly lane: number
  readonly gate: number
}

export interface Chosen {
  readonly tasks: readonly TaskRecord[]
  /** How many of each type. */
  readonly taken: readonly { readonly type: string; readonly tasks: number }[]
  /** Lanes whose heads were refused, and where they wait now. */
  readonly parked: readonly ParkedLane[]
  /** Met on the way, and never to start: too late, or of a job that has ended. To be written in the same step. */
  readonly dropped: readonly Change[]
  readonly served: readonly ServedFlow[]
  readonly virtualTime: number
  readonly touched: number
  readonly more: boolean
}

/** How far one task moves its flow. A unit is divided by a flow's weight, so it is large and divisible. */
export const turn = 1_000_000

export function compareHeads(a: Head, b: Head): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  return a.readyAtMs === b.readyAtMs ? a.seq - b.seq : a.readyAtMs - b.readyAtMs
}

export function compareFlows(a: FlowPlace, b: FlowPlace): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  return a.virtualTime === b.virtualTime ? compareHeads(a, b) : a.virtualTime - b.virtualTime
}

/** Where a flow of this virtual time stands with this head. */
export function placeOf({ priority, readyAtMs, seq }: Head, virtualTime: number): FlowPlace {
  return { priority, readyAtMs, seq, virtualTime }
}

/** What choosing has to know beside the backlog. */
export interface Turn {
  /** What becomes of a task that cannot start any more; null where it can. */
  readonly drop: (task: TaskRecord) => Change | null
  readonly leaseMs: number
  readonly gates: Gates
}

export function choose(backlog: Backlog, request: ClaimRequest, { drop, leaseMs, gates }: Turn): Chosen {
  const max = Math.min(request.max, budgets.claimTasks)
  const count = { touched: 0 }
  // A type that is named twice is one type: lanes that are read twice would hand out their tasks twice.
  const rooms = new Map(request.types.map(({ type, room }) => [type, room]))
  const types = [...rooms].map(([type, room]) => ({ type, room, asked: room, flows: openFlows(backlog, type, count) }))
  const taken: TaskRecord[] = []
  const dropped: Change[] = []
  const parked: ParkedLane[] = []
  const served: Flow[] = []
  let virtualTime = backlog.virtualTime
  const timeOf = (type: string, name: string) => {
    for (const flow of served) if (flow.type === type && flow.flow === name) return flow.virtualTime
    return null
  }
  while (taken.length < max && dropped.length < budgets.stepRows && parked.length < budgets.parkedLanes) {
    const from = bestType(types)
    const flow = from?.flows.known
    const head = flow?.head
    if (!from || !flow || !head) break
    const end = drop(head)
    const isGated = !end && head.gates !== null && head.gates.length > 0
    const passing = isGated ? gates.pass(head, flow.virtualTime, timeOf, leaseMs) : null
    if (passing?.kind === "held") parked.push(flow.park(head, passing.by, gates))
    else {
      flow.advance(Math.min(max - taken.length, from.room))
      if (end) dropped.push(end)
      else {
        taken.push(passing && passing.gates !== head.gates ? withGates(head, passing.gates) : head)
        from.room--
        // A flow that nobody served for a while does not catch up on what it missed: it starts again at the present.
        virtualTime = Math.max(virtualTime, flow.virtualTime)
        flow.virtualTime = virtualTime + turn
        if (!flow.isServed) served.push(flow)
        flow.isServed = true
      }
    }
    from.flows.changed()
  }
  return {
    tasks: taken,
    taken: types.map(({ type, room, asked }) => ({ type, tasks: asked - room })),
    parked,
    dropped,
    served: served.map(({ type, flow, virtualTime: time }) => ({ type, flow, virtualTime: time })),
    virtualTime,
    touched: count.touched + parked.length,
    more: taken.length + dropped.length + parked.length > 0 && bestType(types) !== null,
  }
}

function withGates(task: TaskRecord, gates: TaskRecord["gates"]): TaskRecord {
  const charged = copyTask(task)
  charged.gates = gates
  return charged
}

interface OpenType {
  room: number
  readonly flows: Frontier<Flow>
}

/** The one whose best flow is the best of all. */
function bestType(types: readonly OpenType[]): OpenType | null {
  let best: OpenType | null = null
  let first: Flow | null = null
  for (const from of types) {
    const flow = from.room > 0 ? from.flows.best() : null
    if (!flow || (first && flow.compare(first) >= 0)) continue
    best = from
    first = flow
  }
  return best
}

function openFlows(backlog: Backlog, type: string, count: { touched: number }): Frontier<Flow> {
  return new Frontier((skip, limit) => {
    const rows = backlog.flows(type, ready, skip, limit)
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
  isServed = false
  /** The first task of its best lane, as of the last refresh. */
  head: TaskRecord | null = null
  private readonly lanes: Frontier<Lane>
  private readonly stride: number

  constructor(type: string, row: FlowRow, backlog: Backlog, count: { touched: number }) {
    this.type = type
    this.flow = row.flow
    this.virtualTime = row.virtualTime
    this.stride = backlog.stride ?? 4
    this.lanes = new Frontier((skip, limit) => {
      const rows = backlog.lanes(type, ready, row.flow, skip, limit)
      count.touched += rows.length
      const last = rows.at(-1)
      return {
        items: rows.map((lane) => openLane(lane, backlog, count)),
        isBehind: (lane) => last !== undefined && lane.compareTo(last) > 0,
      }
    })
  }

  refresh(): void {
    this.head = this.lanes.best()?.head ?? null
  }

  isEmpty(): boolean {
    return this.head === null
  }

  /** `wanted` tells how many more may be taken: a lane that has its flow to itself reads them all at once. */
  advance(wanted: number): void {
    this.lanes.known?.advance(this.lanes.isAlone() ? wanted : this.stride)
    this.lanes.changed()
  }

  /** The lane with the best head leaves, to wait at the gate. */
  park(task: TaskRecord, gate: OpenGate, gates: Gates): ParkedLane {
    const lane = this.lanes.known?.park() ?? 0
    this.lanes.changed()
    const place = placeOf(task, this.virtualTime)
    return { lane, gate: gates.join(gate, this.type, { ...place, flow: this.flow, flowTime: place.virtualTime }) }
  }

  compare(other: Flow): number {
    const mine = this.head
    const theirs = other.head
    if (!mine || !theirs) return mine ? -1 : 1
    return compareFlows(placeOf(mine, this.virtualTime), placeOf(theirs, other.virtualTime))
  }

  compareTo(row: FlowRow): number {
    const mine = this.head
    return mine ? compareFlows(placeOf(mine, this.virtualTime), row) : 1
  }
}

function openLane({ lane, alone }: LaneRow, backlog: Backlog, count: { touched: number }): Lane {
  const opened = new Lane(lane, backlog, count)
  opened.open(alone)
  return opened
}

class Lane implements Ranked<Lane> {
  /** Its next task; null where there is none, or a gate has refused it. */
  head: TaskRecord | null = null
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

  /** Reads its first task, where that has not come with its row. */
  open(alone: TaskRecord | undefined): void {
    if (alone) {
      this.head = alone
      this.ended = true
      this.count.touched++
    } else this.head = this.readOn(1)
  }

  park(): number {
    this.head = null
    return this.lane
  }

  /** Its next task is read when it is asked for. */
  refresh(): void {}

  isEmpty(): boolean {
    return this.head === null
  }

  advance(wanted: number): void {
    this.at++
    this.head = this.at >= this.read.length && !this.ended ? this.readOn(wanted) : (this.read[this.at] ?? null)
  }

  compare(other: Lane): number {
    const mine = this.head
    const theirs = other.head
    if (!mine || !theirs) return mine ? -1 : 1
    return compareHeads(mine, theirs)
  }

  compareTo(row: LaneRow): number {
    return this.head ? compareHeads(this.head, row) : 1
  }

  private readOn(limit: number): TaskRecord | null {
    this.skipped += this.read.length
    this.read = this.backlog.tasks(this.lane, this.skipped, limit)
    this.count.touched += this.read.length
    this.at = 0
    this.ended = this.read.length < limit
    return this.read[0] ?? null
  }
}

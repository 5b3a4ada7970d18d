// Lanes and flows in memory. A lane stands in its flow by its head, a flow at its place by its best lane; both are moved
// whenever the head changes, so that what claim reads is always the projection of the waiting tasks. A place is where lanes of
// one type stand: ready, or at one gate.

import { type Backlog, type Chosen, compareHeads, type FlowPlace, type FlowRow, type Head, type LaneRow, ready } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import type { ImageLine, Restore } from "./image.ts"
import { SortedSet } from "./sorted.ts"

interface Lane {
  readonly number: number
  readonly key: string
  readonly type: string
  readonly flow: Flow
  readonly tasks: SortedSet<TaskRecord>
  gate: number
  /** The head it stands by; null while it stands nowhere. */
  head: Head | null
}

interface Flow {
  readonly type: string
  readonly name: string
  virtualTime: number
  /** Where it stands. */
  readonly standings: Map<number, Standing>
}

/** A flow at one place, with those of its lanes that stand there. */
interface Standing {
  readonly flow: Flow
  readonly lanes: SortedSet<Lane & { head: Head }>
  head: Head | null
  /** The virtual time it stands by. */
  virtualTime: number
}

export interface PlaceName {
  readonly type: string
  readonly gate: number
}

export class Lanes implements Backlog {
  virtualTime = 0
  private made = 0
  private readonly byKey = new Map<string, Lane>()
  private readonly byNumber = new Map<number, Lane>()
  private readonly flowsByKey = new Map<string, Flow>()
  private readonly places = new Map<string, SortedSet<Standing & { head: Head }>>()
  private readonly changed = new Map<string, PlaceName>()

  /** Its tasks are told with each of them. */
  image(): ImageLine[] {
    const flows = [...this.flowsByKey.values()]
    return [
      ["lanes", this.made, this.virtualTime],
      ...flows.map(({ type, name, virtualTime }): ImageLine => ["flow", type, name, virtualTime]),
      ...[...this.byKey.values()].map(({ number, key, type, flow, gate }): ImageLine => ["lane", number, key, type, flow.name, gate]),
    ]
  }

  /** Behind the tasks: where each flow stands, and by which virtual time. */
  standings(): ImageLine[] {
    return [...this.flowsByKey.values()].flatMap(({ type, name, standings }) =>
      [...standings].map(([gate, { virtualTime }]): ImageLine => ["standing", type, name, gate, virtualTime]),
    )
  }

  readonly restore: Restore = {
    lanes: (made: number, virtualTime: number) => {
      this.made = made
      this.virtualTime = virtualTime
    },
    flow: (type: string, name: string, virtualTime: number) => {
      this.flowsByKey.set(flowKey(type, name), { type, name, virtualTime, standings: new Map() })
    },
    lane: (number: number, key: string, type: string, flowName: string, gate: number) => {
      const flow = this.flowsByKey.get(flowKey(type, flowName)) as Flow
      this.keep({ number, key, type, flow, tasks: new SortedSet<TaskRecord>(compareHeads), gate, head: null })
    },
    standing: (type: string, name: string, gate: number, virtualTime: number) => {
      const flow = this.flowsByKey.get(flowKey(type, name)) as Flow
      const standing: Standing = { flow, lanes: lanesByHead(), head: null, virtualTime }
      flow.standings.set(gate, standing)
    },
  }

  /** It was there when the image was made. */
  return(task: TaskRecord, number: number): void {
    this.byNumber.get(number)?.tasks.add(task)
  }

  /** Once everything is back: every lane goes to where it stood. */
  returned(): void {
    for (const lane of this.byNumber.values()) {
      const first = lane.tasks.first()
      if (!first) continue
      lane.head = headOf(first)
      lane.flow.standings.get(lane.gate)?.lanes.add(lane as Lane & { head: Head })
    }
    for (const flow of this.flowsByKey.values())
      for (const [gate, standing] of flow.standings) this.placeBy(standing, gate, standing.virtualTime)
    this.changed.clear()
  }

  add(task: TaskRecord): number {
    const lane = this.laneFor(task)
    lane.tasks.add(task)
    this.place(lane)
    return lane.number
  }

  delete(task: TaskRecord, number: number): void {
    const lane = this.byNumber.get(number)
    if (!lane) return
    lane.tasks.delete(task)
    this.place(lane)
    // An empty lane waits for nothing.
    if (lane.head === null) lane.gate = ready
  }

  standAt(number: number, gate: number): void {
    const lane = this.byNumber.get(number)
    if (!lane || lane.gate === gate || !lane.head) return
    this.leave(lane)
    lane.gate = gate
    // It was not idle: it keeps the virtual time that it waited with.
    this.enter(lane, lane.flow.virtualTime)
  }

  flows(type: string, gate: number, skip: number, limit: number): FlowRow[] {
    const rows = this.places.get(placeKey(type, gate))?.slice(skip, limit) ?? []
    return rows.map((standing) => ({ ...place(standing), flow: standing.flow.name, flowTime: standing.flow.virtualTime }))
  }

  lanes(type: string, gate: number, flow: string, skip: number, limit: number): LaneRow[] {
    const rows = this.flowsByKey.get(flowKey(type, flow))?.standings.get(gate)?.lanes.slice(skip, limit) ?? []
    return rows.map((lane) => ({ ...lane.head, lane: lane.number }))
  }

  tasks(lane: number, skip: number, limit: number): TaskRecord[] {
    return this.byNumber.get(lane)?.tasks.slice(skip, limit) ?? []
  }

  /** How many stand before the task, and how many of its priority or above stand there. */
  rank(task: TaskRecord, number: number): { before: number; of: number } {
    const tasks = this.byNumber.get(number)?.tasks
    const behindAll = { ...task, readyAtMs: Number.POSITIVE_INFINITY }
    return { before: tasks?.countBefore(task) ?? 0, of: tasks?.countBefore(behindAll) ?? 0 }
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
    for (const served of chosen.served) {
      const flow = this.flowsByKey.get(flowKey(served.type, served.flow))
      if (flow) this.setTime(flow, served.virtualTime)
    }
  }

  refresh(type: string, gate: number, name: string): void {
    const standing = this.flowsByKey.get(flowKey(type, name))?.standings.get(gate)
    if (standing) this.placeStanding(standing, gate)
  }

  takeChanged(): PlaceName[] {
    const changed = [...this.changed.values()]
    this.changed.clear()
    return changed
  }

  hasWaiters(type: string, gate: number): boolean {
    return this.places.has(placeKey(type, gate))
  }

  /** An idle flow is forgotten once the present has reached its virtual time: made anew, it would start at the same place. */
  forget(limit: number): number {
    let forgotten = 0
    for (const lane of this.byKey.values()) {
      if (forgotten >= limit) break
      if (lane.head !== null) continue
      this.byKey.delete(lane.key)
      this.byNumber.delete(lane.number)
      forgotten++
    }
    for (const [key, flow] of this.flowsByKey) {
      if (forgotten >= limit) break
      if (flow.standings.size > 0 || flow.virtualTime > this.virtualTime) continue
      this.flowsByKey.delete(key)
      forgotten++
    }
    return forgotten
  }

  /** Whether there is anything to forget. */
  hasForgettable(): boolean {
    for (const lane of this.byKey.values()) if (lane.head === null) return true
    for (const flow of this.flowsByKey.values()) if (flow.standings.size === 0 && flow.virtualTime <= this.virtualTime) return true
    return false
  }

  private laneFor(task: TaskRecord): Lane {
    const key = laneKey(task)
    const known = this.byKey.get(key)
    if (known) return known
    const tasks = new SortedSet<TaskRecord>(compareHeads)
    const lane: Lane = { number: ++this.made, key, type: task.type, flow: this.flowFor(task), tasks, gate: ready, head: null }
    this.keep(lane)
    return lane
  }

  private keep(lane: Lane): void {
    this.byKey.set(lane.key, lane)
    this.byNumber.set(lane.number, lane)
  }

  private flowFor(task: TaskRecord): Flow {
    const key = flowKey(task.type, task.flow)
    const known = this.flowsByKey.get(key)
    if (known) return known
    const flow: Flow = { type: task.type, name: task.flow, virtualTime: this.virtualTime, standings: new Map() }
    this.flowsByKey.set(key, flow)
    return flow
  }

  private place(lane: Lane): void {
    const first = lane.tasks.first()
    if (lane.head?.seq === first?.seq && lane.head?.readyAtMs === first?.readyAtMs) return
    const { flow } = lane
    const standing = flow.standings.get(lane.gate)
    if (lane.head && first && standing) {
      // It stays where it is, with another head: nearly every task that is taken.
      const isAlone = standing.lanes.size === 1
      if (!isAlone) standing.lanes.delete(lane as Lane & { head: Head })
      lane.head = headOf(first)
      if (!isAlone) standing.lanes.add(lane as Lane & { head: Head })
      this.placeStanding(standing, lane.gate)
      return
    }
    // A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
    const isResumed = lane.gate === ready && !flow.standings.has(ready)
    this.leave(lane)
    lane.head = first ? headOf(first) : null
    this.enter(lane, isResumed ? Math.max(flow.virtualTime, this.virtualTime) : flow.virtualTime)
  }

  private leave(lane: Lane): void {
    const standing = lane.flow.standings.get(lane.gate)
    if (!standing || !lane.head) return
    standing.lanes.delete(lane as Lane & { head: Head })
    this.placeStanding(standing, lane.gate)
  }

  private enter(lane: Lane, virtualTime: number): void {
    if (!lane.head) return
    const { flow, gate } = lane
    flow.virtualTime = virtualTime
    const standing = flow.standings.get(gate) ?? { flow, lanes: lanesByHead(), head: null, virtualTime: flow.virtualTime }
    flow.standings.set(gate, standing)
    standing.lanes.add(lane as Lane & { head: Head })
    this.placeStanding(standing, gate)
  }

  private setTime(flow: Flow, virtualTime: number): void {
    flow.virtualTime = virtualTime
    const standing = flow.standings.get(ready)
    if (standing) this.placeStanding(standing, ready)
  }

  /** By its best lane and its flow's virtual time; nowhere without lanes. */
  private placeStanding(standing: Standing, gate: number): void {
    this.placeBy(standing, gate, standing.flow.virtualTime)
  }

  private placeBy(standing: Standing, gate: number, virtualTime: number): void {
    const { flow } = standing
    const key = placeKey(flow.type, gate)
    const there = this.places.get(key) ?? new SortedSet<Standing & { head: Head }>(compareStandings)
    const head = standing.lanes.first()?.head ?? null
    const isAlone = standing.head !== null && head !== null && there.size === 1
    if (standing.head && !isAlone) there.delete(standing as Standing & { head: Head })
    standing.head = head
    standing.virtualTime = virtualTime
    if (!head) flow.standings.delete(gate)
    else if (!isAlone) there.add(standing as Standing & { head: Head })
    if (there.size === 0) this.places.delete(key)
    else if (there.size === 1 && !isAlone) this.places.set(key, there)
    if (gate !== ready) this.changed.set(key, { type: flow.type, gate })
  }
}

function headOf({ priority, readyAtMs, seq }: TaskRecord): Head {
  return { priority, readyAtMs, seq }
}

function lanesByHead(): SortedSet<Lane & { head: Head }> {
  return new SortedSet((a, b) => compareHeads(a.head, b.head))
}

/** As compareFlows has it, without making a place of each. */
function compareStandings(a: Standing & { head: Head }, b: Standing & { head: Head }): number {
  if (a.head.priority !== b.head.priority) return b.head.priority - a.head.priority
  return a.virtualTime === b.virtualTime ? compareHeads(a.head, b.head) : a.virtualTime - b.virtualTime
}

function place({ head, virtualTime }: Standing & { head: Head }): FlowPlace {
  return { ...head, virtualTime }
}

function placeKey(type: string, gate: number): string {
  return `${gate} ${type}`
}

function flowKey(type: string, flow: string): string {
  return JSON.stringify([type, flow])
}

/** What a task costs at a gate is its own affair: tasks that pass the same gates share a lane. */
function laneKey(task: TaskRecord): string {
  return JSON.stringify([task.type, task.flow, (task.gates ?? []).map(({ limit, key }) => [limit, key])])
}

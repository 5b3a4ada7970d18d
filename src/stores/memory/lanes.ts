// Lanes and flows in memory. A lane stands in its flow by its head, a flow in its type by its best lane; both are moved
// whenever the head changes, so that what claim reads is always the projection of the waiting tasks.

import {
  type Backlog,
  type Chosen,
  compareFlows,
  compareHeads,
  type FlowPlace,
  type FlowRow,
  type Head,
  type LaneRow,
} from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import { SortedSet } from "./sorted.ts"

interface Lane {
  readonly number: number
  readonly key: string
  readonly flow: Flow
  readonly tasks: SortedSet<TaskRecord>
  /** The head it stands by; null while it stands nowhere. */
  head: Head | null
}

interface Flow {
  readonly type: string
  readonly name: string
  readonly lanes: SortedSet<Lane & { head: Head }>
  head: Head | null
  /** The virtual time it stands by. */
  virtualTime: number
}

export class Lanes implements Backlog {
  virtualTime = 0
  private made = 0
  private readonly byKey = new Map<string, Lane>()
  private readonly byNumber = new Map<number, Lane>()
  private readonly flowsByKey = new Map<string, Flow>()
  private readonly ready = new Map<string, SortedSet<Flow & { head: Head }>>()

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
  }

  flows(type: string, skip: number, limit: number): FlowRow[] {
    const rows = this.ready.get(type)?.slice(skip, limit) ?? []
    return rows.map((flow) => ({ ...place(flow), flow: flow.name }))
  }

  lanes(type: string, flow: string, skip: number, limit: number): LaneRow[] {
    const rows = this.flowsByKey.get(flowKey(type, flow))?.lanes.slice(skip, limit) ?? []
    return rows.map((lane) => ({ ...lane.head, lane: lane.number }))
  }

  tasks(lane: number, skip: number, limit: number): TaskRecord[] {
    return this.byNumber.get(lane)?.tasks.slice(skip, limit) ?? []
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
    for (const served of chosen.served) {
      const flow = this.flowsByKey.get(flowKey(served.type, served.flow))
      if (flow) this.placeFlow(flow, served.virtualTime)
    }
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
      if (flow.head !== null || flow.virtualTime > this.virtualTime) continue
      this.flowsByKey.delete(key)
      forgotten++
    }
    return forgotten
  }

  private laneFor(task: TaskRecord): Lane {
    const key = laneKey(task)
    const known = this.byKey.get(key)
    if (known) return known
    const lane: Lane = { number: ++this.made, key, flow: this.flowFor(task), tasks: new SortedSet<TaskRecord>(compareHeads), head: null }
    this.byKey.set(key, lane)
    this.byNumber.set(lane.number, lane)
    return lane
  }

  private flowFor(task: TaskRecord): Flow {
    const key = flowKey(task.type, task.flow)
    const known = this.flowsByKey.get(key)
    if (known) return known
    const lanes = new SortedSet<Lane & { head: Head }>((a, b) => compareHeads(a.head, b.head))
    const flow: Flow = { type: task.type, name: task.flow, lanes, head: null, virtualTime: this.virtualTime }
    this.flowsByKey.set(key, flow)
    return flow
  }

  private place(lane: Lane): void {
    const first = lane.tasks.first()
    if (lane.head?.seq === first?.seq && lane.head?.readyAtMs === first?.readyAtMs) return
    if (lane.head) lane.flow.lanes.delete(lane as Lane & { head: Head })
    lane.head = first ? { priority: first.priority, readyAtMs: first.readyAtMs, seq: first.seq } : null
    if (lane.head) lane.flow.lanes.add(lane as Lane & { head: Head })
    // A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
    const { head, virtualTime } = lane.flow
    this.placeFlow(lane.flow, head === null ? Math.max(virtualTime, this.virtualTime) : virtualTime)
  }

  private placeFlow(flow: Flow, virtualTime: number): void {
    const ready = this.ready.get(flow.type) ?? new SortedSet<Flow & { head: Head }>((a, b) => compareFlows(place(a), place(b)))
    this.ready.set(flow.type, ready)
    if (flow.head) ready.delete(flow as Flow & { head: Head })
    flow.head = flow.lanes.first()?.head ?? null
    flow.virtualTime = virtualTime
    if (flow.head) ready.add(flow as Flow & { head: Head })
    if (ready.size === 0) this.ready.delete(flow.type)
  }
}

function place(flow: Flow & { head: Head }): FlowPlace {
  return { priority: flow.head.priority, virtualTime: flow.virtualTime, seq: flow.head.seq }
}

function flowKey(type: string, flow: string): string {
  return JSON.stringify([type, flow])
}

function laneKey(task: TaskRecord): string {
  return JSON.stringify([task.type, task.flow, task.gates])
}

// What is found by something other than its id: times, numbers, counts and lanes. Each is a projection of the tasks and nothing more: a task
// enters all of them as it is, and leaves them as it was.

import type { Gates } from "../../store/gates.ts"
import { isFinished, type Status, statuses, type TaskRecord } from "../../task/index.ts"
import type { MemoryGates } from "./gates.ts"
import type { MemoryJobs } from "./jobs.ts"
import type { Lanes } from "./lanes.ts"
import type { Brief } from "./row.ts"
import { SortedSet } from "./sorted.ts"
import type { MemoryWorkers } from "./workers.ts"

/** A place in an index that is ordered by a time. */
export interface Timed {
  readonly atMs: number
  readonly seq: number
  readonly id: string
}

/** The records around, which are indexes of their own: the gates of the step that is under way, and the time of it. */
export interface Around {
  readonly nowMs: number
  readonly gates: Gates
  readonly limits: MemoryGates
  readonly jobRecords: MemoryJobs
  readonly lanes: Lanes
  readonly seenWorkers: MemoryWorkers
}

const timed = () => new SortedSet<Timed>((a, b) => a.atMs - b.atMs || a.seq - b.seq)

export class Indexes {
  readonly bySeq = new SortedSet<{ seq: number; id: string }>((a, b) => a.seq - b.seq)
  readonly leases = timed()
  readonly expiries = timed()
  readonly finished = timed()
  private readonly keys = new Map<string, string>()
  private readonly scheduled = new Map<string, SortedSet<Timed>>()
  private readonly unroutedByType = new Map<string, SortedSet<Timed>>()
  private readonly tallies = new Map<string, Record<Status, number>>()
  /** The lane that a waiting task stands in. */
  private readonly laneOf = new Map<string, number>()
  private readonly around: Around

  constructor(around: Around) {
    this.around = around
  }

  /** What never changes about a task. */
  add({ id, seq, idempotencyKey }: Pick<TaskRecord, "id" | "seq" | "idempotencyKey">): void {
    this.bySeq.add({ seq, id })
    if (idempotencyKey !== null) this.keys.set(idempotencyKey, id)
  }

  remove({ id, seq, idempotencyKey }: TaskRecord): void {
    this.bySeq.delete({ seq, id })
    if (idempotencyKey !== null) this.keys.delete(idempotencyKey)
  }

  enter(task: TaskRecord): void {
    this.enterBeside(task)
    if (task.status !== "pending" || task.gates === null) return
    if (task.availableAtMs <= this.around.nowMs) this.enterLane(task)
    else this.schedule(task)
  }

  leave(task: TaskRecord): void {
    this.tally(task)[task.status]--
    this.around.jobRecords.leave(task)
    if (task.expiresAtMs !== null) this.expiries.delete(place(task, task.expiresAtMs))
    if (task.status === "pending") this.leavePending(task)
    if (task.leaseExpiresAtMs !== null) this.leases.delete(place(task, task.leaseExpiresAtMs))
    this.around.seenWorkers.leave(task)
    if (isFinished(task.status)) this.finished.delete(place(task, task.updatedAtMs))
  }

  /** As it was when the image was made: `lane` is 0 for one that stood in none. */
  return(task: TaskRecord, lane: number): void {
    this.add(task)
    this.enterBeside(task)
    if (task.status !== "pending" || task.gates === null) return
    if (lane === 0) {
      this.schedule(task)
      return
    }
    const { lanes, limits } = this.around
    this.laneOf.set(task.id, lane)
    lanes.return(task, lane)
    limits.countTask(task, 1, (key) => limits.numberOf(key))
  }

  returnFinished(task: Brief): void {
    this.add(task)
    this.tally(task)[task.status]++
    this.enterFinished(task)
  }

  /** One that is due leaves the schedule for its lane. */
  promote(task: TaskRecord): void {
    this.scheduled.get(task.type)?.delete(place(task, task.availableAtMs))
    this.enterLane(task)
  }

  ofKey(key: string): string | undefined {
    return this.keys.get(key)
  }

  lane(id: string): number | undefined {
    return this.laneOf.get(id)
  }

  due(type: string, limit: number): Timed[] {
    return this.scheduled.get(type)?.takeWhile(({ atMs }) => atMs <= this.around.nowMs, limit) ?? []
  }

  nextDueAtMs(type: string): number | null {
    return this.scheduled.get(type)?.first()?.atMs ?? null
  }

  unrouted(type: string, limit: number): Timed[] {
    return this.unroutedByType.get(type)?.slice(0, limit) ?? []
  }

  /** Of one type, or of all. */
  counts(type: string | null): Record<Status, number> {
    const total = noTasks()
    for (const [each, tally] of this.tallies) {
      if (type === null || type === each) for (const status of statuses) total[status] += tally[status]
    }
    return total
  }

  /** In all but lanes and schedules, where what was decided once is kept. */
  private enterBeside(task: TaskRecord): void {
    this.tally(task)[task.status]++
    this.around.jobRecords.enter(task)
    if (task.status === "pending") {
      if (task.expiresAtMs !== null) this.expiries.add(place(task, task.expiresAtMs))
      if (task.gates === null) known(this.unroutedByType, task.type, timed).add(place(task, task.seq))
    }
    if (task.status === "running" && task.leaseExpiresAtMs !== null && task.workerId !== null) {
      this.leases.add(place(task, task.leaseExpiresAtMs))
      this.around.seenWorkers.enter(task)
    }
    this.enterFinished(task)
  }

  private enterFinished(task: Brief): void {
    if (isFinished(task.status) && task.status !== "archived") this.finished.add(place(task, task.updatedAtMs))
  }

  private leavePending(task: TaskRecord): void {
    const { lanes, limits, gates } = this.around
    const lane = this.laneOf.get(task.id)
    if (lane !== undefined) {
      lanes.delete(task, lane)
      limits.countTask(task, -1, (key) => gates.numberOf(key))
      this.laneOf.delete(task.id)
      return
    }
    this.unroutedByType.get(task.type)?.delete(place(task, task.seq))
    this.scheduled.get(task.type)?.delete(place(task, task.availableAtMs))
    if (this.scheduled.get(task.type)?.size === 0) this.scheduled.delete(task.type)
  }

  private enterLane(task: TaskRecord): void {
    const { lanes, limits, gates } = this.around
    this.laneOf.set(task.id, lanes.add(task))
    limits.countTask(task, 1, (key) => gates.numberOf(key))
  }

  private schedule(task: TaskRecord): void {
    known(this.scheduled, task.type, timed).add(place(task, task.availableAtMs))
  }

  private tally({ type }: Pick<TaskRecord, "type">): Record<Status, number> {
    return known(this.tallies, type, noTasks)
  }
}

function place({ id, seq }: Pick<TaskRecord, "id" | "seq">, atMs: number): Timed {
  return { atMs, seq, id }
}

function known<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

function noTasks(): Record<Status, number> {
  return Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
}

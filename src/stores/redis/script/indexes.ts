// Where a task is found by what it is: waiting in a lane, scheduled, unrouted, running at a worker, expiring, finished. Each is told when a task
// comes and when it leaves.

import type { TaskRecord } from "../../../task/index.ts"
import { tonumber } from "./builtins.ts"
import { type Context, damaged } from "./context.ts"
import { Finished } from "./finished.ts"
import type { Lanes } from "./lanes.ts"
import { Leases } from "./leases.ts"
import { Live, Standing } from "./live.ts"
import { redis } from "./server.ts"
import type { Entry } from "./stored-task.ts"
import type { Tasks } from "./tasks.ts"
import { firstMember } from "./waiting-line.ts"
import type { Writes } from "./writes.ts"

export class Indexes {
  readonly leases: Leases
  readonly finished: Finished
  private readonly base: string
  private readonly nowMs: number
  private readonly tasks: Tasks
  private readonly writes: Writes
  private readonly lanes: Lanes

  constructor(context: Context, tasks: Tasks, writes: Writes, lanes: Lanes) {
    this.base = context.base
    this.nowMs = context.nowMs
    this.leases = new Leases(context, tasks, writes)
    this.finished = new Finished(context, tasks, writes)
    this.tasks = tasks
    this.writes = writes
    this.lanes = lanes
  }

  /** `isLast`: it was submitted just now. */
  enter(entry: Entry, task: TaskRecord, isLast: boolean): void {
    const { status, seq } = task
    if (status === "pending") {
      if (task.expiresAtMs !== null) this.writes.addSorted(this.expiriesKey(), task.expiresAtMs, firstMember + seq)
      if (task.gates === null) this.writes.addSorted(this.unroutedKey(task.type), seq, seq)
      else if (task.availableAtMs <= this.nowMs) this.lanes.enter(entry, task, isLast)
      else this.writes.addSorted(this.dueKey(task.type), task.availableAtMs, firstMember + seq)
    } else if (status === "running") {
      const workerId = task.workerId ?? ""
      this.leases.start(workerId, seq, task.leaseExpiresAtMs ?? 0)
      if (task.cancelRequestedAtMs !== null) this.leases.askToStop(workerId, seq)
    } else if (status !== "archived") this.finish(seq)
  }

  /** `before`: the record as it is stored. */
  leave(entry: Entry, before: TaskRecord): void {
    if (before.status === "pending") this.leavePending(entry, before)
    else if (before.status === "running") this.leaveRunning(entry)
  }

  leavePending(entry: Entry, task: TaskRecord): void {
    const { live } = entry
    const { seq } = task
    if (typeof live[Live.expiresAtMs] === "number") this.writes.removeSorted(this.expiriesKey(), firstMember + seq)
    if (live[Live.standing] !== Standing.none) this.lanes.leave(entry, task)
    else if (live[Live.gates] === true) this.writes.removeSorted(this.unroutedKey(task.type), seq)
    else this.writes.removeSorted(this.dueKey(task.type), firstMember + seq)
  }

  leaveRunning({ live }: Entry): void {
    const [workerId, seq] = [live[Live.workerId] as string, live[Live.seq] as number]
    this.leases.end(workerId, seq)
    if (typeof live[Live.cancelRequestedAtMs] === "number") this.leases.stopped(workerId, seq)
  }

  finish(seq: number): void {
    this.finished.add(seq)
  }

  /** Its time has come: it goes into its lane. */
  promote(entry: Entry, task: TaskRecord): void {
    this.writes.removeSorted(this.dueKey(task.type), firstMember + task.seq)
    this.lanes.enter(entry, task, false)
  }

  due(type: string, limit: number): TaskRecord[] {
    const found: TaskRecord[] = []
    const key = this.dueKey(type)
    const seqs = this.seqsUpTo(key, limit)
    const tasks = this.tasks.records(this.tasks.idsOf(seqs))
    // What names no task would be due for ever.
    if (tasks.length < seqs.length)
      for (const seq of seqs)
        if (!tasks.some((task) => task.seq === seq))
          throw damaged(`task number ${seq} (in ${key})`, "its record, which an index names", undefined)
    for (const task of tasks) {
      // What has ended, or stands in a lane already, is not to come into one.
      if (task.status === "pending" && task.gates !== null && !this.isStanding(task) && task.availableAtMs <= this.nowMs) found.push(task)
      else this.putRight(key, task, task.status === "pending" && !this.isStanding(task) ? task.availableAtMs : null)
    }
    return found
  }

  private isStanding({ id }: TaskRecord): boolean {
    const standing = this.tasks.entry(id)?.live[Live.standing]
    return standing !== undefined && standing !== Standing.none
  }

  /** The index has it at another time than the task says; null: it has no place there. */
  private putRight(key: string, { seq }: TaskRecord, atMs: number | null): void {
    if (atMs === null || atMs <= this.nowMs) this.writes.removeSorted(key, firstMember + seq)
    else this.writes.addSorted(key, atMs, firstMember + seq)
  }

  nextDueAtMs(type: string): number | null {
    const key = this.dueKey(type)
    this.writes.settle(key)
    const [, score] = redis.call("ZRANGE", key, 0, 0, "WITHSCORES") as string[]
    return score === undefined ? null : tonumber(score)
  }

  overdue(limit: number): TaskRecord[] {
    const found: TaskRecord[] = []
    for (const task of this.tasks.soundRecords(this.tasks.idsOf(this.seqsUpTo(this.expiriesKey(), limit)))) {
      const isPending = task.status === "pending"
      if (isPending && task.expiresAtMs !== null && task.expiresAtMs <= this.nowMs) found.push(task)
      else this.putRight(this.expiriesKey(), task, isPending ? task.expiresAtMs : null)
    }
    return found
  }

  /** Of those that expire by then, the earliest first. */
  expiring(byMs: number, limit: number): TaskRecord[] {
    if (limit <= 0) return []
    this.writes.settle(this.expiriesKey())
    const members = redis.call("ZRANGEBYSCORE", this.expiriesKey(), "-inf", byMs, "LIMIT", 0, limit) as string[]
    const found = this.tasks.soundRecords(this.tasks.idsOf(members.map((member) => tonumber(member) - firstMember)))
    return found.filter(({ status, expiresAtMs }) => status === "pending" && expiresAtMs !== null && expiresAtMs <= byMs)
  }

  unrouted(types: readonly string[], limit: number): TaskRecord[] {
    const found: TaskRecord[] = []
    for (const type of types) for (const task of this.unroutedOf(type, limit)) found.push(task)
    return types.length === 1 ? found : found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  private unroutedOf(type: string, limit: number): TaskRecord[] {
    const key = this.unroutedKey(type)
    this.writes.settle(key)
    const seqs = redis.call("ZRANGE", key, 0, limit - 1) as string[]
    return seqs.length === 0 ? [] : this.tasks.records(this.tasks.idsOf(seqs.map((seq) => tonumber(seq))))
  }

  end(): void {
    this.leases.flush()
  }

  /** Of those whose time has come, the earliest first. */
  private seqsUpTo(key: string, limit: number): number[] {
    if (limit <= 0) return []
    this.writes.settle(key)
    const members = redis.call("ZRANGEBYSCORE", key, "-inf", this.nowMs, "LIMIT", 0, limit) as string[]
    return members.map((member) => tonumber(member) - firstMember)
  }

  private dueKey(type: string): string {
    return `${this.base}due:${type}`
  }

  private unroutedKey(type: string): string {
    return `${this.base}unrouted:${type}`
  }

  private expiriesKey(): string {
    return `${this.base}expiries`
  }
}

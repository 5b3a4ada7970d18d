// The records of one namespace as one step sees them, in Redis. A task is read once and written once, when the step ends, together with
// all others that were changed; what indexes have to know of it is kept back until then, or until somebody reads the index.

import { shown } from "../../../errors/index.ts"
import type { Backlog, Chosen } from "../../../store/claim.ts"
import type { CountsRequest, ListAnswer, ListRequest, WorkerReport } from "../../../store/contract.ts"
import { countByType } from "../../../store/count-by-type.ts"
import { Gates } from "../../../store/gates.ts"
import { Jobs } from "../../../store/jobs.ts"
import type { GateKey } from "../../../store/limit-records.ts"
import type { Completion, FirstPending, Records } from "../../../store/records.ts"
import {
  type Brief,
  type Change,
  claim,
  claimedEntry,
  completedEntry,
  gateName,
  historyLimit,
  type Lease,
  type NewTask,
  type Status,
  type TaskRecord,
} from "../../../task/index.ts"
import { RedisCalls } from "./calls.ts"
import { type Context, damaged } from "./context.ts"
import { addGateNames } from "./gate-refs.ts"
import { RedisGates } from "./gates.ts"
import { Indexes } from "./indexes.ts"
import { RedisJobs } from "./jobs.ts"
import { Lanes } from "./lanes.ts"
import { firstPendingTask, listTasks } from "./list.ts"
import { Live } from "./live.ts"
import { packEntries, pastOf, readPast } from "./past.ts"
import { toBrief } from "./row.ts"
import { RedisSchedules } from "./schedules.ts"
import { redis } from "./server.ts"
import { type Entry, type StoredTask, setBase } from "./stored-task.ts"
import { Tally } from "./tally.ts"
import { TaskChanges } from "./task-changes.ts"
import { recordOf, Tasks } from "./tasks.ts"
import { Workers } from "./workers.ts"
import { Writes } from "./writes.ts"

export class RedisRecords implements Records {
  readonly nowMs: number
  /** Whether this step has something for those who wait. */
  hasNews = false
  readonly tasks: Tasks
  readonly limits: RedisGates
  readonly schedules: RedisSchedules
  readonly calls: RedisCalls
  readonly gates: Gates
  readonly jobRecords: RedisJobs
  readonly jobs: Jobs
  private readonly context: Context
  private readonly base: string
  private readonly writes = new Writes()
  private readonly lanes: Lanes
  private readonly indexes: Indexes
  private readonly changes: TaskChanges
  private readonly tally: Tally
  private readonly knownWorkers: Workers

  constructor(context: Context) {
    const { base } = context
    setBase(base)
    this.context = context
    this.base = base
    this.nowMs = context.nowMs
    this.tasks = new Tasks(base, this.writes)
    this.limits = new RedisGates(context)
    this.schedules = new RedisSchedules(context)
    this.calls = new RedisCalls(context, this.limits)
    this.gates = new Gates(this)
    this.jobRecords = new RedisJobs(context, this)
    this.jobs = new Jobs(this)
    const numberOf = (key: GateKey) => this.gates.numberOf(key)
    const count = (task: TaskRecord, by: 1 | -1) => this.limits.countTask(task, by, numberOf)
    this.lanes = new Lanes(context, this.tasks, this.limits, this.writes, count)
    this.indexes = new Indexes(context, this.tasks, this.writes, this.lanes)
    this.changes = new TaskChanges(context, this.tasks, this.indexes, this.writes)
    this.tally = new Tally(base)
    this.knownWorkers = new Workers(context)
  }

  /** Ends the step: what was kept back is written, and those who wait hear of its news. */
  end(): void {
    this.lanes.end()
    this.tasks.end()
    this.indexes.end()
    this.tally.end()
    this.limits.end()
    this.jobRecords.end()
    this.schedules.end()
    this.writes.end()
    this.context.meta.end()
    this.hasNews ||= this.limits.hasNews || this.schedules.hasNews || this.calls.hasNews
    if (this.hasNews) redis.call("PUBLISH", `${this.base}news`, this.context.sender)
  }

  /** Ends a step that has only looked: no time is given out twice, so that the clock has gone on. */
  endLook(): void {
    this.context.meta.end()
  }

  load(ids: readonly string[]): Map<string, TaskRecord> {
    const found = new Map<string, TaskRecord>()
    for (const task of this.tasks.records(ids)) found.set(task.id, task)
    if (ids.length > 1) this.readGatesOf(ids)
    return found
  }

  loadBrief(ids: readonly string[]): Map<string, Brief> {
    const found = new Map<string, Brief>()
    this.tasks.read(ids)
    if (ids.length > 1) this.readGatesOf(ids)
    for (const id of ids) {
      const entry = this.tasks.entry(id)
      if (entry) found.set(id, toBrief(entry))
    }
    return found
  }

  /** Those that are there, in the order of the numbers. */
  loadBySeq(seqs: readonly number[]): TaskRecord[] {
    return this.tasks.records(this.tasks.idsOf(seqs))
  }

  loadByKey(keys: readonly string[]): TaskRecord[] {
    if (keys.length === 0) return []
    this.writes.settle(`${this.base}keys`)
    const ids: string[] = []
    for (const id of redis.call("HMGET", `${this.base}keys`, ...keys) as (string | false)[]) if (id !== false) ids.push(id)
    return this.tasks.records(ids)
  }

  history(id: string) {
    const entry = this.tasks.found(id)
    if (!entry) return null
    return { version: entry.live[Live.version] as number, entries: readPast(pastOf(entry), entry.live[Live.createdAtMs] as number) }
  }

  list(request: ListRequest): ListAnswer {
    return listTasks(this.tasks, this.jobRecords, request)
  }

  counts(request: CountsRequest): Record<Status, number> {
    return this.tally.counts(request.type)
  }

  takeSequence(count: number): number {
    return this.context.meta.take("seq", count)
  }

  insert(changes: readonly Change[]): void {
    this.seeNews(changes)
    if (changes.length > 1) this.lanes.readLanesFor(changes)
    for (const { task, entries } of changes) {
      const entry = this.changes.insert(task, entries)
      if (task.idempotencyKey !== null) this.writes.setField(`${this.base}keys`, task.idempotencyKey, task.id)
      this.moved(task, null, task.status)
      this.indexes.enter(entry, task, task.readyAtMs === this.nowMs)
    }
  }

  save(changes: readonly Change[]): void {
    this.seeNews(changes)
    for (const { task, entries } of changes) {
      const entry = this.entryOf(task)
      const before = recordOf(entry)
      this.indexes.leave(entry, before)
      this.changes.save(entry, task, entries)
      this.moved(task, before.status, task.status)
      this.indexes.enter(entry, task, false)
    }
  }

  start(tasks: readonly TaskRecord[], lease: Lease): readonly TaskRecord[] {
    if (tasks.length === 0) return tasks
    // One claim is one worker and one moment: its entry is the same for all of its tasks.
    const claimed = packEntries([claimedEntry(this.nowMs, lease.workerId)])
    const started: TaskRecord[] = []
    for (const task of tasks) {
      // A history that has to be trimmed is not just appended to.
      if (task.version >= historyLimit) {
        const change = claim(task, this.nowMs, lease)
        this.save([change])
        started.push(change.task)
      } else {
        this.changes.start(this.entryOf(task), task as StoredTask, lease, claimed)
        this.moved(task, "pending", "running")
        started.push(task)
      }
    }
    return started
  }

  complete(done: readonly Completion[]): void {
    if (done.length === 0) return
    const completed = packEntries([completedEntry(this.nowMs)])
    for (const { task, output } of done) {
      this.changes.complete(this.entryOf(task), output, completed)
      this.moved(task, "running", "completed")
    }
  }

  keep(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) this.changes.keep(this.entryOf(task), task)
  }

  remove(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      if (task.idempotencyKey !== null) this.writes.removeField(`${this.base}keys`, task.idempotencyKey)
      this.tally.remove(task.type, task.status)
      if (task.jobId !== null) this.jobRecords.forgetTask(task)
      this.tasks.remove(task)
    }
    this.tasks.forgetBuckets(tasks)
  }

  claimNumber(workerId: string): number {
    return this.knownWorkers.claimNumber(workerId)
  }

  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void {
    this.knownWorkers.save(workerId, claimNumber, types)
  }

  claimedBy(workerId: string, claimNumber: number): TaskRecord[] {
    return this.indexes.leases.claimedBy(workerId, claimNumber)
  }

  cancelRequested(workerId: string): TaskRecord[] {
    return this.indexes.leases.cancelRequested(workerId)
  }

  seeWorker(workerId: string, types: readonly string[]): void {
    this.knownWorkers.see(workerId, types)
  }

  workersSince(type: string, sinceMs: number): number {
    return this.knownWorkers.since(type, sinceMs)
  }

  workers(sinceMs: number, limit: number): WorkerReport[] {
    return this.knownWorkers.list(sinceMs, limit).map((worker) => ({ ...worker, running: this.indexes.leases.runningOf(worker.id) }))
  }

  firstPending(afterSeq: number): FirstPending {
    return firstPendingTask(this.tasks, afterSeq)
  }

  expiring(byMs: number, limit: number) {
    return countByType(this.indexes.expiring(byMs, limit))
  }

  due(type: string, limit: number): TaskRecord[] {
    return this.indexes.due(type, limit)
  }

  promote(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      const entry = this.entryOf(task)
      this.indexes.promote(entry, task)
      this.tasks.change(entry, task)
    }
  }

  nextDueAtMs(type: string): number | null {
    return this.indexes.nextDueAtMs(type)
  }

  backlog(): Backlog {
    this.lanes.place()
    return this.lanes
  }

  serve(chosen: Chosen): void {
    this.lanes.serve(chosen)
  }

  unrouted(types: readonly string[], limit: number): TaskRecord[] {
    return this.indexes.unrouted(types, limit)
  }

  place(task: TaskRecord) {
    const entry = this.tasks.found(task.id)
    return entry ? this.lanes.rank(entry) : null
  }

  standAt(lane: number, gate: number): void {
    this.lanes.standAt(lane, gate)
  }

  takeChangedPlaces() {
    return this.lanes.takeChanged()
  }

  refreshFlow(type: string, gate: number, flow: string): void {
    this.lanes.refresh(type, gate, flow)
  }

  lostLeases(limit: number): TaskRecord[] {
    return this.indexes.leases.lost(limit)
  }

  overdue(limit: number): TaskRecord[] {
    return this.indexes.overdue(limit)
  }

  finishedBefore(beforeMs: number, limit: number): TaskRecord[] {
    return this.indexes.finished.takeBefore(beforeMs, limit)
  }

  forget(limit: number): number {
    const workers = limit > 0 ? this.knownWorkers.forget(limit) : 0
    return workers + this.lanes.forget(limit - workers)
  }

  /** Before a batch is submitted: the gates that its tasks pass, for forecasts ask for each of them. */
  foresee(tasks: readonly NewTask[]): void {
    const names: string[] = []
    for (const { gates } of tasks) for (const gate of gates ?? []) names.push(gateName(gate))
    this.limits.readAhead(names)
  }

  /** Whoever settles or keeps these asks for their gates one by one. */
  private readGatesOf(ids: readonly string[]): void {
    const names: string[] = []
    for (const id of ids) addGateNames(this.tasks.entry(id), names)
    this.limits.readAhead(names)
  }

  private entryOf({ id }: Pick<TaskRecord, "id">): Entry {
    const entry = this.tasks.entry(id) ?? this.tasks.found(id)
    if (!entry) throw damaged(`task ${shown(id)} (in ${this.base}tasks)`, "its record, which an index names", undefined)
    return entry
  }

  /** Every change of a status comes by here: it is counted by type, and for the job. */
  private moved(task: Pick<TaskRecord, "id" | "seq" | "type" | "jobId">, from: Status | null, to: Status): void {
    this.tally.move(task.type, from, to)
    if (task.jobId === null || from === to) return
    this.jobRecords.moved(task, from, to)
    this.jobs.moved(task, from, to)
  }

  private seeNews(changes: readonly Change[]): void {
    for (const { task, entries } of changes) {
      if (this.hasNews) return
      this.hasNews = task.status === "pending" || entries[0]?.event === "cancel_requested"
    }
  }
}

// The records of one namespace as one step sees them, in SQLite: the clock, what is read of tasks and workers, and the parts that know the rest.

import { shown } from "../../errors/index.ts"
import type { Backlog, Chosen } from "../../store/claim.ts"
import { type ClockState, laterClock, tick } from "../../store/clock.ts"
import { budgets, type CountsRequest, type ListAnswer, type ListRequest, type WorkerReport } from "../../store/contract.ts"
import { Gates } from "../../store/gates.ts"
import { Jobs } from "../../store/jobs.ts"
import { type Completion, type FirstPending, type Records, workerForgottenAfterMs } from "../../store/records.ts"
import { isTexts } from "../../store/sound.ts"
import { type Brief, type Change, type Lease, type Status, statuses, type TaskRecord } from "../../task/index.ts"
import { SqliteCalls } from "./calls.ts"
import { damaged } from "./damage.ts"
import type { Value } from "./driver.ts"
import { SqliteGates } from "./gates.ts"
import { SqliteJobs } from "./jobs.ts"
import { Lanes } from "./lanes.ts"
import { fromJson, toBrief, toHistory } from "./rows.ts"
import { SqliteSchedules } from "./schedules.ts"
import type { Statements } from "./statements.ts"
import { Tally } from "./tally.ts"
import { TaskWriter } from "./task-writer.ts"

/** A machine without a clock of its own starts in 1970, and is this far behind at most. */
const furthestAheadMs = 100 * 365 * 86_400_000
const aheadOfClockMs = 600_000

/** How many rows one look of `list` goes through. */
const listLook = 10_000

export class SqliteRecords implements Records {
  readonly nowMs: number
  private readonly ns: number
  private readonly sql: Statements
  private readonly lanes: Lanes
  private readonly tally: Tally
  private readonly writer: TaskWriter
  readonly limits: SqliteGates
  readonly schedules: SqliteSchedules
  readonly calls: SqliteCalls
  readonly gates: Gates
  readonly jobRecords: SqliteJobs
  readonly jobs: Jobs
  readonly time: ClockState
  /** Whether this step has something for those who wait. */
  hasNews = false

  /** Opened after the lock was taken: the clock is read here. `seen` is the latest time that this connection has given out. */
  constructor(ns: number, sql: Statements, wallMs: number, seen: ClockState) {
    this.ns = ns
    this.sql = sql
    const [row] = sql("readNamespace").rows(ns)
    const [virtualTime, clockMs, behindAtMs] = (row ?? []) as [number, number, number | null]
    if (!row) throw damaged(`namespace ${ns}`, "its row of namespaces", undefined)
    this.time = tick(laterClock({ lastMs: clockMs, behindAtMs }, seen), wallMs)
    // Else every lease, every expiry and every retention would be over at once.
    if (this.time.lastMs - wallMs > furthestAheadMs) throw damaged(`the clock (row ${ns} of namespaces)`, "a time of this century", clockMs)
    this.nowMs = this.time.lastMs
    this.limits = new SqliteGates(ns, sql, this.nowMs)
    this.schedules = new SqliteSchedules(ns, sql, this.nowMs, row[3])
    this.calls = new SqliteCalls(ns, sql, this.nowMs)
    this.gates = new Gates(this)
    this.jobRecords = new SqliteJobs(ns, sql, (statement, ...values) => this.read(statement, ...values))
    this.jobs = new Jobs(this)
    this.lanes = new Lanes(ns, virtualTime, sql, (task, by) => this.limits.countTask(task, by, (key) => this.gates.numberOf(key)))
    this.tally = new Tally(ns, sql)
    this.writer = new TaskWriter({ ns, sql, nowMs: this.nowMs, lanes: this.lanes, tally: this.tally, jobs: this.jobs })
  }

  /** Ends the step: what was kept back is written. Answers with the clock, for the connection to remember. */
  end(): ClockState {
    this.lanes.place()
    this.tally.write()
    this.limits.writeDemand()
    this.hasNews ||= this.writer.hasNews || this.limits.hasNews || this.schedules.hasNews || this.calls.hasNews
    this.sql("writeNamespace").run(this.ns, this.lanes.virtualTime, this.time.lastMs, this.time.behindAtMs, this.hasNews ? 1 : 0)
    return this.time
  }

  load(ids: readonly string[]): Map<string, TaskRecord> {
    const found = new Map<string, TaskRecord>()
    if (ids.length === 0) return found
    for (const task of this.read("loadTasks", JSON.stringify(ids))) found.set(task.id, task)
    return found
  }

  loadBrief(ids: readonly string[]): Map<string, Brief> {
    const found = new Map<string, Brief>()
    for (const row of fromJson(this.sql("loadBrief").rows(this.ns, JSON.stringify(ids)))) {
      const brief = toBrief(row)
      found.set(brief.id, brief)
    }
    return found
  }

  loadByKey(keys: readonly string[]): TaskRecord[] {
    return this.read("loadByKeys", JSON.stringify(keys))
  }

  history(id: string) {
    const [row] = this.sql("readHistory").rows(this.ns, id)
    return row ? { version: row[0] as number, entries: toHistory(row[1], id) } : null
  }

  list(request: ListRequest): ListAnswer {
    const before = request.beforeSeq ?? Number.MAX_SAFE_INTEGER
    const limit = Math.min(request.limit, budgets.listPage)
    const wanted = request.statuses === null ? null : JSON.stringify(request.statuses)
    const { type, tag, createdFromMs, createdBeforeMs, jobId } = request
    const filters = [before, listLook, wanted, type, tag, createdFromMs, createdBeforeMs, limit]
    const tasks = jobId === null ? this.read("listTasks", ...filters) : this.read("listOfJob", ...filters, jobId)
    if (tasks.length >= limit) return { tasks, nextBeforeSeq: tasks.at(-1)?.seq ?? null }
    const ends =
      jobId === null ? this.sql("listEnd").rows(this.ns, before, listLook) : this.sql("listOfJobEnd").rows(this.ns, before, listLook, jobId)
    const [looked, last] = ends[0] as unknown as [number, number | null]
    return { tasks, nextBeforeSeq: looked < listLook ? null : last }
  }

  counts(request: CountsRequest): Record<Status, number> {
    const found = new Map(this.sql("counts").rows(this.ns, request.type) as unknown as [Status, number][])
    for (const [status, count] of found)
      if (!(count >= 0)) throw damaged(`the count of ${shown(status)} tasks (in tallies)`, "0 or more", count)
    return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>
  }

  takeSequence(count: number): number {
    const [row] = this.sql("takeSequence").rows(count)
    const last = row?.[0]
    if (typeof last !== "number" || !Number.isSafeInteger(last) || last < count)
      throw damaged("the row of sequence", "a number that goes on", last)
    return last - count + 1
  }

  insert(changes: readonly Change[]): void {
    this.writer.insert(changes)
  }

  save(changes: readonly Change[]): void {
    this.writer.save(changes)
  }

  start(tasks: readonly TaskRecord[], lease: Lease): TaskRecord[] {
    return this.writer.start(tasks, lease)
  }

  complete(done: readonly Completion[]): void {
    this.writer.complete(done)
  }

  keep(tasks: readonly TaskRecord[]): void {
    this.writer.keep(tasks)
  }

  remove(tasks: readonly TaskRecord[]): void {
    this.writer.remove(tasks)
  }

  claimNumber(workerId: string): number {
    const [row] = this.sql("claimNumber").rows(this.ns, workerId)
    const number = row ? (row[0] as number) : 0
    // Workers number their claims by this clock. One from the future was never given, and would have its worker ask for ever.
    return number > (this.nowMs + aheadOfClockMs) * 1_000 ? 0 : number
  }

  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void {
    this.sql("saveWorker").run(this.ns, workerId, claimNumber, this.nowMs, JSON.stringify(types))
  }

  claimedBy(workerId: string, claimNumber: number): TaskRecord[] {
    return this.read("claimedBy", workerId, claimNumber)
  }

  cancelRequested(workerId: string): TaskRecord[] {
    return this.read("cancelRequested", workerId)
  }

  due(type: string, limit: number): TaskRecord[] {
    return this.read("dueTasks", type, this.nowMs, limit)
  }

  promote(tasks: readonly TaskRecord[]): void {
    this.writer.promote(tasks)
  }

  nextDueAtMs(type: string): number | null {
    return (this.sql("nextDue").rows(this.ns, type)[0]?.[0] as number | undefined) ?? null
  }

  backlog(): Backlog {
    this.lanes.place()
    return this.lanes
  }

  serve(chosen: Chosen): void {
    this.lanes.serve(chosen)
  }

  unrouted(types: readonly string[], limit: number): TaskRecord[] {
    const found = types.flatMap((type) => this.read("unroutedTasks", type, limit))
    return types.length === 1 ? found : found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  place(task: TaskRecord) {
    return this.lanes.rank(task)
  }

  seeWorker(workerId: string, types: readonly string[]): void {
    this.sql("seeWorker").run(this.ns, workerId, this.nowMs, JSON.stringify(types))
  }

  workersSince(type: string, sinceMs: number): number {
    return this.sql("workersSince").rows(this.ns, type, sinceMs)[0]?.[0] as number
  }

  workers(sinceMs: number, limit: number): WorkerReport[] {
    const rows = this.sql("workers").rows(this.ns, sinceMs, limit) as unknown as [string, number, string, number][]
    return rows.map(([id, seenAtMs, types, running]) => ({
      id,
      types: isTexts(JSON.parse(types)) ? (JSON.parse(types) as string[]) : [],
      seenAtMs,
      running,
    }))
  }

  firstPending(afterSeq: number): FirstPending {
    const [first] = this.read("firstPending", afterSeq, listLook)
    if (first) return { first, nextAfterSeq: first.seq - 1, isEnd: false }
    const [looked, last] = this.sql("firstPendingEnd").rows(this.ns, afterSeq, listLook)[0] as unknown as [number, number | null]
    return { first: null, nextAfterSeq: last ?? afterSeq, isEnd: looked < listLook }
  }

  expiring(byMs: number, limit: number) {
    const rows = this.sql("expiring").rows(this.ns, byMs, limit) as unknown as [string, number][]
    return rows.map(([type, count]) => ({ type, count }))
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
    return this.readSound("lostLeases", this.nowMs, limit)
  }

  overdue(limit: number): TaskRecord[] {
    return this.readSound("overdueTasks", this.nowMs, limit)
  }

  finishedBefore(beforeMs: number, limit: number): TaskRecord[] {
    return this.readSound("finishedBefore", beforeMs, limit)
  }

  forget(limit: number): number {
    this.lanes.place()
    let left = limit
    const count = () => this.sql("changes").rows()[0]?.[0] as number
    for (const [statement, ...values] of [
      ["forgetWorkers", this.nowMs - workerForgottenAfterMs],
      ["forgetLanes"],
      ["forgetFlows", this.lanes.virtualTime],
    ] as const) {
      if (left <= 0) break
      this.sql(statement).run(this.ns, ...values, left)
      left -= count()
    }
    return limit - left
  }

  private read(statement: string, ...values: readonly Value[]): TaskRecord[] {
    return this.lanes.toRecords(this.sql(statement).rows(this.ns, ...values))
  }

  /** For the sweep: a task that is damaged must not keep all others from being swept. Whoever asks for it is told. */
  private readSound(statement: string, ...values: readonly Value[]): TaskRecord[] {
    return this.lanes.toSoundRecords(this.sql(statement).rows(this.ns, ...values))
  }
}

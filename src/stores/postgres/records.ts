// The records of one namespace as one step sees them, in Postgres: what a step changes is one statement a table, for all of its tasks.

import { Gates } from "../../store/awaited/gates.js"
import { Jobs } from "../../store/awaited/jobs.js"
import type { Chosen } from "../../store/claim.ts"
import type { ClockState } from "../../store/clock.ts"
import type { CountsRequest, ListAnswer, ListRequest, WorkerReport } from "../../store/contract.ts"
import type { ExchangeRequest } from "../../store/exchange-contract.ts"
import { type Completion, type FirstPending, type Records, workerForgottenAfterMs } from "../../store/records.ts"
import type { WaitedRecords } from "../../store/waited.ts"
import type { Brief, Change, GateRef, Lease, NewTask, Status, TaskRecord } from "../../task/index.ts"
import { PostgresCalls } from "./calls.ts"
import { mostDue } from "./foresight.ts"
import { PostgresGates } from "./gates.ts"
import { Glance } from "./glance.ts"
import type { Place } from "./heads.ts"
import { countTasks, firstPendingOf, historyOf, listTasks, workersOf } from "./inspect.ts"
import { PostgresJobs } from "./jobs.ts"
import { willBeWrittenBy, writtenBy } from "./known-gates.ts"
import type { LaneReader } from "./lane-reader.ts"
import { Lanes } from "./lanes.ts"
import { type Mode, NeedsLock } from "./mode.ts"
import { type Opening, readOpening } from "./opening.ts"
import { toBrief } from "./rows.ts"
import { PostgresSchedules } from "./schedules.ts"
import type { Sql } from "./sql.ts"
import { Tally } from "./tally.ts"
import { TaskRows } from "./task-rows.ts"
import { TaskWriter } from "./task-writer.ts"

const aheadOfClockMs = 600_000

/** When a claim looks again for what others had in their hands. */
const againMs = 200
/** How many rows of tallies, and of forecast errors, there may be before they are added up. */
const mostAdded = 200

export class PostgresRecords implements WaitedRecords {
  readonly nowMs: number
  readonly time: ClockState
  readonly limits: PostgresGates
  readonly schedules: PostgresSchedules
  readonly calls: PostgresCalls
  readonly gates: Gates
  readonly jobRecords: PostgresJobs
  readonly jobs: Jobs
  /** Whether this step has something for those who wait. */
  hasNews = false
  private readonly opening: Opening
  /** Of the gates that the process knows. */
  private readonly turn: number
  private readonly ns: number
  private readonly sql: Sql
  private readonly mode: Mode
  private readonly lanes: Lanes
  private readonly tally: Tally
  private readonly rows: TaskRows
  private readonly writer: TaskWriter
  private readonly glance: Glance
  private worker: { readonly id: string; readonly claimNumber: number; readonly types: readonly string[] } | null = null

  constructor(opening: Opening) {
    const { ns, sql, row, mode, shared } = opening
    const { virtualTime, earliest, time } = readOpening(opening)
    this.ns = ns
    this.sql = sql
    this.mode = mode
    this.time = time
    this.opening = opening
    this.nowMs = time.lastMs
    const known = mode === "locked" && shared.knownGates.hold(writtenBy(row)) ? shared.knownGates : null
    this.turn = shared.knownGates.present
    const takeNumbers = (count: number) => shared.numbers.take(count, async () => (await sql.rows("takeRowNumbers"))[0]?.[0] as number)
    this.limits = new PostgresGates({
      ns,
      sql,
      nowMs: this.nowMs,
      numbers: { take: takeNumbers },
      isFree: mode === "free",
      foreseeHeads: (places) => this.foreseeHeads(places),
      known,
    })
    this.schedules = new PostgresSchedules({ ns, sql, nowMs: this.nowMs, earliest })
    this.calls = new PostgresCalls({ ns, sql, nowMs: this.nowMs, lines: this.limits.lines })
    // The steps that wait await what these records answer: the types say the answer alone.
    const waited = this as unknown as Records
    this.gates = new Gates(waited)
    this.jobRecords = new PostgresJobs({ ns, sql, tasks: (statement, ...values) => this.rows.read(statement, ...values) })
    this.jobs = new Jobs(waited)
    this.tally = new Tally(ns, sql)
    this.glance = new Glance(sql, ns)
    this.rows = new TaskRows({ ns, sql, stands: (seq, lane) => this.lanes.stands(seq, lane) })
    this.lanes = new Lanes({
      ...{ ns, sql, virtualTime, mode, takeNumbers, ...shared },
      toRecord: this.rows.toRecord,
      foresee: (tasks) => this.foreseeGates(tasks),
      foreseeLanes: (type, flow, count) => this.limits.readAheadOfLanes(type, flow, count),
      count: (task, by) => this.countTask(task, by),
    })
    const { rows, lanes, tally, glance, nowMs } = this
    this.writer = new TaskWriter({ ns, sql, nowMs, mode, rows, lanes, tally, glance, jobs: () => this.jobs })
  }

  /** Ends the step: what was kept back is written. Those who listen to `channel` hear of news. */
  async end(channel: string): Promise<void> {
    await this.lanes.place()
    await this.tally.flush(this.nowMs)
    if (this.worker) {
      const { id, claimNumber, types } = this.worker
      this.sql.tell("saveWorker", this.ns, id, claimNumber, this.nowMs, types, this.largestNumber)
    }
    await this.limits.flush()
    await this.jobRecords.flush()
    await this.schedules.flush()
    await this.calls.flush()
    this.hasNews ||= this.writer.hasNews || this.limits.hasNews || this.schedules.hasNews || this.calls.hasNews
    if (this.mode === "free") {
      if (this.hasNews) this.sql.tell("notify", channel)
      return
    }
    const { lastMs, behindAtMs } = this.time
    this.sql.tell("writeNamespace", this.ns, this.lanes.reader.virtualTime, lastMs, behindAtMs, this.hasNews, channel)
    const { knownGates } = this.opening.shared
    if (knownGates.keep(willBeWrittenBy(this.opening.row, lastMs), this.turn)) this.limits.remember(knownGates)
  }

  /** Everything that submitting these will ask for, at once. */
  async foresee(tasks: readonly NewTask[]): Promise<void> {
    const refs = tasks.flatMap(({ gates }) => gates ?? [])
    if (refs.length === 0) return
    await this.limits.readAhead(refs)
    const gates: number[] = []
    for (const ref of refs) gates.push((await this.limits.gate(ref))?.number ?? 0)
    await this.limits.readAheadDemand(gates.filter((gate) => gate > 0))
  }

  /** The same of an exchange. */
  async foreseeExchange({ workerId, claim: asked }: ExchangeRequest): Promise<void> {
    const types = [...new Set((asked?.types ?? []).map(({ type }) => type))]
    this.lanes.reader.wanted = asked?.max ?? 1
    const hasLanes = await this.glance.look(workerId, types)
    if (this.mode !== "free")
      await Promise.all([this.limits.readAheadLimitsOf(types), this.limits.readAheadDues(types, mostDue(asked?.max ?? 0))])
    else if (hasLanes) throw new NeedsLock("a lane that is not plain")
  }

  async load(ids: readonly string[]): Promise<Map<string, TaskRecord>> {
    const found = new Map<string, TaskRecord>()
    if (ids.length === 0) return found
    const tasks = await this.rows.read(this.mode === "looking" ? "loadTasks" : "lockTasks", ids)
    for (const task of tasks) found.set(task.id, task)
    await this.foreseeGates(tasks)
    return found
  }

  async loadBrief(ids: readonly string[]): Promise<Map<string, Brief>> {
    const found = new Map<string, Brief>()
    const [rows] = await Promise.all([
      this.sql.rows("lockBrief", this.ns, ids),
      this.mode === "free" ? null : this.limits.readAheadOfTasks(ids),
    ])
    for (const row of rows) {
      const brief = toBrief(row)
      found.set(brief.id, brief)
    }
    await this.foreseeGates([...found.values()])
    return found
  }

  loadByKey(keys: readonly string[]): Promise<TaskRecord[]> {
    return this.rows.read("loadByKeys", keys)
  }

  history(id: string) {
    return historyOf(this.sql, this.ns, id)
  }

  list(request: ListRequest): Promise<ListAnswer> {
    return listTasks({ sql: this.sql, ns: this.ns, read: this.rows.read }, request)
  }

  counts(request: CountsRequest): Promise<Record<Status, number>> {
    return countTasks(this.sql, this.ns, request)
  }

  /** One call gives a thousand numbers: whoever comes later has later ones. */
  async takeSequence(_count: number): Promise<number> {
    return (await this.sql.rows("takeTaskNumbers"))[0]?.[0] as number
  }

  insert(changes: readonly Change[]): Promise<void> {
    return this.writer.insert(changes)
  }

  save(changes: readonly Change[]): Promise<void> {
    return this.writer.save(changes)
  }

  start(tasks: readonly TaskRecord[], lease: Lease): Promise<TaskRecord[]> {
    return this.writer.start(tasks, lease)
  }

  complete(done: readonly Completion[]): Promise<void> {
    return this.writer.complete(done)
  }

  keep(tasks: readonly TaskRecord[]): void {
    this.writer.keep(tasks)
  }

  remove(tasks: readonly TaskRecord[]): void {
    this.writer.remove(tasks)
  }

  async claimNumber(workerId: string): Promise<number> {
    const known = await this.glance.claimNumber(workerId)
    const number = known ?? ((await this.sql.rows("claimNumber", this.ns, workerId))[0]?.[0] as number | undefined) ?? 0
    // Workers number their claims by this clock. One from the future was never given, and would have its worker ask for ever.
    return number > this.largestNumber ? 0 : number
  }

  private get largestNumber(): number {
    return (this.nowMs + aheadOfClockMs) * 1_000
  }

  /** Written when the step ends. */
  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void {
    this.worker = { id: workerId, claimNumber, types }
  }

  claimedBy(workerId: string, claimNumber: number): Promise<TaskRecord[]> {
    return this.rows.read("claimedBy", workerId, claimNumber)
  }

  async cancelRequested(workerId: string): Promise<TaskRecord[]> {
    return (await this.glance.isUnstopped(workerId)) ? [] : this.rows.read("cancelRequested", workerId)
  }

  async due(type: string, limit: number): Promise<TaskRecord[]> {
    const firstAtMs = await this.glance.nextDueAtMs(type)
    if (firstAtMs === null || (firstAtMs !== undefined && firstAtMs > this.nowMs)) return []
    return this.rows.read("dueTasks", type, this.nowMs, limit)
  }

  promote(tasks: readonly TaskRecord[]): Promise<void> {
    return this.writer.promote(tasks)
  }

  async nextDueAtMs(type: string): Promise<number | null> {
    const known = await this.glance.nextDueAtMs(type)
    const atMs = known === undefined ? (((await this.sql.rows("nextDue", this.ns, type))[0]?.[0] as number | undefined) ?? null) : known
    // Those that others are about to claim come back without a word if they fail.
    const againAtMs = this.lanes.reader.isContested(type) ? this.nowMs + againMs : null
    return atMs === null ? againAtMs : Math.min(atMs, againAtMs ?? atMs)
  }

  async backlog(): Promise<LaneReader> {
    await this.lanes.place()
    return this.lanes.reader
  }

  serve(chosen: Chosen): void {
    this.lanes.serve(chosen)
  }

  async unrouted(types: readonly string[], limit: number): Promise<TaskRecord[]> {
    const found: TaskRecord[] = []
    for (const type of types) if (!(await this.glance.isRouted(type))) found.push(...(await this.rows.read("unroutedTasks", type, limit)))
    return types.length === 1 ? found : found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  place(task: TaskRecord) {
    return this.lanes.rank(task)
  }

  async seeWorker(workerId: string, types: readonly string[]): Promise<void> {
    this.sql.tell("seeWorker", this.ns, workerId, this.nowMs, types)
  }

  async workersSince(type: string, sinceMs: number): Promise<number> {
    return (await this.sql.rows("workersSince", this.ns, type, sinceMs))[0]?.[0] as number
  }

  workers(sinceMs: number, limit: number): Promise<WorkerReport[]> {
    return workersOf(this.sql, this.ns, sinceMs, limit)
  }

  firstPending(afterSeq: number): Promise<FirstPending> {
    return firstPendingOf({ sql: this.sql, ns: this.ns, read: this.rows.read }, afterSeq)
  }

  async expiring(byMs: number, limit: number) {
    const rows = (await this.sql.rows("expiring", this.ns, byMs, limit)) as unknown as [string, number][]
    return rows.map(([type, count]) => ({ type, count }))
  }

  standAt(lane: number, gate: number): void {
    this.lanes.standAt(lane, gate)
  }

  async takeChangedPlaces() {
    const changed = await this.lanes.takeChanged()
    await this.lanes.reader.readHeads([...changed, ...this.limits.takeTold()])
    return changed
  }

  private async foreseeHeads(places: readonly Place[]): Promise<void> {
    await this.lanes.place()
    await this.lanes.reader.readHeads(places)
  }

  refreshFlow(type: string, gate: number, flow: string): Promise<void> {
    return this.lanes.refresh(type, gate, flow)
  }

  lostLeases(limit: number): Promise<TaskRecord[]> {
    return this.rows.readSound("lostLeases", this.nowMs, limit)
  }

  overdue(limit: number): Promise<TaskRecord[]> {
    return this.rows.readSound("overdueTasks", this.nowMs, limit)
  }

  finishedBefore(beforeMs: number, limit: number): Promise<TaskRecord[]> {
    return this.rows.readSound("finishedBefore", beforeMs, limit)
  }

  async forget(limit: number): Promise<number> {
    await this.lanes.place()
    await this.tally.flush(this.nowMs)
    this.sql.tell("addUpTallies", this.ns, mostAdded)
    this.sql.tell("addUpForecastErrors", this.ns, mostAdded)
    let left = limit
    for (const [statement, ...values] of [
      ["forgetWorkers", this.nowMs - workerForgottenAfterMs],
      ["forgetLanes"],
      ["forgetFlows", this.lanes.reader.virtualTime],
    ] as const) {
      if (left <= 0) break
      left -= await this.sql.run(statement, this.ns, ...values, left)
    }
    return limit - left
  }

  private async foreseeGates(tasks: readonly { readonly gates: readonly GateRef[] | null }[]): Promise<void> {
    const refs = tasks.flatMap(({ gates }) => gates ?? [])
    if (refs.length > 0) await this.limits.readAhead(refs)
  }

  private countTask(task: TaskRecord, by: 1 | -1): void | Promise<void> {
    return this.limits.countTask(task, by, async (key) => await this.gates.numberOf(key))
  }
}

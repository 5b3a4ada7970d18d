// The records of one namespace as one step sees them, in Postgres: what a step changes is one statement a table, for all of its tasks.

import { shown } from "../../errors/index.ts"
import { Gates } from "../../store/awaited/gates.js"
import { Jobs } from "../../store/awaited/jobs.js"
import type { Chosen } from "../../store/claim.ts"
import { type ClockState, laterClock, tick } from "../../store/clock.ts"
import {
  budgets,
  type CountsRequest,
  type ExchangeRequest,
  type ListAnswer,
  type ListRequest,
  type WorkerReport,
} from "../../store/contract.ts"
import { type Completion, type FirstPending, type Records, workerForgottenAfterMs } from "../../store/records.ts"
import type { WaitedRecords } from "../../store/waited.ts"
import { isNews } from "../../store/waiters.ts"
import {
  type Brief,
  type Change,
  claim,
  completedEntry,
  type GateRef,
  historyLimit,
  type Lease,
  type NewTask,
  type Status,
  statuses,
  type TaskRecord,
} from "../../task/index.ts"
import { PostgresCalls } from "./calls.ts"
import { damaged } from "./damage.ts"
import { mostDue } from "./foresight.ts"
import { PostgresGates } from "./gates.ts"
import { Glance } from "./glance.ts"
import type { Place } from "./heads.ts"
import { PostgresJobs } from "./jobs.ts"
import type { LaneReader } from "./lane-reader.ts"
import { Lanes } from "./lanes.ts"
import { type Mode, NeedsLock } from "./mode.ts"
import type { Numbers } from "./numbers.ts"
import { fromHistory, type Known, laneOf, saveColumns, toBrief, toHistory, toRecord } from "./rows.ts"
import { PostgresSchedules } from "./schedules.ts"
import type { Row, Sql, Value } from "./sql.ts"
import { Tally } from "./tally.ts"
import { historyOf, insertTasks, isReserved, readHistories, routeTasks, saveReserved } from "./task-writes.ts"

/** A server without a clock of its own starts in 1970, and is this far behind at most. */
const furthestAheadMs = 100 * 365 * 86_400_000
const aheadOfClockMs = 600_000

/** How many rows one look of `list` goes through. */
const listLook = 10_000
/** When a claim looks again for what others had in their hands. */
const againMs = 200
/** How many rows of tallies, and of forecast errors, there may be before they are added up. */
const mostAdded = 200

export interface Opening {
  readonly ns: number
  readonly sql: Sql
  /** As lockNamespace or readNamespace answers. */
  readonly row: Row | undefined
  /** The time of whoever brings a clock of his own; null: the server's. */
  readonly wallMs: number | null
  /** The latest time that this process has given out. */
  readonly seen: ClockState
  readonly mode: Mode
  readonly shared: Shared
}

/** What the steps of one process have in common. */
export interface Shared {
  /** For new lanes and gates. */
  readonly numbers: Numbers
  readonly plainLanes: Map<string, number>
  readonly servedTimes: Map<string, number>
  readonly soleFlows: Map<string, string>
}

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
  private readonly ns: number
  private readonly sql: Sql
  private readonly mode: Mode
  private readonly lanes: Lanes
  private readonly tally: Tally
  private readonly known = new Map<number, Known>()
  private readonly glance: Glance
  private worker: { readonly id: string; readonly claimNumber: number; readonly types: readonly string[] } | null = null

  constructor({ ns, sql, row, wallMs, seen, mode, shared }: Opening) {
    if (!row) throw damaged(`namespace ${ns}`, "its row of namespaces", undefined)
    const [virtualTime, clockMs, behindAtMs, talliedMs, serverMs, earliest] = row as readonly [number, number, ...(number | null)[]]
    const atMs = wallMs ?? (serverMs as number)
    // Steps that are free leave the clock where they leave their counts.
    const kept = { lastMs: clockMs, behindAtMs: behindAtMs ?? null }
    const tallied = { lastMs: talliedMs ?? 0, behindAtMs: null }
    this.ns = ns
    this.sql = sql
    this.mode = mode
    this.time = tick(laterClock(laterClock(kept, tallied), seen), atMs)
    // Else every lease, every expiry and every retention would be over at once.
    if (this.time.lastMs - atMs > furthestAheadMs) throw damaged(`the clock (row ${ns} of namespaces)`, "a time of this century", clockMs)
    this.nowMs = this.time.lastMs
    const takeNumbers = (count: number) => shared.numbers.take(count, async () => (await sql.rows("takeRowNumbers"))[0]?.[0] as number)
    this.limits = new PostgresGates({
      ns,
      sql,
      nowMs: this.nowMs,
      numbers: { take: takeNumbers },
      isFree: mode === "free",
      foreseeHeads: (places) => this.foreseeHeads(places),
    })
    this.schedules = new PostgresSchedules({ ns, sql, nowMs: this.nowMs, earliest })
    this.calls = new PostgresCalls({ ns, sql, nowMs: this.nowMs, lines: this.limits.lines })
    // The steps that wait await what these records answer: the types say the answer alone.
    const waited = this as unknown as Records
    this.gates = new Gates(waited)
    this.jobRecords = new PostgresJobs({ ns, sql, tasks: (statement, ...values) => this.read(statement, ...values) })
    this.jobs = new Jobs(waited)
    this.tally = new Tally(ns, sql)
    this.glance = new Glance(sql, ns)
    this.lanes = new Lanes({
      ...{ ns, sql, virtualTime, mode, takeNumbers, ...shared },
      toRecord: (row) => this.toRecord(row),
      foresee: (tasks) => this.foreseeGates(tasks),
      foreseeLanes: (type, flow, count) => this.limits.readAheadOfLanes(type, flow, count),
      count: (task, by) => this.countTask(task, by),
    })
  }

  /** Ends the step: what was kept back is written. Those who listen to `channel` hear of news. */
  async end(channel: string): Promise<void> {
    await this.lanes.place()
    await this.tally.flush(this.nowMs)
    if (this.worker) this.sql.tell("saveWorker", this.ns, this.worker.id, this.worker.claimNumber, this.nowMs, this.worker.types)
    await this.limits.flush()
    await this.jobRecords.flush()
    await this.schedules.flush()
    await this.calls.flush()
    this.hasNews ||= this.limits.hasNews || this.schedules.hasNews || this.calls.hasNews
    if (this.mode === "free") {
      if (this.hasNews) this.sql.tell("notify", channel)
      return
    }
    const { lastMs, behindAtMs } = this.time
    this.sql.tell("writeNamespace", this.ns, this.lanes.reader.virtualTime, lastMs, behindAtMs, this.hasNews, channel)
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
    const tasks = await this.read(this.mode === "looking" ? "loadTasks" : "lockTasks", ids)
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
    return this.read("loadByKeys", keys)
  }

  async history(id: string) {
    const [row] = await this.sql.rows("readHistory", this.ns, id)
    return row ? { version: row[0] as number, entries: toHistory(row[1], id) } : null
  }

  async list(request: ListRequest): Promise<ListAnswer> {
    const before = request.beforeSeq ?? Number.MAX_SAFE_INTEGER
    const limit = Math.min(request.limit, budgets.listPage)
    const { type, tag, createdFromMs, createdBeforeMs, jobId } = request
    const filters = [before, listLook, request.statuses, type, tag, createdFromMs, createdBeforeMs, limit]
    const tasks = jobId === null ? await this.read("listTasks", ...filters) : await this.read("listOfJob", ...filters, jobId)
    if (tasks.length >= limit) return { tasks, nextBeforeSeq: tasks.at(-1)?.seq ?? null }
    const ends =
      jobId === null
        ? await this.sql.rows("listEnd", before, listLook)
        : await this.sql.rows("listOfJobEnd", this.ns, before, listLook, jobId)
    const [looked, last] = ends[0] as readonly [number, number | null]
    return { tasks, nextBeforeSeq: looked < listLook ? null : last }
  }

  async counts(request: CountsRequest): Promise<Record<Status, number>> {
    const found = new Map((await this.sql.rows("counts", this.ns, request.type)) as readonly (readonly [Status, number])[])
    for (const [status, count] of found)
      if (!(count >= 0)) throw damaged(`the count of ${shown(status)} tasks (in tallies)`, "0 or more", count)
    return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>
  }

  /** One call gives a thousand numbers: whoever comes later has later ones. */
  async takeSequence(_count: number): Promise<number> {
    return (await this.sql.rows("takeTaskNumbers"))[0]?.[0] as number
  }

  async insert(changes: readonly Change[]): Promise<void> {
    this.forgetForeseen()
    this.hasNews ||= changes.some(isNews)
    for (const { task } of changes) await this.moved(task, null, task.status)
    const lanes = await this.lanesForNew(changes.map(({ task }) => task))
    await insertTasks(this.sql, this.ns, changes, lanes)
    for (const [i, { task }] of changes.entries()) this.know(task, lanes[i] ?? null)
  }

  async save(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    this.forgetForeseen()
    await this.lanes.reader.confirm(changes.map(({ task }) => task))
    this.hasNews ||= changes.some(isNews)
    // A task that is changed twice in one step is written as it is at the end, with all that has happened to it.
    const rows = new Map<number, Record<string, string | number | null>>()
    const trimmed = await readHistories(
      this.sql,
      changes.filter(({ task }) => task.version > historyLimit).map(({ task }) => task.seq),
    )
    const routed: TaskRecord[] = []
    const reserved: TaskRecord[] = []
    // Each once, as is usual: then their lanes are found at once.
    const isOnce = new Set(changes.map(({ task }) => task.seq)).size === changes.length
    const lanes = isOnce ? await this.lanesFor(changes.map(({ task }) => task)) : null
    for (const [i, { task, entries }] of changes.entries()) {
      const before = this.known.get(task.seq)
      if (!before) throw damaged(`task ${shown(task.id)}`, `row ${task.seq} of tasks, which a step has read`, undefined)
      await this.moved(task, before.status, task.status)
      const [lane = null] = lanes ? [lanes[i]] : await this.lanesFor([task])
      const isRouted = before.isUnrouted && task.gates !== null
      if (isRouted) routed.push(task)
      if (task.status === "running" && isReserved(task.gates)) reserved.push(task)
      this.know(task, lane)
      rows.set(task.seq, { ...saveColumns(task, lane), ...historyOf(task, entries, rows.get(task.seq), trimmed) })
    }
    this.sql.tell("saveTasks", JSON.stringify([...rows.values()]))
    await saveReserved(this.sql, reserved)
    await routeTasks(this.sql, routed)
  }

  async start(tasks: readonly TaskRecord[], lease: Lease): Promise<TaskRecord[]> {
    await this.lanes.reader.confirm(tasks)
    const changes = tasks.map((task) => claim(task, this.nowMs, lease))
    // A history that has to be trimmed is not just appended to.
    const long = changes.filter(({ task }) => task.version > historyLimit)
    const plain = long.length === 0 ? changes : changes.filter((change) => !long.includes(change))
    if (long.length > 0) await this.save(long)
    const first = plain[0]
    if (first) {
      for (const { task } of plain) {
        await this.lanes.leave(task)
        await this.moved(task, "pending", "running")
        this.know(task, null)
      }
      const { workerId, claimNumber, expiresAtMs } = lease
      const seqs = plain.map(({ task }) => task.seq)
      this.sql.tell("saveClaimed", seqs, workerId, claimNumber, expiresAtMs, this.nowMs, `,${fromHistory(first.entries)}`)
      await saveReserved(
        this.sql,
        plain.map(({ task }) => task).filter(({ gates }) => isReserved(gates)),
      )
    }
    return changes.map(({ task }) => task)
  }

  async complete(done: readonly Completion[]): Promise<void> {
    if (done.length === 0) return
    for (const { task } of done) await this.moved(task, "running", "completed")
    const seqs = done.map(({ task }) => task.seq)
    const outputs = done.map(({ output }) => output)
    this.sql.tell("complete", seqs, outputs, this.nowMs, `,${fromHistory([completedEntry(this.nowMs)])}`)
  }

  async keep(tasks: readonly TaskRecord[]): Promise<void> {
    if (tasks.length === 0) return
    this.sql.tell(
      "keepTasks",
      tasks.map(({ seq }) => seq),
      tasks.map(({ leaseExpiresAtMs }) => leaseExpiresAtMs),
      tasks.map(({ progress }) => progress),
    )
  }

  async remove(tasks: readonly TaskRecord[]): Promise<void> {
    if (tasks.length === 0) return
    this.sql.tell(
      "removeTasks",
      tasks.map(({ seq }) => seq),
    )
    for (const task of tasks) this.tally.remove(task.type, task.status)
  }

  async claimNumber(workerId: string): Promise<number> {
    const known = await this.glance.claimNumber(workerId)
    const number = known ?? ((await this.sql.rows("claimNumber", this.ns, workerId))[0]?.[0] as number | undefined) ?? 0
    // Workers number their claims by this clock. One from the future was never given, and would have its worker ask for ever.
    return number > (this.nowMs + aheadOfClockMs) * 1_000 ? 0 : number
  }

  /** Written when the step ends. */
  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void {
    this.worker = { id: workerId, claimNumber, types }
  }

  claimedBy(workerId: string, claimNumber: number): Promise<TaskRecord[]> {
    return this.read("claimedBy", workerId, claimNumber)
  }

  async cancelRequested(workerId: string): Promise<TaskRecord[]> {
    return (await this.glance.isUnstopped(workerId)) ? [] : this.read("cancelRequested", workerId)
  }

  async due(type: string, limit: number): Promise<TaskRecord[]> {
    const firstAtMs = await this.glance.nextDueAtMs(type)
    if (firstAtMs === null || (firstAtMs !== undefined && firstAtMs > this.nowMs)) return []
    return this.read("dueTasks", type, this.nowMs, limit)
  }

  async promote(tasks: readonly TaskRecord[]): Promise<void> {
    if (tasks.length === 0) return
    this.forgetForeseen()
    const lanes = await this.lanes.enter(tasks)
    this.sql.tell(
      "enterLanes",
      tasks.map(({ seq }) => seq),
      lanes,
    )
    for (const [i, task] of tasks.entries()) this.know(task, lanes[i] ?? null)
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
    for (const type of types) if (!(await this.glance.isRouted(type))) found.push(...(await this.read("unroutedTasks", type, limit)))
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

  async workers(sinceMs: number, limit: number): Promise<WorkerReport[]> {
    const rows = (await this.sql.rows("workers", this.ns, sinceMs, limit)) as unknown as [string, number, string[], number][]
    return rows.map(([id, seenAtMs, types, running]) => ({ id, types, seenAtMs, running }))
  }

  async firstPending(afterSeq: number): Promise<FirstPending> {
    const [first] = await this.read("firstPending", afterSeq, listLook)
    if (first) return { first, nextAfterSeq: first.seq - 1, isEnd: false }
    const [looked, last] = (await this.sql.rows("firstPendingEnd", this.ns, afterSeq, listLook))[0] as readonly [number, number | null]
    return { first: null, nextAfterSeq: last ?? afterSeq, isEnd: looked < listLook }
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
    return this.readSound("lostLeases", this.nowMs, limit)
  }

  overdue(limit: number): Promise<TaskRecord[]> {
    return this.readSound("overdueTasks", this.nowMs, limit)
  }

  finishedBefore(beforeMs: number, limit: number): Promise<TaskRecord[]> {
    return this.readSound("finishedBefore", beforeMs, limit)
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

  /** Tasks are written otherwise than by claims and completions. */
  private forgetForeseen(): void {
    this.glance.forget()
    this.sql.forget()
  }

  private toRecord(row: Row): TaskRecord {
    const task = toRecord(row)
    this.know(task, laneOf(row))
    return task
  }

  private know(task: TaskRecord, lane: number | null): void {
    this.known.set(task.seq, { lane, status: task.status, isUnrouted: task.gates === null })
    this.lanes.stands(task.seq, lane)
  }

  private async read(statement: string, ...values: readonly Value[]): Promise<TaskRecord[]> {
    return (await this.sql.rows(statement, this.ns, ...values)).map((row) => this.toRecord(row))
  }

  /** For the sweep: a task that is damaged must not keep all others from being swept. Whoever asks for it is told. */
  private async readSound(statement: string, ...values: readonly Value[]): Promise<TaskRecord[]> {
    return (await this.sql.rows(statement, this.ns, ...values)).flatMap((row) => {
      try {
        return [this.toRecord(row)]
      } catch {
        return []
      }
    })
  }

  private async foreseeGates(tasks: readonly { readonly gates: readonly GateRef[] | null }[]): Promise<void> {
    const refs = tasks.flatMap(({ gates }) => gates ?? [])
    if (refs.length > 0) await this.limits.readAhead(refs)
  }

  private async countTask(task: TaskRecord, by: 1 | -1): Promise<void> {
    if (task.gates && task.gates.length > 0) await this.limits.countTask(task, by, async (key) => await this.gates.numberOf(key))
  }

  /** Every change of a status comes by here: it is counted by type, and for the job. */
  private async moved(task: Pick<TaskRecord, "type" | "jobId">, from: Status | null, to: Status): Promise<void> {
    this.tally.move(task.type, from, to)
    if (task.jobId === null || from === to) return
    if (this.mode === "free") throw new NeedsLock("a task of a job")
    await this.jobs.moved(task, from, to)
  }

  /** A pending task that is due waits in its lane; any other stands in none. */
  private async lanesFor(tasks: readonly TaskRecord[]): Promise<(number | null)[]> {
    for (const task of tasks) await this.lanes.leave(task)
    const isWaiting = (task: TaskRecord) => task.status === "pending" && task.gates !== null && task.availableAtMs <= this.nowMs
    const lanes = await this.lanes.enter(tasks.filter(isWaiting))
    let next = 0
    return tasks.map((task) => (isWaiting(task) ? (lanes[next++] as number) : null))
  }

  /** The same of new ones. Whoever has no lock leaves it to the next claim that has to put what passes gates into its lane, as what becomes due. */
  private async lanesForNew(tasks: readonly TaskRecord[]): Promise<(number | null)[]> {
    if (this.mode !== "free") return this.lanesFor(tasks)
    const isOurs = ({ gates, flow, type }: TaskRecord) => gates?.length === 0 && flow === type
    const lanes = await this.lanesFor(tasks.filter(isOurs))
    let next = 0
    return tasks.map((task) => (isOurs(task) ? (lanes[next++] ?? null) : null))
  }
}

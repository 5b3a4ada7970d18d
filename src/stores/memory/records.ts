// The records of one namespace in memory, with the indexes that are their projection: each change takes the old record
// out of every index and puts the new one in. The reference for every other store.

import { SluiceError, shown } from "../../errors/index.ts"
import type { Backlog, Chosen } from "../../store/claim.ts"
import { type ClockState, clockStart, tick } from "../../store/clock.ts"
import { budgets, type CountsRequest, type ListAnswer, type ListRequest, type WorkerReport } from "../../store/contract.ts"
import { countByType } from "../../store/count-by-type.ts"
import { Gates } from "../../store/gates.ts"
import { Jobs } from "../../store/jobs.ts"
import { picked } from "../../store/picked.ts"
import type { Completion, FirstPending, Records } from "../../store/records.ts"
import { isNews } from "../../store/waiters.ts"
import {
  type Change,
  claim,
  type HistoryEntry,
  isFinished,
  type Lease,
  type Status,
  settle,
  statuses,
  type TaskRecord,
  trimHistory,
} from "../../task/index.ts"
import { MemoryCalls } from "./calls.ts"
import { MemoryGates } from "./gates.ts"
import type { ImageLine, Restore } from "./image.ts"
import { MemoryJobs } from "./jobs.ts"
import { Lanes } from "./lanes.ts"
import { type Brief, beginnings, type Kept } from "./row.ts"
import { MemorySchedules } from "./schedules.ts"
import { SortedSet } from "./sorted.ts"
import { Tasks } from "./tasks.ts"
import { MemoryWorkers } from "./workers.ts"

/** How many tasks one look reads at most. */
const listLook = 10_000

/** A place in an index that is ordered by a time. */
interface Timed {
  readonly atMs: number
  readonly seq: number
  readonly id: string
}

const timed = () => new SortedSet<Timed>((a, b) => a.atMs - b.atMs || a.seq - b.seq)

export class MemoryRecords implements Records {
  nowMs = 0
  clockErrorMs = 0
  gates = new Gates(this)
  jobs = new Jobs(this)
  /** Whether the step has something for those who wait. */
  hasNews = false
  private clock: ClockState = clockStart
  private sequence = 0
  private readonly tasks = new Tasks()
  private readonly keys = new Map<string, string>()
  private readonly bySeq = new SortedSet<{ seq: number; id: string }>((a, b) => a.seq - b.seq)
  private readonly scheduled = new Map<string, SortedSet<Timed>>()
  private readonly leases = timed()
  private readonly expiries = timed()
  private readonly finished = timed()
  private readonly tallies = new Map<string, Record<Status, number>>()
  private readonly seenWorkers = new MemoryWorkers()
  private readonly lanes = new Lanes()
  readonly limits = new MemoryGates()
  readonly jobRecords = new MemoryJobs((id) => this.tasks.get(id))
  readonly schedules = new MemorySchedules()
  readonly calls = new MemoryCalls(this.limits.lines)
  private readonly unroutedByType = new Map<string, SortedSet<Timed>>()
  /** The lane that a waiting task stands in. */
  private readonly laneOf = new Map<string, number>()

  /** Starts a step: every step has one time. */
  begin(wallMs: number): void {
    this.clock = tick(this.clock, wallMs)
    this.beginAt(this.clock.lastMs)
  }

  /** The same at a time that somebody else has read: where the records are a copy, its clock is not theirs. */
  beginAt(nowMs: number): void {
    this.nowMs = nowMs
    this.limits.begin(this.nowMs)
    this.schedules.begin(this.nowMs)
    this.calls.begin(this.nowMs)
    this.seenWorkers.begin(this.nowMs)
    this.hasNews = false
    this.gates = new Gates(this)
    this.jobs = new Jobs(this)
    // What the last step has put right while it ended.
    this.lanes.takeChanged()
  }

  /** How many tasks there are. */
  get size(): number {
    return this.tasks.size
  }

  /** All that is there. Made at once; its values do not change afterwards. */
  image(): ImageLine[] {
    const parts = [this.limits, this.jobRecords, this.schedules, this.calls, this.lanes, this.seenWorkers]
    const lines: ImageLine[] = [["records", this.sequence, this.clock], ...parts.flatMap((part) => part.image())]
    return lines.concat(
      this.tasks.image((id) => this.laneOf.get(id) ?? 0),
      this.lanes.standings(),
    )
  }

  /** Makes them as they were, from nothing. */
  restore(lines: Iterable<ImageLine>): void {
    let finished = this.tasks.restoring([])
    const restore: Restore = {
      ...{
        ...this.limits.restore,
        ...this.jobRecords.restore,
        ...this.schedules.restore,
        ...this.calls.restore,
        ...this.lanes.restore,
        ...this.seenWorkers.restore,
      },
      records: (sequence: number, clock: ClockState) => {
        this.sequence = sequence
        this.clock = clock
      },
      fields: (names: readonly string[]) => {
        finished = this.tasks.restoring(names)
      },
      finished: (row: string) => this.returnFinished(finished(row)),
      task: (task: TaskRecord, history: readonly HistoryEntry[], lane: number) => {
        this.tasks.put(task, history, undefined)
        this.return(task, lane)
      },
    }
    for (const [kind, ...values] of lines) {
      const take = Object.hasOwn(restore, kind) ? restore[kind] : undefined
      if (!take) throw new SluiceError("schema_too_new", `image: expected lines of known kinds, got ${shown(kind)}; upgrade Sluice`)
      take(...(values as never[]))
    }
    this.lanes.returned()
  }

  load(ids: readonly string[]): Map<string, TaskRecord> {
    return picked(ids, this.tasks)
  }

  loadBrief(ids: readonly string[]): Map<string, TaskRecord> {
    return this.load(ids)
  }

  loadByKey(keys: readonly string[]): TaskRecord[] {
    return keys.flatMap((key) => this.tasks.get(this.keys.get(key) ?? "") ?? [])
  }

  history(id: string) {
    const task = this.tasks.get(id)
    return task ? { version: task.version, entries: this.tasks.history(id) } : null
  }

  list(request: ListRequest): ListAnswer {
    const found: TaskRecord[] = []
    const limit = Math.min(request.limit, budgets.listPage)
    const starts = beginnings(request.statuses, request.type)
    let looked = 0
    for (const { id, seq } of this.bySeq.before(request.beforeSeq === null ? null : { seq: request.beforeSeq, id: "" })) {
      const task = this.tasks.ifAmong(id, starts)
      if (!task) continue
      if (matches(task, request)) found.push(task)
      if (found.length >= limit || ++looked >= listLook) return { tasks: found, nextBeforeSeq: seq }
    }
    return { tasks: found, nextBeforeSeq: null }
  }

  counts(request: CountsRequest): Record<Status, number> {
    const total = noTasks()
    for (const [type, tally] of this.tallies) {
      if (request.type === null || request.type === type) for (const status of statuses) total[status] += tally[status]
    }
    return total
  }

  takeSequence(count: number): number {
    this.sequence += count
    return this.sequence - count + 1
  }

  insert(changes: readonly Change[]): void {
    this.hasNews ||= changes.some(isNews)
    for (const { task, entries } of changes) {
      this.bySeq.add({ seq: task.seq, id: task.id })
      if (task.idempotencyKey !== null) this.keys.set(task.idempotencyKey, task.id)
      this.put(task, entries, this.tasks.kept(task.id))
    }
  }

  save(changes: readonly Change[]): void {
    this.hasNews ||= changes.some(isNews)
    for (const change of changes) this.change(change, this.tasks.kept(change.task.id))
  }

  start(tasks: readonly TaskRecord[], lease: Lease): TaskRecord[] {
    const changes = tasks.map((task) => claim(task, this.nowMs, lease))
    this.save(changes)
    return changes.map(({ task }) => task)
  }

  complete(done: readonly Completion[]): void {
    for (const { task: brief, output } of done) {
      const kept = this.tasks.kept(brief.id)
      const settled = kept ? settle(kept.task, kept.task.fence, { kind: "completed", output }, this.nowMs) : null
      if (settled?.kind === "ok") this.change(settled.change, kept)
    }
  }

  keep(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      const kept = this.tasks.kept(task.id)
      this.put(task, kept?.history ?? [], kept)
    }
  }

  remove(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      this.unindex(task)
      this.tasks.delete(task.id)
      this.bySeq.delete({ seq: task.seq, id: task.id })
      if (task.idempotencyKey !== null) this.keys.delete(task.idempotencyKey)
    }
  }

  claimNumber(workerId: string): number {
    return this.seenWorkers.claimNumber(workerId)
  }

  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void {
    this.seenWorkers.save(workerId, claimNumber, types)
  }

  claimedBy(workerId: string, claimNumber: number): TaskRecord[] {
    return this.runningOf(workerId, (task) => task.claimNumber === claimNumber)
  }

  cancelRequested(workerId: string): TaskRecord[] {
    return this.runningOf(workerId, (task) => task.cancelRequestedAtMs !== null)
  }

  due(type: string, limit: number): TaskRecord[] {
    return this.at(this.scheduled.get(type)?.takeWhile(({ atMs }) => atMs <= this.nowMs, limit) ?? [])
  }

  promote(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      this.scheduled.get(task.type)?.delete({ atMs: task.availableAtMs, seq: task.seq, id: task.id })
      this.enterLane(task)
    }
  }

  nextDueAtMs(type: string): number | null {
    return this.scheduled.get(type)?.first()?.atMs ?? null
  }

  backlog(): Backlog {
    return this.lanes
  }

  serve(chosen: Chosen): void {
    this.lanes.serve(chosen)
  }

  unrouted(types: readonly string[], limit: number): TaskRecord[] {
    const found = types.flatMap((type) => this.at(this.unroutedByType.get(type)?.slice(0, limit) ?? []))
    return found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  place(task: TaskRecord) {
    const lane = this.laneOf.get(task.id)
    return lane === undefined ? null : this.lanes.rank(task, lane)
  }

  seeWorker(workerId: string, types: readonly string[]): void {
    this.seenWorkers.see(workerId, types)
  }

  workersSince(type: string, sinceMs: number): number {
    return this.seenWorkers.countSince(type, sinceMs)
  }

  workers(sinceMs: number, limit: number): WorkerReport[] {
    return this.seenWorkers.since(sinceMs, limit)
  }

  firstPending(afterSeq: number): FirstPending {
    let nextAfterSeq = afterSeq
    let looked = 0
    for (const { id, seq } of this.bySeq.after({ seq: afterSeq + 1, id: "" })) {
      const task = this.tasks.get(id)
      if (task?.status === "pending") return { first: task, nextAfterSeq: seq - 1, isEnd: false }
      nextAfterSeq = seq
      if (++looked >= listLook) return { first: null, nextAfterSeq, isEnd: false }
    }
    return { first: null, nextAfterSeq, isEnd: true }
  }

  expiring(byMs: number, limit: number) {
    return countByType(this.at(this.expiries.takeWhile(({ atMs }) => atMs <= byMs, limit)))
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
    return this.at(this.leases.takeWhile(({ atMs }) => atMs <= this.nowMs, limit))
  }

  overdue(limit: number): TaskRecord[] {
    return this.at(this.expiries.takeWhile(({ atMs }) => atMs <= this.nowMs, limit))
  }

  finishedBefore(beforeMs: number, limit: number): TaskRecord[] {
    return this.at(this.finished.takeWhile(({ atMs }) => atMs <= beforeMs, limit))
  }

  forget(limit: number): number {
    const forgotten = this.seenWorkers.forget(limit)
    return forgotten + this.lanes.forget(limit - forgotten)
  }

  /** Whether `forget` would find anything. */
  hasForgettable(): boolean {
    return this.seenWorkers.hasForgettable() || this.lanes.hasForgettable()
  }

  private change({ task, entries }: Change, kept: Kept | undefined): void {
    this.put(task, trimHistory(kept ? [...kept.history, ...entries] : entries), kept)
  }

  /** `kept`: what is there of it now. Looked up once: where there are many tasks, looking takes longer than most of what is done. */
  private put(task: TaskRecord, history: readonly HistoryEntry[], kept: Kept | undefined): void {
    const before = kept?.task
    if (before) this.unindex(before)
    if (before?.status !== task.status) this.jobs.moved(task, before?.status ?? null, task.status)
    this.tasks.put(task, history, kept)
    this.index(task)
  }

  /** Into all indexes, as it was when the image was made. */
  private return(task: TaskRecord, lane: number): void {
    this.bySeq.add({ seq: task.seq, id: task.id })
    if (task.idempotencyKey !== null) this.keys.set(task.idempotencyKey, task.id)
    this.indexBeside(task)
    if (task.status !== "pending" || task.gates === null) return
    if (lane === 0) this.schedule(task.type).add({ atMs: task.availableAtMs, seq: task.seq, id: task.id })
    else {
      this.laneOf.set(task.id, lane)
      this.lanes.return(task, lane)
      this.limits.countTask(task, 1, (key) => this.limits.numberOf(key))
    }
  }

  private returnFinished(task: Brief): void {
    this.bySeq.add({ seq: task.seq, id: task.id })
    if (task.idempotencyKey !== null) this.keys.set(task.idempotencyKey, task.id)
    this.tally(task)[task.status]++
    this.indexFinished(task)
  }

  private index(task: TaskRecord): void {
    this.indexBeside(task)
    if (task.status !== "pending" || task.gates === null) return
    if (task.availableAtMs <= this.nowMs) this.enterLane(task)
    else this.schedule(task.type).add({ atMs: task.availableAtMs, seq: task.seq, id: task.id })
  }

  /** In all but lanes and schedules, where what was decided once is kept. */
  private indexBeside(task: TaskRecord): void {
    this.tally(task)[task.status]++
    this.jobRecords.enter(task)
    const place = (atMs: number): Timed => ({ atMs, seq: task.seq, id: task.id })
    if (task.status === "pending") {
      if (task.expiresAtMs !== null) this.expiries.add(place(task.expiresAtMs))
      if (task.gates === null) this.unroutedOf(task.type).add(place(task.seq))
    }
    if (task.status === "running" && task.leaseExpiresAtMs !== null && task.workerId !== null) {
      this.leases.add(place(task.leaseExpiresAtMs))
      this.seenWorkers.enter(task)
    }
    this.indexFinished(task)
  }

  private indexFinished({ id, seq, status, updatedAtMs }: Brief): void {
    if (isFinished(status) && status !== "archived") this.finished.add({ atMs: updatedAtMs, seq, id })
  }

  private unindex(task: TaskRecord): void {
    this.tally(task)[task.status]--
    this.jobRecords.leave(task)
    const place = (atMs: number): Timed => ({ atMs, seq: task.seq, id: task.id })
    if (task.expiresAtMs !== null) this.expiries.delete(place(task.expiresAtMs))
    if (task.status === "pending") this.unindexPending(task, place)
    if (task.leaseExpiresAtMs !== null) this.leases.delete(place(task.leaseExpiresAtMs))
    this.seenWorkers.leave(task)
    if (isFinished(task.status)) this.finished.delete(place(task.updatedAtMs))
  }

  private unindexPending(task: TaskRecord, place: (atMs: number) => Timed): void {
    const lane = this.laneOf.get(task.id)
    if (lane !== undefined) {
      this.lanes.delete(task, lane)
      this.limits.countTask(task, -1, (key) => this.gates.numberOf(key))
      this.laneOf.delete(task.id)
      return
    }
    this.unroutedByType.get(task.type)?.delete(place(task.seq))
    this.scheduled.get(task.type)?.delete(place(task.availableAtMs))
    if (this.scheduled.get(task.type)?.size === 0) this.scheduled.delete(task.type)
  }

  private enterLane(task: TaskRecord): void {
    this.laneOf.set(task.id, this.lanes.add(task))
    this.limits.countTask(task, 1, (key) => this.gates.numberOf(key))
  }

  private unroutedOf(type: string): SortedSet<Timed> {
    const known = this.unroutedByType.get(type) ?? timed()
    this.unroutedByType.set(type, known)
    return known
  }

  private schedule(type: string): SortedSet<Timed> {
    const known = this.scheduled.get(type) ?? timed()
    this.scheduled.set(type, known)
    return known
  }

  private tally(task: Pick<TaskRecord, "type">): Record<Status, number> {
    const known = this.tallies.get(task.type) ?? noTasks()
    this.tallies.set(task.type, known)
    return known
  }

  private runningOf(workerId: string, test: (task: TaskRecord) => boolean): TaskRecord[] {
    const found: TaskRecord[] = []
    for (const id of this.seenWorkers.running(workerId)) {
      const task = this.tasks.get(id)
      if (task && test(task)) found.push(task)
    }
    return found.sort((a, b) => a.seq - b.seq)
  }

  private at(places: readonly { readonly id: string }[]): TaskRecord[] {
    return places.flatMap(({ id }) => this.tasks.get(id) ?? [])
  }
}

function noTasks(): Record<Status, number> {
  return Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
}

function matches(task: TaskRecord, request: ListRequest): boolean {
  if (request.statuses !== null && !request.statuses.includes(task.status)) return false
  if (request.type !== null && task.type !== request.type) return false
  if (request.jobId !== null && task.jobId !== request.jobId) return false
  if (request.tag !== null && !task.tags.includes(request.tag)) return false
  if (request.createdFromMs !== null && task.createdAtMs < request.createdFromMs) return false
  return request.createdBeforeMs === null || task.createdAtMs < request.createdBeforeMs
}

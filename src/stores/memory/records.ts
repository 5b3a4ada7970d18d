// The records of one namespace in memory: each change takes the old record out of every index and puts the new one in. The reference for
// every other store.

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
import { type Change, claim, type HistoryEntry, type Lease, type Status, settle, type TaskRecord, trimHistory } from "../../task/index.ts"
import { MemoryCalls } from "./calls.ts"
import { MemoryGates } from "./gates.ts"
import type { ImageLine, Restore } from "./image.ts"
import { Indexes } from "./indexes.ts"
import { MemoryJobs } from "./jobs.ts"
import { Lanes } from "./lanes.ts"
import { beginnings, type Kept } from "./row.ts"
import { MemorySchedules } from "./schedules.ts"
import { Tasks } from "./tasks.ts"
import { MemoryWorkers } from "./workers.ts"

/** How many tasks one look reads at most. */
const listLook = 10_000

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
  readonly seenWorkers = new MemoryWorkers()
  readonly lanes = new Lanes()
  readonly limits = new MemoryGates()
  readonly jobRecords = new MemoryJobs((id) => this.tasks.get(id))
  readonly schedules = new MemorySchedules()
  readonly calls = new MemoryCalls(this.limits.lines)
  private readonly indexes = new Indexes(this)

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
      this.tasks.image((id) => this.indexes.lane(id) ?? 0),
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
      finished: (row: string) => this.indexes.returnFinished(finished(row)),
      task: (task: TaskRecord, history: readonly HistoryEntry[], lane: number) => {
        this.tasks.put(task, history, undefined)
        this.indexes.return(task, lane)
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
    return keys.flatMap((key) => this.tasks.get(this.indexes.ofKey(key) ?? "") ?? [])
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
    for (const { id, seq } of this.indexes.bySeq.before(request.beforeSeq === null ? null : { seq: request.beforeSeq, id: "" })) {
      const task = this.tasks.ifAmong(id, starts)
      if (!task) continue
      if (matches(task, request)) found.push(task)
      if (found.length >= limit || ++looked >= listLook) return { tasks: found, nextBeforeSeq: seq }
    }
    return { tasks: found, nextBeforeSeq: null }
  }

  counts(request: CountsRequest): Record<Status, number> {
    return this.indexes.counts(request.type)
  }

  takeSequence(count: number): number {
    this.sequence += count
    return this.sequence - count + 1
  }

  insert(changes: readonly Change[]): void {
    this.hasNews ||= changes.some(isNews)
    for (const { task, entries } of changes) {
      this.indexes.add(task)
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
      this.indexes.leave(task)
      this.indexes.remove(task)
      this.tasks.delete(task.id)
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
    return this.at(this.indexes.due(type, limit))
  }

  promote(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) this.indexes.promote(task)
  }

  nextDueAtMs(type: string): number | null {
    return this.indexes.nextDueAtMs(type)
  }

  backlog(): Backlog {
    return this.lanes
  }

  serve(chosen: Chosen): void {
    this.lanes.serve(chosen)
  }

  unrouted(types: readonly string[], limit: number): TaskRecord[] {
    const found = types.flatMap((type) => this.at(this.indexes.unrouted(type, limit)))
    return found.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }

  place(task: TaskRecord) {
    const lane = this.indexes.lane(task.id)
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
    for (const { id, seq } of this.indexes.bySeq.after({ seq: afterSeq + 1, id: "" })) {
      // What is finished need not be read.
      const task = this.tasks.ifAmong(id, [])
      if (task?.status === "pending") return { first: task, nextAfterSeq: seq - 1, isEnd: false }
      nextAfterSeq = seq
      if (++looked >= listLook) return { first: null, nextAfterSeq, isEnd: false }
    }
    return { first: null, nextAfterSeq, isEnd: true }
  }

  expiring(byMs: number, limit: number) {
    return countByType(this.at(this.indexes.expiries.takeWhile(({ atMs }) => atMs <= byMs, limit)))
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
    return this.at(this.indexes.leases.takeWhile(({ atMs }) => atMs <= this.nowMs, limit))
  }

  overdue(limit: number): TaskRecord[] {
    return this.at(this.indexes.expiries.takeWhile(({ atMs }) => atMs <= this.nowMs, limit))
  }

  finishedBefore(beforeMs: number, limit: number): TaskRecord[] {
    return this.at(this.indexes.finished.takeWhile(({ atMs }) => atMs <= beforeMs, limit))
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
    if (before) this.indexes.leave(before)
    if (before?.status !== task.status) this.jobs.moved(task, before?.status ?? null, task.status)
    this.tasks.put(task, history, kept)
    this.indexes.enter(task)
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

function matches(task: TaskRecord, request: ListRequest): boolean {
  if (request.statuses !== null && !request.statuses.includes(task.status)) return false
  if (request.type !== null && task.type !== request.type) return false
  if (request.jobId !== null && task.jobId !== request.jobId) return false
  if (request.tag !== null && !task.tags.includes(request.tag)) return false
  if (request.createdFromMs !== null && task.createdAtMs < request.createdFromMs) return false
  return request.createdBeforeMs === null || task.createdAtMs < request.createdBeforeMs
}

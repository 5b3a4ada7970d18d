// The records of one namespace as one atomic step sees them. Stores that run their steps in TypeScript (memory, SQLite and,
// replicated, S3) implement this, and the operations beside this file are written once against it. Everything is
// synchronous: nothing may come between reading and writing.

import type { Brief, Change, HistoryEntry, Lease, Status, TaskRecord } from "../task/index.ts"
import type { CallRecords } from "./call-records.ts"
import type { Backlog, Chosen } from "./claim.ts"
import type { CountsRequest, ListAnswer, ListRequest, WaitingAnswer, WorkerReport } from "./contract.ts"
import type { Gates } from "./gates.ts"
import type { JobRecords } from "./job-records.ts"
import type { Jobs } from "./jobs.ts"
import type { LimitRecords } from "./limit-records.ts"
import type { ScheduleRecords } from "./schedule-records.ts"

/** A worker that was not heard of for a day cannot have a claim under way. */
export const workerForgottenAfterMs = 86_400_000

export type FirstPending = Pick<WaitingAnswer, "first" | "nextAfterSeq" | "isEnd">

export interface Completion {
  readonly task: Brief
  readonly output: string | null
}

export interface Records {
  /** The store's clock, read once, after whatever lock the step needs was taken. */
  readonly nowMs: number
  /** By how much the true time may be ahead of that, where a store's clock is an estimate. */
  readonly clockErrorMs?: number
  /** The gates as this step sees and changes them. */
  readonly gates: Gates
  /** What is kept of limits and gates. */
  readonly limits: LimitRecords
  /** The jobs as this step sees and changes them. */
  readonly jobs: Jobs
  /** What is kept of jobs. */
  readonly jobRecords: JobRecords
  readonly schedules: ScheduleRecords
  /** What is kept of calls outside the queue. */
  readonly calls: CallRecords

  /** Those that are there, by id. */
  load(ids: readonly string[]): ReadonlyMap<string, TaskRecord>
  loadBrief(ids: readonly string[]): ReadonlyMap<string, Brief>
  loadByKey(keys: readonly string[]): readonly TaskRecord[]
  history(id: string): { readonly version: number; readonly entries: readonly HistoryEntry[] } | null
  list(request: ListRequest): ListAnswer
  counts(request: CountsRequest): Readonly<Record<Status, number>>

  /** The next sequence numbers, `count` of them; answers with the first. */
  takeSequence(count: number): number
  insert(changes: readonly Change[]): void
  /** Writes changed tasks and their new history, moves them between lanes, schedule and indexes, and tells their jobs, as all that changes a status does. */
  save(changes: readonly Change[]): void
  /** Starts tasks that were chosen, all under one lease; answers with them as they are then. In its own way, like `complete`. */
  start(tasks: readonly TaskRecord[], lease: Lease): readonly TaskRecord[]
  /** The outcome `completed` on running tasks, which is how most end: in its own way, because it needs to know so little of them. */
  complete(done: readonly Completion[]): void
  /** Writes leases and progress; nothing that the history shows. */
  keep(tasks: readonly TaskRecord[]): void
  remove(tasks: readonly TaskRecord[]): void

  /** The number of this worker's latest claim, 0 before its first. */
  claimNumber(workerId: string): number
  saveWorker(workerId: string, claimNumber: number, types: readonly string[]): void
  claimedBy(workerId: string, claimNumber: number): readonly TaskRecord[]
  cancelRequested(workerId: string): readonly TaskRecord[]
  /** A worker is alive and serves these types. */
  seeWorker(workerId: string, types: readonly string[]): void
  workersSince(type: string, sinceMs: number): number
  /** Those that were seen later than this, by id. */
  workers(sinceMs: number, limit: number): readonly WorkerReport[]

  /** Pending tasks outside the lanes whose time has come, earliest first. */
  due(type: string, limit: number): readonly TaskRecord[]
  /** Puts them into their lanes. */
  promote(tasks: readonly TaskRecord[]): void
  nextDueAtMs(type: string): number | null
  backlog(): Backlog
  serve(chosen: Chosen): void
  /** Tasks of the types that nobody has routed, in order of their sequence. */
  unrouted(types: readonly string[], limit: number): readonly TaskRecord[]
  /**
   * How many stand before the task in its lane, and how many stand there that its priority does not put behind it; null where it
   * stands in none. Counted up to a bound.
   */
  place(task: TaskRecord): { readonly before: number; readonly of: number } | null

  /** The lane stands behind this gate now; 0 makes it ready. */
  standAt(lane: number, gate: number): void
  /** Places whose waiters this step has changed, told once. */
  takeChangedPlaces(): readonly { readonly type: string; readonly gate: number }[]
  /** Where a flow stands at a gate may lag behind its virtual time: this makes it right. */
  refreshFlow(type: string, gate: number, flow: string): void

  lostLeases(limit: number): readonly TaskRecord[]
  overdue(limit: number): readonly TaskRecord[]
  finishedBefore(beforeMs: number, limit: number): readonly TaskRecord[]
  /** The first pending task behind this sequence number, of a bounded number that is looked at. */
  firstPending(afterSeq: number): FirstPending
  /** Pending tasks that expire by then, by type: no more of them are counted than the limit. */
  expiring(byMs: number, limit: number): WaitingAnswer["expiring"]
  /** Drops up to `limit` lanes, flows and workers that nothing needs any more; answers how many. */
  forget(limit: number): number
}

// The records of one namespace as one atomic step sees them. Stores that run their steps in TypeScript (memory, SQLite and,
// replicated, S3) implement this, and the operations beside this file are written once against it. Everything is
// synchronous: nothing may come between reading and writing.

import type { Brief, Change, HistoryEntry, Status, TaskRecord } from "../task/index.ts"
import type { Backlog, Chosen } from "./claim.ts"
import type { CountsRequest, ListAnswer, ListRequest } from "./contract.ts"

/** A worker that was not heard of for a day cannot have a claim under way. */
export const workerForgottenAfterMs = 86_400_000

export interface Completion {
  readonly task: Brief
  readonly output: string | null
}

export interface Records {
  /** The store's clock, read once, after whatever lock the step needs was taken. */
  readonly nowMs: number

  load(ids: readonly string[]): readonly (TaskRecord | null)[]
  loadBrief(ids: readonly string[]): readonly (Brief | null)[]
  loadByKey(keys: readonly string[]): readonly TaskRecord[]
  history(id: string): { readonly version: number; readonly entries: readonly HistoryEntry[] } | null
  list(request: ListRequest): ListAnswer
  counts(request: CountsRequest): Readonly<Record<Status, number>>

  /** The next sequence numbers, `count` of them; answers with the first. */
  takeSequence(count: number): number
  insert(changes: readonly Change[]): void
  /** Writes changed tasks and their new history, and moves them between lanes, schedule and indexes. */
  save(changes: readonly Change[]): void
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

  /** Pending tasks outside the lanes whose time has come, earliest first. */
  due(type: string, limit: number): readonly TaskRecord[]
  /** Puts them into their lanes. */
  promote(tasks: readonly TaskRecord[]): void
  nextDueAtMs(type: string): number | null
  backlog(): Backlog
  serve(chosen: Chosen): void

  lostLeases(limit: number): readonly TaskRecord[]
  overdue(limit: number): readonly TaskRecord[]
  finishedBefore(beforeMs: number, limit: number): readonly TaskRecord[]
  /** Drops up to `limit` lanes, flows and workers that nothing needs any more; answers how many. */
  forget(limit: number): number
}

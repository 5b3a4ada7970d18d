// Every change of a task after its creation, as a pure function of the record, the store's clock and what was asked. A store
// reads the record, applies one of these in the step that holds it, and writes the result: so every store means the same.

import { clampInstant } from "../units/index.ts"
import { type Backoff, backoffMs } from "./backoff.ts"
import { copyTask, type Draft } from "./copy.ts"
import type { HistoryEntry, HistoryEvent } from "./history.ts"
import type { Outcome } from "./outcome.ts"
import { type GateRef, isExpiredAt, type TaskRecord } from "./record.ts"
import { canMove, type Status } from "./status.ts"

export interface Change {
  readonly task: TaskRecord
  readonly entries: readonly HistoryEntry[]
}

type Notes = Omit<HistoryEntry, "atMs" | "status" | "event">

/** A worker that dies this often in a row while it holds the task is taken to die because of it. */
export const poisonAfter = 3

/** Puts what was changed into effect: every change has a time, a version and an entry. */
function changed(next: Draft, nowMs: number, status: Status, event: HistoryEvent, notes: Notes = {}): Change {
  next.status = status
  next.updatedAtMs = nowMs
  next.version += 1
  return { task: next, entries: [{ atMs: nowMs, status, event, ...notes }] }
}

/** What the history shows of a claim. */
export function claimedEntry(nowMs: number, workerId: string): HistoryEntry {
  return { atMs: nowMs, status: "running", event: "claimed", workerId }
}

/** What the history shows of a completion. */
export function completedEntry(nowMs: number): HistoryEntry {
  return { atMs: nowMs, status: "completed", event: "completed" }
}

export interface Lease {
  readonly workerId: string
  readonly claimNumber: number
  readonly expiresAtMs: number
}

export function claim(task: TaskRecord, nowMs: number, lease: Lease): Change {
  const next = copyTask(task)
  next.workerId = lease.workerId
  next.claimNumber = lease.claimNumber
  next.leaseExpiresAtMs = lease.expiresAtMs
  next.startedAtMs = nowMs
  next.fence += 1
  next.attempt += 1
  next.lastOutcome = null
  next.progress = null
  return changed(next, nowMs, "running", "claimed", { workerId: lease.workerId })
}

/** As much of a task as decides whether a settle counts, and as completing it needs. */
export type Brief = Pick<
  TaskRecord,
  "id" | "seq" | "type" | "status" | "fence" | "version" | "lastOutcome" | "gates" | "startedAtMs" | "jobId"
>

/** Under the fence of the current lease, once. The same outcome again is answered like the first time. */
export function judge(task: Brief, fence: number, outcome: Outcome["kind"]): "ok" | "repeat" | "stale" {
  if (task.fence !== fence) return "stale"
  // A lease that ran out but was not swept yet still settles: nobody else has the task, and running it again would help nobody.
  if (task.status === "running") return "ok"
  return task.lastOutcome === outcome ? "repeat" : "stale"
}

export type Settled = { readonly kind: "ok"; readonly change: Change } | { readonly kind: "repeat" } | { readonly kind: "stale" }

export function settle(task: TaskRecord, fence: number, outcome: Outcome, nowMs: number): Settled {
  const kind = judge(task, fence, outcome.kind)
  if (kind !== "ok") return { kind }
  const next = endLease(task, outcome.kind)
  next.crashCount = 0
  return { kind: "ok", change: applyOutcome(next, outcome, nowMs) }
}

function endLease(task: TaskRecord, how: NonNullable<TaskRecord["lastOutcome"]>): Draft {
  const next = copyTask(task)
  next.workerId = null
  next.claimNumber = null
  next.leaseExpiresAtMs = null
  next.lastOutcome = how
  return next
}

/** `next` is the task without its lease. */
function applyOutcome(next: Draft, outcome: Outcome, nowMs: number): Change {
  switch (outcome.kind) {
    case "completed":
      next.output = outcome.output
      next.completedAtMs = nowMs
      next.lastError = null
      return changed(next, nowMs, "completed", "completed")
    case "failed":
      return fail(next, nowMs, outcome.error)
    case "cancelled":
      return stop(next, nowMs)
    case "retried":
      return retryLater(next, nowMs, "retried", outcome.error, outcome.delayMs)
    case "rescheduled":
      return reschedule(next, nowMs, outcome)
    case "throttled":
      return throttle(next, nowMs, outcome)
    case "released":
      return release(next, nowMs, outcome.reason)
  }
}

function fail(next: Draft, nowMs: number, error: string): Change {
  next.completedAtMs = nowMs
  next.lastError = error
  return changed(next, nowMs, "failed", "failed", { error })
}

/** What a user has asked to cancel is not started again, however its run ended. */
function stop(next: Draft, nowMs: number): Change {
  next.completedAtMs = nowMs
  return changed(next, nowMs, "cancelled", "cancelled")
}

/** A failure, a timeout or a lost lease: costs one retry. */
function retryLater(next: Draft, nowMs: number, event: "retried" | "lost", error: string, delayMs: number): Change {
  if (next.cancelRequestedAtMs !== null) {
    next.lastError = error
    return stop(next, nowMs)
  }
  if (next.retryCount >= next.maxRetries) return fail(next, nowMs, error)
  next.retryCount += 1
  next.lastError = error
  return backToLane(next, nowMs, event, delayMs, { delayMs, count: next.retryCount, error })
}

function reschedule(next: Draft, nowMs: number, outcome: Extract<Outcome, { kind: "rescheduled" }>): Change {
  if (next.cancelRequestedAtMs !== null) return stop(next, nowMs)
  if (next.maxReschedules !== null && next.rescheduleCount >= next.maxReschedules) {
    return fail(next, nowMs, `Max reschedules (${next.maxReschedules}) exceeded`)
  }
  next.rescheduleCount += 1
  const extended = outcome.extendExpirationMs > 0 && next.expiresAtMs !== null
  if (extended) next.expiresAtMs = clampInstant((next.expiresAtMs ?? 0) + outcome.extendExpirationMs)
  return backToLane(next, nowMs, "rescheduled", outcome.delayMs, {
    delayMs: outcome.delayMs,
    count: next.rescheduleCount,
    ...(extended && next.expiresAtMs !== null ? { expiresAtMs: next.expiresAtMs } : {}),
    ...(outcome.reason === null ? {} : { reason: outcome.reason }),
  })
}

/** The other side said "not now": the task keeps its place in the lane. */
function throttle(next: Draft, nowMs: number, outcome: Extract<Outcome, { kind: "throttled" }>): Change {
  if (next.cancelRequestedAtMs !== null) return stop(next, nowMs)
  const status = outcome.status === null ? "" : `, last upstream status ${outcome.status}`
  const most = next.maxThrottles ?? outcome.cap ?? null
  if (most !== null && next.throttleCount >= most) return fail(next, nowMs, `Max throttles (${most}) exceeded${status}`)
  next.throttleCount += 1
  next.lastError = outcome.error
  const { readyAtMs } = next
  const change = backToLane(next, nowMs, "throttled", outcome.delayMs, { delayMs: outcome.delayMs, count: next.throttleCount })
  next.readyAtMs = readyAtMs
  return change
}

function release(next: Draft, nowMs: number, reason: string): Change {
  if (next.cancelRequestedAtMs !== null) return stop(next, nowMs)
  if (isExpiredAt(next, nowMs)) return expired(next, nowMs)
  next.attempt = Math.max(0, next.attempt - 1)
  next.availableAtMs = nowMs
  return changed(next, nowMs, "pending", "released", { reason })
}

/**
 * Pending again after a delay; one that would be due only at or past its expiry expires at once. It goes behind what is ready in
 * the same millisecond: ties are broken by sequence, and its own is an old one.
 */
function backToLane(next: Draft, nowMs: number, event: HistoryEvent, delayMs: number, notes: Notes): Change {
  const availableAtMs = clampInstant(nowMs + delayMs)
  if (isExpiredAt(next, availableAtMs)) return expired(next, nowMs)
  next.availableAtMs = availableAtMs
  next.readyAtMs = availableAtMs + 1
  return changed(next, nowMs, "pending", event, notes)
}

/** The lease ran out: the worker is gone, or cannot reach the store. */
export function lose(task: TaskRecord, nowMs: number, backoff: Backoff, random: number): Change {
  const next = endLease(task, "lost")
  next.crashCount += 1
  if (next.crashCount >= poisonAfter && task.cancelRequestedAtMs === null) {
    return fail(next, nowMs, `poison: its worker was lost ${next.crashCount} times in a row, last ${task.workerId}`)
  }
  return retryLater(next, nowMs, "lost", `lease lost by ${task.workerId}`, backoffMs(backoff, task.retryCount + 1, random))
}

/** Keeps the lease and never shortens it. One that ran out stays lost: what it held may have been given away. */
export function renew(task: TaskRecord, fence: number, nowMs: number, leaseMs: number, progress: string | null): TaskRecord | null {
  if (task.fence !== fence || task.status !== "running" || task.leaseExpiresAtMs === null || nowMs >= task.leaseExpiresAtMs) return null
  const next = copyTask(task)
  next.leaseExpiresAtMs = Math.max(task.leaseExpiresAtMs, nowMs + leaseMs)
  if (progress !== null) next.progress = progress
  return next
}

/**
 * Somebody who has the code has said which gates it passes; and which flow it belongs to, where the code says that too. Nothing
 * has happened to the task, so its history does not show it.
 */
export function routeTask(task: TaskRecord, gates: readonly GateRef[], flow: string | null): Change {
  const next = copyTask(task)
  next.gates = gates
  if (flow !== null) next.flow = flow
  return { task: next, entries: [] }
}

export function failUnrouted(task: TaskRecord, nowMs: number, error: string): Change {
  return fail(copyTask(task), nowMs, error)
}

export function expire(task: TaskRecord, nowMs: number): Change {
  return expired(copyTask(task), nowMs)
}

function expired(next: Draft, nowMs: number): Change {
  next.expiredAtMs = nowMs
  return changed(next, nowMs, "expired", "expired")
}

/** What an operation on a finished or unsuited task answers: the two statuses that do not go together. */
export type Moved =
  | { readonly kind: "ok"; readonly change: Change | null }
  | { readonly kind: "illegal"; readonly from: Status; readonly to: Status }

const illegal = (task: TaskRecord, to: Status): Moved => ({ kind: "illegal", from: task.status, to })
const moved = (change: Change | null): Moved => ({ kind: "ok", change })

export function markExpired(task: TaskRecord, nowMs: number): Moved {
  return task.status === "pending" ? moved(expire(task, nowMs)) : illegal(task, "expired")
}

/** A pending task ends at once; a running one is asked to stop, once. */
export function cancel(task: TaskRecord, nowMs: number): Moved {
  if (!canMove(task.status, "cancelled")) return illegal(task, "cancelled")
  if (task.status === "running" && task.cancelRequestedAtMs !== null) return moved(null)
  const next = copyTask(task)
  next.cancelRequestedAtMs = nowMs
  return moved(task.status === "pending" ? stop(next, nowMs) : changed(next, nowMs, "running", "cancel_requested"))
}

/** Somebody wants it run again: with fresh budgets, unless it is too late for it. */
export function retry(task: TaskRecord, nowMs: number): Moved {
  if (task.status !== "failed" && task.status !== "cancelled") return illegal(task, "pending")
  const next = copyTask(task)
  next.retryCount = 0
  next.rescheduleCount = 0
  next.throttleCount = 0
  next.crashCount = 0
  next.availableAtMs = nowMs
  // Behind what is ready in the same millisecond, like any task that comes back.
  next.readyAtMs = nowMs + 1
  next.completedAtMs = null
  next.cancelRequestedAtMs = null
  const back = changed(next, nowMs, "pending", "requeued")
  return moved(isExpiredAt(task, nowMs) ? join(back, expire(back.task, nowMs)) : back)
}

export function archive(task: TaskRecord, nowMs: number): Moved {
  return canMove(task.status, "archived") ? moved(changed(copyTask(task), nowMs, "archived", "archived")) : illegal(task, "archived")
}

function join(first: Change, second: Change): Change {
  return { task: second.task, entries: [...first.entries, ...second.entries] }
}

// Every change of a task after its creation, as a pure function of the record, the store's clock and what was asked. A store
// reads the record, applies one of these in the step that holds it, and writes the result: so every store means the same.

import { clampInstant } from "../units/index.ts"
import { type Backoff, backoffMs } from "./backoff.ts"
import type { HistoryEntry, HistoryEvent } from "./history.ts"
import type { Outcome } from "./outcome.ts"
import { type GateRef, isExpiredAt, type TaskRecord } from "./record.ts"
import { canMove, type Status } from "./status.ts"

export interface Change {
  readonly task: TaskRecord
  readonly entries: readonly HistoryEntry[]
}

type Fields = Partial<TaskRecord>
type Notes = Omit<HistoryEntry, "atMs" | "status" | "event">

/** A worker that dies this often in a row while it holds the task is taken to die because of it. */
export const poisonAfter = 3

const noLease: Fields = { workerId: null, claimNumber: null, leaseExpiresAtMs: null }

function move(task: TaskRecord, nowMs: number, status: Status, event: HistoryEvent, fields: Fields, notes: Notes = {}): Change {
  return {
    task: { ...task, ...fields, status, updatedAtMs: nowMs, version: task.version + 1 },
    entries: [{ atMs: nowMs, status, event, ...notes }],
  }
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
  return move(
    task,
    nowMs,
    "running",
    "claimed",
    {
      workerId: lease.workerId,
      claimNumber: lease.claimNumber,
      leaseExpiresAtMs: lease.expiresAtMs,
      startedAtMs: nowMs,
      fence: task.fence + 1,
      attempt: task.attempt + 1,
      lastOutcome: null,
      progress: null,
    },
    { workerId: lease.workerId },
  )
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
  return { kind: "ok", change: applyOutcome(task, { ...noLease, crashCount: 0, lastOutcome: outcome.kind }, outcome, nowMs) }
}

/** `ended` is what the end of the lease changes, whatever the outcome. */
function applyOutcome(task: TaskRecord, ended: Fields, outcome: Outcome, nowMs: number): Change {
  switch (outcome.kind) {
    case "completed":
      return move(task, nowMs, "completed", "completed", { ...ended, output: outcome.output, completedAtMs: nowMs, lastError: null })
    case "failed":
      return fail(task, ended, nowMs, outcome.error)
    case "cancelled":
      return stop(task, ended, nowMs)
    case "retried":
      return retryLater(task, ended, nowMs, "retried", outcome.error, outcome.delayMs)
    case "rescheduled":
      return reschedule(task, ended, nowMs, outcome)
    case "throttled":
      return throttle(task, ended, nowMs, outcome)
    case "released":
      return release(task, ended, nowMs, outcome.reason)
  }
}

function fail(task: TaskRecord, ended: Fields, nowMs: number, error: string): Change {
  return move(task, nowMs, "failed", "failed", { ...ended, completedAtMs: nowMs, lastError: error }, { error })
}

/** What a user has asked to cancel is not started again, however its run ended. */
function stop(task: TaskRecord, ended: Fields, nowMs: number): Change {
  return move(task, nowMs, "cancelled", "cancelled", { ...ended, completedAtMs: nowMs })
}

/** A failure, a timeout or a lost lease: costs one retry. */
function retryLater(task: TaskRecord, ended: Fields, nowMs: number, event: "retried" | "lost", error: string, delayMs: number): Change {
  if (task.cancelRequestedAtMs !== null) return stop(task, { ...ended, lastError: error }, nowMs)
  if (task.retryCount >= task.maxRetries) return fail(task, ended, nowMs, error)
  const retryCount = task.retryCount + 1
  return backToLane(task, nowMs, event, { ...ended, retryCount, lastError: error }, delayMs, { delayMs, count: retryCount, error })
}

function reschedule(task: TaskRecord, ended: Fields, nowMs: number, outcome: Extract<Outcome, { kind: "rescheduled" }>): Change {
  if (task.cancelRequestedAtMs !== null) return stop(task, ended, nowMs)
  if (task.maxReschedules !== null && task.rescheduleCount >= task.maxReschedules) {
    return fail(task, ended, nowMs, `Max reschedules (${task.maxReschedules}) exceeded`)
  }
  const rescheduleCount = task.rescheduleCount + 1
  const extended = outcome.extendExpirationMs > 0 && task.expiresAtMs !== null
  const expiresAtMs = extended ? clampInstant((task.expiresAtMs ?? 0) + outcome.extendExpirationMs) : task.expiresAtMs
  return backToLane(task, nowMs, "rescheduled", { ...ended, rescheduleCount, expiresAtMs }, outcome.delayMs, {
    delayMs: outcome.delayMs,
    count: rescheduleCount,
    ...(extended && expiresAtMs !== null ? { expiresAtMs } : {}),
    ...(outcome.reason === null ? {} : { reason: outcome.reason }),
  })
}

/** The other side said "not now": the task keeps its place in the lane. */
function throttle(task: TaskRecord, ended: Fields, nowMs: number, outcome: Extract<Outcome, { kind: "throttled" }>): Change {
  if (task.cancelRequestedAtMs !== null) return stop(task, ended, nowMs)
  const status = outcome.status === null ? "" : `, last upstream status ${outcome.status}`
  const most = task.maxThrottles ?? outcome.cap ?? null
  if (most !== null && task.throttleCount >= most) return fail(task, ended, nowMs, `Max throttles (${most}) exceeded${status}`)
  const throttleCount = task.throttleCount + 1
  const change = backToLane(task, nowMs, "throttled", { ...ended, throttleCount, lastError: outcome.error }, outcome.delayMs, {
    delayMs: outcome.delayMs,
    count: throttleCount,
  })
  return { ...change, task: { ...change.task, readyAtMs: task.readyAtMs } }
}

function release(task: TaskRecord, ended: Fields, nowMs: number, reason: string): Change {
  if (task.cancelRequestedAtMs !== null) return stop(task, ended, nowMs)
  if (isExpiredAt(task, nowMs)) return expire({ ...task, ...ended }, nowMs)
  const attempt = Math.max(0, task.attempt - 1)
  return move(task, nowMs, "pending", "released", { ...ended, attempt, availableAtMs: nowMs }, { reason })
}

/**
 * Pending again after a delay; one that would be due only at or past its expiry expires at once. It goes behind what is ready in
 * the same millisecond: ties are broken by sequence, and its own is an old one.
 */
function backToLane(task: TaskRecord, nowMs: number, event: HistoryEvent, fields: Fields, delayMs: number, notes: Notes): Change {
  const availableAtMs = clampInstant(nowMs + delayMs)
  const back = move(task, nowMs, "pending", event, { ...fields, availableAtMs, readyAtMs: availableAtMs + 1 }, notes)
  return isExpiredAt(back.task, availableAtMs) ? expire({ ...task, ...fields }, nowMs) : back
}

/** The lease ran out: the worker is gone, or cannot reach the store. */
export function lose(task: TaskRecord, nowMs: number, backoff: Backoff, random: number): Change {
  const crashCount = task.crashCount + 1
  const ended: Fields = { ...noLease, crashCount, lastOutcome: "lost" }
  if (crashCount >= poisonAfter && task.cancelRequestedAtMs === null) {
    return fail(task, ended, nowMs, `poison: its worker was lost ${crashCount} times in a row, last ${task.workerId}`)
  }
  return retryLater(task, ended, nowMs, "lost", `lease lost by ${task.workerId}`, backoffMs(backoff, task.retryCount + 1, random))
}

/** Keeps the lease and never shortens it. One that ran out stays lost: what it held may have been given away. */
export function renew(task: TaskRecord, fence: number, nowMs: number, leaseMs: number, progress: string | null): TaskRecord | null {
  if (task.fence !== fence || task.status !== "running" || task.leaseExpiresAtMs === null || nowMs >= task.leaseExpiresAtMs) return null
  return { ...task, leaseExpiresAtMs: Math.max(task.leaseExpiresAtMs, nowMs + leaseMs), progress: progress ?? task.progress }
}

/**
 * Somebody who has the code has said which gates it passes; and which flow it belongs to, where the code says that too. Nothing
 * has happened to the task, so its history does not show it.
 */
export function routeTask(task: TaskRecord, gates: readonly GateRef[], flow: string | null): Change {
  return { task: { ...task, gates, flow: flow ?? task.flow }, entries: [] }
}

export function failUnrouted(task: TaskRecord, nowMs: number, error: string): Change {
  return fail(task, {}, nowMs, error)
}

export function expire(task: TaskRecord, nowMs: number): Change {
  return move(task, nowMs, "expired", "expired", { expiredAtMs: nowMs })
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
  if (task.status === "pending") {
    return moved(move(task, nowMs, "cancelled", "cancelled", { cancelRequestedAtMs: nowMs, completedAtMs: nowMs }))
  }
  if (task.cancelRequestedAtMs !== null) return moved(null)
  return moved(move(task, nowMs, "running", "cancel_requested", { cancelRequestedAtMs: nowMs }))
}

/** Somebody wants it run again: with fresh budgets, unless it is too late for it. */
export function retry(task: TaskRecord, nowMs: number): Moved {
  if (task.status !== "failed" && task.status !== "cancelled") return illegal(task, "pending")
  const fresh: Fields = {
    retryCount: 0,
    rescheduleCount: 0,
    throttleCount: 0,
    crashCount: 0,
    availableAtMs: nowMs,
    // Behind what is ready in the same millisecond, like any task that comes back.
    readyAtMs: nowMs + 1,
    completedAtMs: null,
    cancelRequestedAtMs: null,
  }
  const back = move(task, nowMs, "pending", "requeued", fresh)
  return moved(isExpiredAt(task, nowMs) ? join(back, expire(back.task, nowMs)) : back)
}

export function archive(task: TaskRecord, nowMs: number): Moved {
  return canMove(task.status, "archived") ? moved(move(task, nowMs, "archived", "archived", {})) : illegal(task, "archived")
}

function join(first: Change, second: Change): Change {
  return { task: second.task, entries: [...first.entries, ...second.entries] }
}

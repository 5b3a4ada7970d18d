// A new task, from what was submitted and the store's clock.

import { SluiceError } from "../errors/index.ts"
import { clampInstant, formatInstant } from "../units/index.ts"
import type { Draft } from "./copy.ts"
import type { HistoryEntry } from "./history.ts"
import type { GateRef, TaskRecord } from "./record.ts"
import { type Change, expire } from "./transitions.ts"

/** A time that the caller knows, or a duration that the store's clock turns into one. */
export type When = { readonly atMs: number } | { readonly inMs: number }

export interface NewTask {
  readonly id: string
  readonly type: string
  readonly input: string
  readonly priority: number
  readonly tags: readonly string[]
  readonly jobId: string | null
  readonly flow: string
  /** Null: not known here. The store takes it as none where it knows that tasks of this type pass none. */
  readonly gates: readonly GateRef[] | null
  readonly schedule: When | null
  readonly expiry: When | null
  readonly maxRetries: number
  readonly maxReschedules: number | null
  readonly maxThrottles: number | null
  readonly timeoutMs: number
  readonly idempotencyKey: string | null
  readonly inputDigest: string | null
}

/** One that is already past its expiry is stored `expired`: accepted, never claimed. */
export function create(task: NewTask, seq: number, nowMs: number): Change {
  const availableAtMs = Math.max(nowMs, resolve(task.schedule, nowMs) ?? nowMs)
  const expiresAtMs = resolve(task.expiry, nowMs)
  // Written out field by field: a record made by spreading is a slow object, and there are as many as there are tasks.
  const created: TaskRecord = {
    id: task.id,
    seq,
    type: task.type,
    status: "pending",
    priority: task.priority,
    input: task.input,
    output: null,
    progress: null,
    tags: task.tags,
    jobId: task.jobId,
    idempotencyKey: task.idempotencyKey,
    inputDigest: task.inputDigest,
    flow: task.flow,
    gates: task.gates,
    forecastAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    availableAtMs,
    readyAtMs: availableAtMs,
    expiresAtMs,
    expiredAtMs: null,
    startedAtMs: null,
    completedAtMs: null,
    cancelRequestedAtMs: null,
    retryCount: 0,
    maxRetries: task.maxRetries,
    rescheduleCount: 0,
    maxReschedules: task.maxReschedules,
    throttleCount: 0,
    maxThrottles: task.maxThrottles,
    crashCount: 0,
    attempt: 0,
    fence: 0,
    version: 1,
    workerId: null,
    claimNumber: null,
    leaseExpiresAtMs: null,
    timeoutMs: task.timeoutMs,
    lastError: null,
    lastOutcome: null,
  }
  const entry: HistoryEntry = {
    atMs: nowMs,
    status: "pending",
    event: "created",
    ...(availableAtMs > nowMs ? { delayMs: availableAtMs - nowMs } : {}),
    ...(expiresAtMs === null ? {} : { expiresAtMs }),
  }
  if (expiresAtMs === null || nowMs < expiresAtMs) return { task: created, entries: [entry] }
  const expired = expire(created, nowMs)
  return { task: expired.task, entries: [entry, ...expired.entries] }
}

/** When the task that was just made is expected to start. Nobody else has it yet: it is set, not copied. */
export function setForecast({ task }: Change, atMs: number | null): void {
  const draft = task as Draft
  draft.forecastAtMs = atMs
}

/** A task that is to start only after it has expired can never run: the caller has mixed something up. */
export function checkSchedule(task: NewTask, nowMs: number): SluiceError | null {
  const scheduleAtMs = resolve(task.schedule, nowMs)
  const expiresAtMs = resolve(task.expiry, nowMs)
  if (scheduleAtMs === null || expiresAtMs === null || scheduleAtMs <= expiresAtMs) return null
  return new SluiceError(
    "schedule_after_expiry",
    `submit ${task.type}: expected a schedule before the expiry, got schedule_at ${formatInstant(scheduleAtMs)} after expires_at ${formatInstant(expiresAtMs)}`,
  )
}

function resolve(when: When | null, nowMs: number): number | null {
  if (when === null) return null
  return clampInstant("atMs" in when ? when.atMs : nowMs + when.inMs)
}

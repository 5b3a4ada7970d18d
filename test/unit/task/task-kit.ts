// Tasks for the tests of transitions: one that is new, one that runs, with what a test is about filled in.

import { type Change, claim, create, type NewTask, type Outcome, settle, type TaskRecord } from "../../../src/task/index.ts"

export const startMs = Date.UTC(2026, 0, 28, 12, 0, 0)

const asked: NewTask = {
  id: "task-1",
  type: "call_api",
  input: "{}",
  priority: 0,
  tags: [],
  jobId: null,
  flow: "call_api",
  gates: [],
  schedule: null,
  expiry: null,
  maxRetries: 3,
  maxReschedules: null,
  maxThrottles: null,
  timeoutMs: 60_000,
  idempotencyKey: null,
  inputDigest: null,
}

export function created(fields: Partial<NewTask> = {}): Change {
  return create({ ...asked, ...fields }, 1, startMs)
}

export function pending(fields: Partial<NewTask> = {}): TaskRecord {
  return created(fields).task
}

export function claimed(task: TaskRecord, nowMs = startMs, workerId = "worker-1"): Change {
  return claim(task, nowMs, { workerId, claimNumber: 1, expiresAtMs: nowMs + 30_000 })
}

export function running(fields: Partial<NewTask & TaskRecord> = {}): TaskRecord {
  return { ...claimed(pending(fields)).task, ...fields }
}

/** Settles under the current fence; the outcome must be accepted. */
export function settled(task: TaskRecord, outcome: Outcome, nowMs = startMs): Change {
  const result = settle(task, task.fence, outcome, nowMs)
  if (result.kind !== "ok") throw new Error(`expected the outcome to be accepted, got ${result.kind}`)
  return result.change
}

export const reschedule = (delayMs: number, extendExpirationMs = 0, reason: string | null = null): Outcome => ({
  kind: "rescheduled",
  delayMs,
  extendExpirationMs,
  reason,
})
export const retryIn = (delayMs: number, error = "no"): Outcome => ({ kind: "retried", error, delayMs })
export const throttle = (delayMs: number, status: number | null = 429): Outcome => ({
  kind: "throttled",
  delayMs,
  error: "slow down",
  status,
  limit: null,
  retryAfterMs: null,
  random: 0,
})

// The wire form of a task: the snake_case document of the CLI's --json, of HTTP, S3 and SQL views.

import { SluiceError, shown } from "../errors/index.ts"
import { gateName, type Status, type TaskRecord } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"
import type { Forecast } from "./limits-contract.ts"

export interface TaskDocument {
  readonly id: string
  readonly task_type: string
  readonly status: Status
  readonly input: unknown
  readonly output: unknown
  readonly progress: unknown
  readonly priority: number
  readonly tags: readonly string[]
  readonly job_id: string | null
  readonly idempotency_key: string | null
  /** "limit/key" each; null while nobody has routed it. */
  readonly gates: readonly string[] | null
  readonly created_at: string
  readonly updated_at: string
  readonly available_at: string
  readonly estimated_start_at: string | null
  readonly expires_at: string | null
  readonly expired_at: string | null
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly cancel_requested_at: string | null
  readonly retry_count: number
  readonly max_retries: number
  readonly reschedule_count: number
  readonly max_reschedules: number | null
  readonly throttle_count: number
  readonly max_throttles: number | null
  readonly crash_count: number
  readonly attempt: number
  readonly fence: number
  readonly version: number
  readonly worker_id: string | null
  readonly lease_expires_at: string | null
  readonly timeout_seconds: number
  readonly last_error: string | null
}

/** The forecast is that of the moment; without one there is none to tell. */
export function toDocument(task: TaskRecord, forecast: Pick<Forecast, "atMs"> | null = null): TaskDocument {
  return {
    id: task.id,
    task_type: task.type,
    status: task.status,
    input: storedJson(task, "input"),
    output: storedJson(task, "output"),
    progress: storedJson(task, "progress"),
    priority: task.priority,
    tags: task.tags,
    job_id: task.jobId,
    idempotency_key: task.idempotencyKey,
    gates: task.gates?.map(gateName) ?? null,
    created_at: formatInstant(task.createdAtMs),
    updated_at: formatInstant(task.updatedAtMs),
    available_at: formatInstant(task.availableAtMs),
    estimated_start_at: time(forecast?.atMs ?? null),
    expires_at: time(task.expiresAtMs),
    expired_at: time(task.expiredAtMs),
    started_at: time(task.startedAtMs),
    completed_at: time(task.completedAtMs),
    cancel_requested_at: time(task.cancelRequestedAtMs),
    retry_count: task.retryCount,
    max_retries: task.maxRetries,
    reschedule_count: task.rescheduleCount,
    max_reschedules: task.maxReschedules,
    throttle_count: task.throttleCount,
    max_throttles: task.maxThrottles,
    crash_count: task.crashCount,
    attempt: task.attempt,
    fence: task.fence,
    version: task.version,
    worker_id: task.workerId,
    lease_expires_at: time(task.leaseExpiresAtMs),
    timeout_seconds: task.timeoutMs / 1_000,
    last_error: task.lastError,
  }
}

/** What a handler or a caller gave, as a value. It was JSON when it was stored: no store looks into it. */
export function storedJson(task: TaskRecord, field: "input" | "output" | "progress"): unknown {
  const text = task[field]
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = `task ${shown(task.id)}: expected its stored ${field} to be JSON, got ${shown(text)}; restore the store from a backup, or submit the task again`
    throw new SluiceError("store_damaged", message, { cause })
  }
}

function time(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms)
}

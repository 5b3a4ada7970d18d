// Between a row and a record: the columns in the order they are read, and what NULL stands for.

import { isGateRefs, isHistory, isStatus } from "../../store/sound.ts"
import {
  type Brief,
  type GateRef,
  type HistoryEntry,
  isFinished,
  type OutcomeKind,
  type Status,
  type TaskRecord,
} from "../../task/index.ts"
import { damaged, sound } from "./damage.ts"
import type { Row } from "./sql.ts"

const names = [
  ...["seq", "id", "type", "status", "priority", "flow", "gates", "tags", "input", "output", "progress", "job_id", "idempotency_key"],
  ...["input_digest", "created_at_ms", "updated_at_ms", "available_at_ms", "ready_at_ms", "expires_at_ms", "expired_at_ms"],
  ...["started_at_ms", "completed_at_ms", "cancel_requested_at_ms", "retry_count", "max_retries", "reschedule_count"],
  ...["max_reschedules", "throttle_count", "max_throttles", "crash_count", "attempt", "fence", "version", "worker_id", "claim_number"],
  ...["lease_expires_at_ms", "timeout_ms", "last_error", "last_outcome", "lane", "forecast_at_ms"],
] as const
const texts = new Set(
  ["id", "type", "status", "flow", "input", "output", "progress", "job_id", "idempotency_key", "input_digest", "worker_id"].concat([
    ...["gates", "tags", "last_error", "last_outcome"],
  ]),
)
/** Where whole numbers stand: one that is not exact would be another's. */
const numbers = names.flatMap((name, at) => (texts.has(name) ? [] : [{ at, name }]))

/** JSON's null tells that nobody has routed the task: read as a document it could not be told from none. */
export const columns = names.map((name) => (name === "gates" ? "tasks.gates::text" : `tasks.${name}`)).join(", ")

/** How many there are: what a statement answers with besides comes behind them. */
export const taskColumns = names.length

/** As much as decides whether a completion counts. */
export const briefColumns =
  "tasks.seq, tasks.id, tasks.type, tasks.status, tasks.fence, tasks.version, tasks.last_outcome, tasks.gates::text, tasks.started_at_ms, tasks.job_id"

const none: readonly never[] = []

export function toRecord(row: Row): TaskRecord {
  for (const { at, name } of numbers) {
    const value = row[at]
    if (value !== null && !Number.isSafeInteger(value)) throw damaged(taskName(row), `an exact number as ${name}`, value)
  }
  if (!isStatus(row[3])) throw damaged(taskName(row), "a known status", row[3])
  const type = row[2] as string
  const record = {
    id: row[1],
    seq: row[0],
    type,
    status: row[3],
    priority: row[4],
    input: row[8],
    output: row[9],
    progress: row[10],
    tags: row[7] ?? none,
    jobId: row[11],
    idempotencyKey: row[12],
    inputDigest: row[13],
    flow: row[5] ?? type,
    gates: toGates(row[6], row),
    forecastAtMs: row[40],
    createdAtMs: row[14],
    updatedAtMs: row[15],
    availableAtMs: row[16],
    readyAtMs: row[17],
    expiresAtMs: row[18],
    expiredAtMs: row[19],
    startedAtMs: row[20],
    completedAtMs: row[21],
    cancelRequestedAtMs: row[22],
    retryCount: row[23],
    maxRetries: row[24],
    rescheduleCount: row[25],
    maxReschedules: row[26],
    throttleCount: row[27],
    maxThrottles: row[28],
    crashCount: row[29],
    attempt: row[30],
    fence: row[31],
    version: row[32],
    workerId: row[33],
    claimNumber: row[34],
    leaseExpiresAtMs: row[35],
    timeoutMs: row[36],
    lastError: row[37],
    lastOutcome: row[38] as OutcomeKind | "lost" | null,
  }
  return record as TaskRecord
}

export function laneOf(row: Row): number | null {
  return row[39] as number | null
}

/** Of briefColumns. */
export function toBrief(row: Row): Brief {
  const [seq, id, type, status, fence, version, lastOutcome, gates, startedAtMs, jobId] = row
  if (!isStatus(status)) throw damaged(taskName(row), "a known status", status)
  for (const number of [seq, fence, version]) if (!Number.isSafeInteger(number)) throw damaged(taskName(row), "exact numbers", number)
  return { id, seq, type, status, fence, version, lastOutcome, gates: toGates(gates, row), startedAtMs, jobId } as Brief
}

function toGates(stored: unknown, row: Row): readonly GateRef[] | null {
  if (stored === null) return none
  if (stored === "null") return null
  return sound(JSON.parse(stored as string), isGateRefs, "gates", () => taskName(row))
}

/** Gates as they are stored: nothing for none of them, and "null" where it is not known which. */
export function gatesText(gates: readonly GateRef[] | null): string | null {
  return gates?.length === 0 ? null : JSON.stringify(gates)
}

export function toHistory(stored: unknown, id: string): readonly HistoryEntry[] {
  const record = () => `task ${id}`
  try {
    return sound(JSON.parse(`[${stored}]`), isHistory, "a history", record)
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(record(), "a history as JSON", stored)
    throw error
  }
}

export function fromHistory(entries: readonly HistoryEntry[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(",")
}

/** What saveTasks writes, by the names of the columns. */
export function saveColumns(task: TaskRecord, lane: number | null): Record<string, string | number | null> {
  return {
    seq: task.seq,
    status: task.status,
    lane,
    output: task.output,
    progress: task.progress,
    updated_at_ms: task.updatedAtMs,
    available_at_ms: task.availableAtMs,
    ready_at_ms: task.readyAtMs,
    expires_at_ms: task.expiresAtMs,
    expired_at_ms: task.expiredAtMs,
    started_at_ms: task.startedAtMs,
    completed_at_ms: task.completedAtMs,
    cancel_requested_at_ms: task.cancelRequestedAtMs,
    finished_at_ms: finishedAtMs(task),
    retry_count: task.retryCount,
    reschedule_count: task.rescheduleCount,
    throttle_count: task.throttleCount,
    crash_count: task.crashCount,
    attempt: task.attempt,
    fence: task.fence,
    version: task.version,
    worker_id: task.workerId,
    claim_number: task.claimNumber,
    lease_expires_at_ms: task.leaseExpiresAtMs,
    last_error: task.lastError,
    last_outcome: task.lastOutcome,
  }
}

export function finishedAtMs(task: TaskRecord): number | null {
  return isFinished(task.status) && task.status !== "archived" ? task.updatedAtMs : null
}

function taskName([seq, id]: Row): string {
  return `task ${JSON.stringify(id)} (row ${seq} of tasks)`
}

/** What a step remembers of a row that it has read. */
export interface Known {
  readonly lane: number | null
  readonly status: Status
  readonly isUnrouted: boolean
}

// Between a row and a record: the columns in the order they are read, and what NULL stands for.

import { isGateRefs, isHistory, isStatus, isTexts } from "../../store/sound.ts"
import {
  type Brief,
  type GateRef,
  type HistoryEntry,
  isFinished,
  type OutcomeKind,
  type Status,
  type TaskRecord,
} from "../../task/index.ts"
import { checkRow, damaged, readJson, taskName } from "./damage.ts"
import type { Row, Value } from "./driver.ts"

/** Inputs above this are kept apart, so that a claim or a heartbeat does not rewrite them. */
export const inlineInputBytes = 1_024

/**
 * One text per row instead of forty values: crossing into JavaScript costs more than making and parsing the JSON (4.0 µs
 * instead of 6.8 by libsql, 2.7 instead of 2.9 by node:sqlite). `input` comes from payloads where the row has none.
 */
export const columns = `json_array(tasks.seq, id, type, status, priority, flow, gates, tags,
  coalesce(tasks.input, (SELECT payloads.input FROM payloads WHERE payloads.seq = tasks.seq)), output, progress, job_id, idempotency_key,
  input_digest, created_at_ms, updated_at_ms, available_at_ms, ready_at_ms, expires_at_ms, expired_at_ms, started_at_ms,
  completed_at_ms, cancel_requested_at_ms, retry_count, max_retries, reschedule_count, max_reschedules, throttle_count,
  max_throttles, crash_count, attempt, fence, version, worker_id, claim_number, lease_expires_at_ms, timeout_ms, last_error,
  last_outcome, lane, forecast_at_ms)`

/** As much as decides whether a completion counts. */
export const briefColumns = "json_array(seq, id, type, status, fence, version, last_outcome, gates, started_at_ms, job_id)"

/** Tasks come as texts that hold any number of them, separated by commas. */
export function fromJson(rows: readonly Row[]): readonly Row[] {
  return rows.length === 0 ? rows : (JSON.parse(`[${rows.join(",")}]`) as Row[])
}

const none: readonly never[] = []
const text = (value: Value | undefined) => value as string
const textOrNull = (value: Value | undefined) => value as string | null
const whole = (value: Value | undefined) => value as number
const wholeOrNull = (value: Value | undefined) => value as number | null

export function toRecord(row: Row): TaskRecord {
  checkRow(row)
  const type = text(row[2])
  return {
    id: text(row[1]),
    seq: whole(row[0]),
    type,
    status: row[3] as Status,
    priority: whole(row[4]),
    input: text(row[8]),
    output: textOrNull(row[9]),
    progress: textOrNull(row[10]),
    tags: row[7] === null ? none : readJson(row[7], isTexts, "tags", () => taskName(row)),
    jobId: textOrNull(row[11]),
    idempotencyKey: textOrNull(row[12]),
    inputDigest: textOrNull(row[13]),
    flow: row[5] === null ? type : text(row[5]),
    gates: toGates(row[6], () => taskName(row)),
    forecastAtMs: wholeOrNull(row[40]),
    createdAtMs: whole(row[14]),
    updatedAtMs: whole(row[15]),
    availableAtMs: whole(row[16]),
    readyAtMs: whole(row[17]),
    expiresAtMs: wholeOrNull(row[18]),
    expiredAtMs: wholeOrNull(row[19]),
    startedAtMs: wholeOrNull(row[20]),
    completedAtMs: wholeOrNull(row[21]),
    cancelRequestedAtMs: wholeOrNull(row[22]),
    retryCount: whole(row[23]),
    maxRetries: whole(row[24]),
    rescheduleCount: whole(row[25]),
    maxReschedules: wholeOrNull(row[26]),
    throttleCount: whole(row[27]),
    maxThrottles: wholeOrNull(row[28]),
    crashCount: whole(row[29]),
    attempt: whole(row[30]),
    fence: whole(row[31]),
    version: whole(row[32]),
    workerId: textOrNull(row[33]),
    claimNumber: wholeOrNull(row[34]),
    leaseExpiresAtMs: wholeOrNull(row[35]),
    timeoutMs: whole(row[36]),
    lastError: textOrNull(row[37]),
    lastOutcome: row[38] as OutcomeKind | "lost" | null,
  }
}

/** Of briefColumns. */
export function toBrief(row: Row): Brief {
  const [seq, id, type, status, fence, version, lastOutcome, gates, startedAtMs, jobId] = row
  const name = () => taskName(row)
  if (!isStatus(status)) throw damaged(name(), "a known status", status)
  for (const number of [fence, version]) if (!Number.isSafeInteger(number)) throw damaged(name(), "a fence and a version", number)
  return { id, seq, type, status, fence, version, lastOutcome, gates: toGates(gates, name), startedAtMs, jobId } as Brief
}

function toGates(stored: Value | undefined, record: () => string): readonly GateRef[] | null {
  return stored === null ? none : readJson(stored, isGatesOrNull, "gates", record)
}

function isGatesOrNull(value: unknown): value is readonly GateRef[] | null {
  return value === null || isGateRefs(value)
}

export function laneOf(row: Row): number | null {
  return wholeOrNull(row[39])
}

/** Gates and tags as they are stored: nothing for none of them, and "null" where it is not known which. */
export function jsonOrNull(items: readonly unknown[] | null): string | null {
  return items?.length === 0 ? null : JSON.stringify(items)
}

/** `seq` or id: whose history it is. */
export function toHistory(stored: unknown, of: string | number): readonly HistoryEntry[] {
  return readJson(`[${stored}]`, isHistory, "a history", () => `task ${of}`)
}

export function fromHistory(entries: readonly HistoryEntry[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(",")
}

/** The parameters of insertTasks after the namespace, in its order, up to the history. */
export function insertValues(task: TaskRecord): Value[] {
  return [
    task.type,
    task.status,
    task.priority,
    task.flow === task.type ? null : task.flow,
    jsonOrNull(task.tags),
    task.jobId,
    task.idempotencyKey,
    task.inputDigest,
    task.createdAtMs,
    task.availableAtMs,
    task.readyAtMs,
    task.expiresAtMs,
    task.expiredAtMs,
    finishedAtMs(task),
    task.maxRetries,
    task.maxReschedules,
    task.maxThrottles,
    task.timeoutMs,
    task.version,
  ]
}

/** The parameters of saveTask after the seq, in its order, up to the history. */
export function saveValues(task: TaskRecord, lane: number | null): Value[] {
  return [
    task.status,
    lane,
    task.output,
    task.progress,
    task.updatedAtMs,
    task.availableAtMs,
    task.readyAtMs,
    task.expiresAtMs,
    task.expiredAtMs,
    task.startedAtMs,
    task.completedAtMs,
    task.cancelRequestedAtMs,
    finishedAtMs(task),
    task.retryCount,
    task.rescheduleCount,
    task.throttleCount,
    task.crashCount,
    task.attempt,
    task.fence,
    task.version,
    task.workerId,
    task.claimNumber,
    task.leaseExpiresAtMs,
    task.lastError,
    task.lastOutcome,
  ]
}

function finishedAtMs(task: TaskRecord): number | null {
  return isFinished(task.status) && task.status !== "archived" ? task.updatedAtMs : null
}

// A finished task with its history as one line of JSON: values alone, in a fixed order. A few hundred bytes, where the same as objects takes
// a thousand. The first two values are its status and its type, so that whoever looks for others need not read the rest.

import { type HistoryEntry, type Status, statuses, type TaskRecord } from "../../task/index.ts"

/** In the order in which they stand in a row. Another order, or another field, is another row: an image says which it has. */
export const rowFields = [
  ...([
    "status",
    "type",
    "id",
    "seq",
    "priority",
    "input",
    "output",
    "progress",
    "tags",
    "jobId",
    "idempotencyKey",
    "inputDigest",
  ] as const),
  ...(["flow", "gates", "forecastAtMs", "createdAtMs", "updatedAtMs", "availableAtMs", "readyAtMs", "expiresAtMs", "expiredAtMs"] as const),
  ...(["startedAtMs", "completedAtMs", "cancelRequestedAtMs", "retryCount", "maxRetries", "rescheduleCount", "maxReschedules"] as const),
  ...(["throttleCount", "maxThrottles", "crashCount", "attempt", "fence", "version", "workerId", "claimNumber"] as const),
  ...(["leaseExpiresAtMs", "timeoutMs", "lastError", "lastOutcome"] as const),
] as const satisfies readonly (keyof TaskRecord)[]

/** No field is left out: this does not compile where one is. */
type Whole = Exclude<keyof TaskRecord, (typeof rowFields)[number]> extends never ? TaskRecord : never

/** What indexes know of a finished task. */
export type Brief = Pick<TaskRecord, "id" | "seq" | "type" | "status" | "idempotencyKey" | "updatedAtMs">

export interface Kept {
  readonly task: TaskRecord
  readonly history: readonly HistoryEntry[]
}

/** Of an entry that says no more than these, only they are kept. */
const plainEntry = 3

export function toRow(task: Whole, history: readonly HistoryEntry[]): string {
  const { status, type, id, seq, priority, input, output, progress, tags, jobId, idempotencyKey, inputDigest } = task
  const { flow, gates, forecastAtMs, createdAtMs, updatedAtMs, availableAtMs, readyAtMs, expiresAtMs, expiredAtMs } = task
  const { startedAtMs, completedAtMs, cancelRequestedAtMs, retryCount, maxRetries, rescheduleCount, maxReschedules } = task
  const { throttleCount, maxThrottles, crashCount, attempt, fence, version, workerId, claimNumber } = task
  const { leaseExpiresAtMs, timeoutMs, lastError, lastOutcome } = task
  // Each by its name: fields that are looked up one after the other take twice as long, and every task comes by here.
  // biome-ignore format: as rowFields has them
  return JSON.stringify([
    status, type, id, seq, priority, input, output, progress, tags, jobId, idempotencyKey, inputDigest,
    flow, gates, forecastAtMs, createdAtMs, updatedAtMs, availableAtMs, readyAtMs, expiresAtMs, expiredAtMs,
    startedAtMs, completedAtMs, cancelRequestedAtMs, retryCount, maxRetries, rescheduleCount, maxReschedules,
    throttleCount, maxThrottles, crashCount, attempt, fence, version, workerId, claimNumber,
    leaseExpiresAtMs, timeoutMs, lastError, lastOutcome, history.map(toEntry),
  ])
}

/** What only some entries tell is looked for before it is taken apart: most tell nothing more, or who has claimed. */
function toEntry(entry: HistoryEntry): readonly unknown[] {
  const { atMs, status, event } = entry
  if (Object.keys(entry).length === plainEntry) return [atMs, status, event]
  const { atMs: _at, status: _status, event: _event, ...more } = entry
  return [atMs, status, event, more]
}

/** `fields`: of the image that it comes from. */
export function fromRow(row: string, fields: readonly string[] = rowFields): Kept {
  const values = JSON.parse(row) as readonly unknown[]
  const entries = values[fields.length] as readonly (readonly [number, Status, HistoryEntry["event"], Partial<HistoryEntry>?])[]
  return {
    task: Object.fromEntries(fields.map((field, i) => [field, values[i]])) as unknown as TaskRecord,
    history: entries.map((entry) => {
      const [atMs, status, event, more] = entry
      return entry.length === plainEntry ? { atMs, status, event } : { atMs, status, event, ...more }
    }),
  }
}

const place = (field: keyof Brief) => rowFields.indexOf(field)
const at = {
  ...{ id: place("id"), seq: place("seq"), type: place("type"), status: place("status") },
  ...{ idempotencyKey: place("idempotencyKey"), updatedAtMs: place("updatedAtMs") },
}

/** Without making the task: a namespace is read with a million of them. Null where it is no row. */
export function briefOf(row: string): Brief | null {
  const values = JSON.parse(row) as readonly unknown[]
  if (!Array.isArray(values) || values.length !== rowFields.length + 1) return null
  return {
    id: values[at.id] as string,
    seq: values[at.seq] as number,
    type: values[at.type] as string,
    status: values[at.status] as Status,
    idempotencyKey: values[at.idempotencyKey] as string | null,
    updatedAtMs: values[at.updatedAtMs] as number,
  }
}

/** What rows of these begin with. */
export function beginnings(wanted: readonly Status[] | null, type: string | null): readonly string[] {
  return (wanted ?? statuses).map((status) => `["${status}",${type === null ? "" : `${JSON.stringify(type)},`}`)
}

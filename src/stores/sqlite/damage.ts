// What stands in a row and cannot have been written: told by the name of its record, for a person to decide about. Rows are looked at
// where they are read, because a number that is merely wrong shows nowhere else: it only breaks a promise.

import { SluiceError, shown } from "../../errors/index.ts"
import { isStatus, lastMs } from "../../store/sound.ts"
import type { Row, Value } from "./driver.ts"

/** What was read cannot be what was written. */
export function damaged(record: string, expected: string, got: unknown): SluiceError {
  return new SluiceError("store_damaged", `${record}: expected ${expected}, got ${got === undefined ? "none" : shown(got)}`)
}

/** The number of a row that others refer to. One that is not exact would be another row's, and so would the next ones that SQLite gives. */
export function rowNumber(value: Value | undefined, table: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  throw damaged(`a row of ${table}`, "a number in use", value)
}

/** JSON as it was stored; `is` says what it has to look like. */
export function readJson<T>(text: unknown, is: (value: unknown) => value is T, expected: string, record: () => string): T {
  let value: unknown
  try {
    value = JSON.parse(text as string)
  } catch {
    throw damaged(record(), `${expected} as JSON`, text)
  }
  if (is(value)) return value
  throw damaged(record(), expected, text)
}

const counts = { least: 0, most: Number.MAX_SAFE_INTEGER }
const times = { least: -lastMs, most: lastMs }

/** The numbers of a row, with what they can be. A fence that is not exact would be two leases', a time beyond all dates cannot be told. */
const numbers: readonly { at: number; name: string; least: number; most: number; isNullable: boolean }[] = [
  { at: 0, name: "seq", ...counts, isNullable: false },
  { at: 4, name: "priority", least: -Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER, isNullable: false },
  ...["created_at_ms", "updated_at_ms", "available_at_ms"].map((name, i) => ({ at: 14 + i, name, ...times, isNullable: false })),
  // One past the last instant: what comes back goes behind what is ready by then.
  { at: 17, name: "ready_at_ms", least: -lastMs, most: lastMs + 1, isNullable: false },
  ...["expires_at_ms", "expired_at_ms", "started_at_ms", "completed_at_ms", "cancel_requested_at_ms"].map((name, i) => ({
    ...{ at: 18 + i, name, ...times },
    isNullable: true,
  })),
  ...["retry_count", "max_retries", "reschedule_count", "max_reschedules", "throttle_count", "max_throttles", "crash_count"].map(
    (name, i) => ({ at: 23 + i, name, ...counts, isNullable: name === "max_reschedules" || name === "max_throttles" }),
  ),
  ...["attempt", "fence", "version"].map((name, i) => ({ at: 30 + i, name, ...counts, isNullable: false })),
  { at: 34, name: "claim_number", ...counts, isNullable: true },
  { at: 35, name: "lease_expires_at_ms", ...times, isNullable: true },
  { at: 36, name: "timeout_ms", least: 0, most: lastMs, isNullable: false },
  { at: 40, name: "forecast_at_ms", ...times, isNullable: true },
]

const texts: readonly { at: number; name: string; isNullable: boolean }[] = [
  ...["id", "type"].map((name, i) => ({ at: 1 + i, name, isNullable: false })),
  { at: 8, name: "input", isNullable: false },
  ...["output", "progress", "job_id", "idempotency_key", "input_digest"].map((name, i) => ({ at: 9 + i, name, isNullable: true })),
  ...[
    { at: 5, name: "flow" },
    { at: 33, name: "worker_id" },
    { at: 37, name: "last_error" },
    { at: 38, name: "last_outcome" },
  ].map((one) => ({ ...one, isNullable: true })),
]

/** By the columns of rows.ts. */
export function checkRow(row: Row): void {
  for (const { at, name, least, most, isNullable } of numbers) {
    const value = row[at] as number | null
    if (value === null ? !isNullable : !(value >= least && value <= most)) throw damaged(taskName(row), `a ${name} that it can have`, value)
  }
  for (const { at, name, isNullable } of texts) {
    const value = row[at]
    if (typeof value !== "string" && !(value === null && isNullable)) throw damaged(taskName(row), `a text as ${name}`, value)
  }
  if (!isStatus(row[3])) throw damaged(taskName(row), "a known status", row[3])
}

export function taskName([seq, id]: Row): string {
  return `task ${shown(id)} (row ${seq} of tasks)`
}

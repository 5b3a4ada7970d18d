// Instants: a Date, or an ISO 8601 string with its zone. Inside Sluice they are whole milliseconds since the epoch.

import { SluiceError, shown } from "../errors/index.ts"

export type Instant = Date | string

/** The last instant that a Date can hold. */
const lastMs = 8.64e15
const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

export function parseInstant(name: string, value: unknown): number {
  if (value instanceof Date) {
    const ms = value.getTime()
    if (Number.isNaN(ms)) throw invalid(name, value)
    return ms
  }
  if (typeof value !== "string" || !iso.test(value)) throw invalid(name, value)
  const ms = Date.parse(value)
  // Date.parse rolls a day such as February 30 over into March; what was written must be what is meant.
  if (Number.isNaN(ms) || !sameDay(value)) throw invalid(name, value)
  return Math.floor(ms)
}

function sameDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

function invalid(name: string, value: unknown): SluiceError {
  return new SluiceError(
    "invalid_date",
    `${name}: expected a Date or a time with its zone such as "2026-01-28T17:00:00Z", got ${shown(value)}`,
  )
}

/** Keeps a computed time within what a Date can hold. */
export function clampInstant(ms: number): number {
  return Math.min(ms, lastMs)
}

/** ISO 8601 in UTC; milliseconds only where there are some, as in the documents people write by hand. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z")
}

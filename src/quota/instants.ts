// Points in time as responses write them, to the time that is left until then. The provider's own Date is what they are
// measured from, so that neither its clock nor ours has to be right.

import { atMost, mostResetMs, wholeMs } from "./caps.ts"
import { readDecimal } from "./numerals.ts"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** "Wed, 21 Oct 2026 07:28:00 GMT". The two obsolete forms of HTTP name no zone or no century, and are not read. */
export function readHttpDate(text: string | null): number | null {
  const match = text === null ? null : httpDate.exec(text)
  if (!match) return null
  const [day, month, year, hour, minute, second] = [match[1], months.indexOf(match[2] ?? ""), ...match.slice(3)].map(Number)
  if (month === undefined || month < 0) return null
  const atMs = Date.UTC(year ?? 0, month, day, hour, minute, second)
  return Number.isFinite(atMs) ? atMs : null
}

export function readRfc3339(text: string | null): number | null {
  const atMs = text !== null && rfc3339.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN
  return Number.isFinite(atMs) ? atMs : null
}

/** From then on to the given time; 0 where that is past. */
export function untilMs(atMs: number | null, fromMs: number): number | null {
  return atMs === null ? null : wholeMs(atMs - fromMs)
}

const leastEpochSeconds = 1e9
const leastEpochMs = 1e11

export function isEpoch(text: string | null): boolean {
  return (readDecimal(text) ?? 0) >= leastEpochSeconds
}

/**
 * A reset that does not say what it is. By its size: no window lasts 30 years, so what is as large as the seconds of 2001 is a
 * point in time, and what is as large as the milliseconds of 1973 is in milliseconds. Anything smaller is seconds from now.
 */
export function readReset(text: string | null, fromMs: number): number | null {
  const value = readDecimal(text)
  if (value === null) return atMost(mostResetMs, untilMs(readRfc3339(text) ?? readHttpDate(text), fromMs))
  if (value < leastEpochSeconds) return atMost(mostResetMs, wholeMs(value * 1_000))
  return atMost(mostResetMs, untilMs(value < leastEpochMs ? value * 1_000 : value, fromMs))
}

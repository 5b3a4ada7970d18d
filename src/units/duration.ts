// Durations: "250ms", "30s", "5m", "1h 30m", "7d". Parsed to whole milliseconds, printed in the two largest units.
// A bare number has no unit and is refused, except 0, which needs none.

import { SluiceError, shown } from "../errors/index.ts"

export type Duration = string | 0

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
type Unit = keyof typeof unitMs

/** A hundred thousand years: what keeps now + duration a valid date. */
const longestMs = 100_000 * 365 * unitMs.d
const part = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)/gy

export function parseDuration(name: string, value: unknown): number {
  if (value === 0) return 0
  if (typeof value !== "string") throw invalid(name, value)
  const text = value.trim()
  let totalMs = 0
  part.lastIndex = 0
  do {
    const match = part.exec(text)
    if (!match) throw invalid(name, value)
    totalMs += Number(match[1]) * unitMs[match[2] as Unit]
    while (text[part.lastIndex] === " ") part.lastIndex++
  } while (part.lastIndex < text.length)
  return whole(name, value, totalMs)
}

/** For options whose name carries the unit: `ttlSeconds: 300`. */
export function parseSeconds(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new SluiceError("invalid_duration", `${name}: expected a number of seconds, 0 or more, got ${shown(value)}`)
  }
  return whole(name, value, value * 1_000)
}

function whole(name: string, value: unknown, ms: number): number {
  if (ms > longestMs) throw new SluiceError("invalid_duration", `${name}: expected at most 100000 years, got ${shown(value)}`)
  if (Number.isSafeInteger(ms)) return Math.abs(ms)
  // Rounded up: a wait is never shorter than was asked for. What binary fractions add is not: 2.007 s are 2007 ms, not 2008.
  return Math.ceil(Number(ms.toPrecision(15)))
}

function invalid(name: string, value: unknown): SluiceError {
  // Up to a dozen digits: beyond that it is no number of seconds that somebody meant.
  const isBare = /^\d{1,12}(\.\d{1,12})?$/.test(typeof value === "number" || typeof value === "string" ? String(value) : "")
  const hint = isBare ? ` (a number has no unit: write "${value}s" for seconds)` : ""
  return new SluiceError(
    "invalid_duration",
    `${name}: expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got ${shown(value)}${hint}`,
  )
}

/** "2h 30m", "45s", "120ms": the two largest units, the rest dropped. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms < 1_000) return `${Math.floor(ms)}ms`
  const units: readonly Unit[] = ["d", "h", "m", "s"]
  const first = units.findIndex((unit) => ms >= unitMs[unit])
  const printed: string[] = []
  let leftMs = ms
  for (const unit of units.slice(first, first + 2)) {
    const count = Math.floor(leftMs / unitMs[unit])
    leftMs -= count * unitMs[unit]
    if (count > 0) printed.push(`${count}${unit}`)
  }
  return printed.join(" ")
}

/** "+60s", "+120s", "+1.5s": seconds, as the history of a task shows a delay. */
export function formatSeconds(ms: number): string {
  return `${ms / 1_000}s`
}

// A span of time in words that mean exactly it.

import { formatDuration, parseDuration } from "../units/index.ts"

/** As it is, where `formatDuration` would leave out what is beyond its two largest units. */
export function windowText(ms: number): string {
  const text = formatDuration(ms)
  return parseDuration("window", text) === ms ? text : `${ms}ms`
}

/** "1.5s", "120ms", "2m 5s": a learned distance, to three digits, because nobody has chosen it. */
export function everyText(ms: number): string {
  if (ms >= 60_000) return formatDuration(ms)
  const digits = (value: number) => String(Number(value.toPrecision(3)))
  return ms < 1_000 ? `${digits(ms)}ms` : `${digits(ms / 1_000)}s`
}

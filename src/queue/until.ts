// "--until" names a time in one of two ways: an instant, or how long from now. Now is the store's, the clock that decides.

import { SluiceError, shown } from "../errors/index.ts"
import type { When } from "../task/index.ts"
import { clampInstant, formatInstant, parseDuration, parseInstant } from "../units/index.ts"

export function parseUntil(name: string, value: unknown): When {
  for (const read of [() => ({ inMs: parseDuration(name, value) }), () => ({ atMs: parseInstant(name, value) })]) {
    try {
      return read()
    } catch {
      // The message of either reader would speak of one way only.
    }
  }
  throw new SluiceError(
    "invalid_date",
    `${name}: expected a duration from now such as "30m" or "1h", or a time with its zone such as "2026-01-28T17:00:00Z", got ${shown(value)}`,
  )
}

export function untilFrom(name: string, until: When, now: Date): Date {
  const atMs = "atMs" in until ? until.atMs : clampInstant(now.getTime() + until.inMs)
  if (atMs > now.getTime()) return new Date(atMs)
  const got = "atMs" in until ? formatInstant(atMs) : "0"
  throw new SluiceError(
    "invalid_date",
    `${name}: expected a time that is still to come (by the store's clock it is ${formatInstant(now.getTime())}), got ${got}`,
  )
}

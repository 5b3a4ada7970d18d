// Rates: "10/10s", "100/1m", "3/s". So many in so long.

import { SluiceError, shown } from "../errors/index.ts"
import { formatDuration, parseDuration } from "./duration.ts"

export interface Rate {
  readonly limit: number
  readonly perMs: number
}

const most = 1_000_000_000

export function parseRate(name: string, value: unknown): Rate {
  // Cut at the slash first: one expression for all of it would try every way to share out a long run of spaces.
  const slash = typeof value === "string" ? value.indexOf("/") : -1
  const [count, per] = typeof value === "string" ? [value.slice(0, slash).trim(), value.slice(slash + 1).trim()] : ["", ""]
  const limit = Number(count)
  if (slash < 0 || per === "" || !/^\d+$/.test(count) || limit < 1 || limit > most) throw invalid(name, value)
  const perMs = windowMs(per)
  if (perMs === null || perMs < 1) throw invalid(name, value)
  return { limit, perMs }
}

/** "3/s" is "3/1s". What is no duration is told as the rate that was written: "1second" nobody has. */
function windowMs(per: string): number | null {
  try {
    return parseDuration("", /^[a-z]/.test(per) ? `1${per}` : per)
  } catch {
    return null
  }
}

function invalid(name: string, value: unknown): SluiceError {
  return new SluiceError("invalid_rate", `${name}: expected a rate such as "10/10s", "100/1m" or "3/s", got ${shown(value)}`)
}

export function formatRate({ limit, perMs }: Rate): string {
  return `${limit}/${formatDuration(perMs)}`
}

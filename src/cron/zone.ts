// A time zone: what its clocks show at an instant, and when they first show a time. Local times are milliseconds as well, those at which
// clocks in UTC would show the same.

import { SluiceError, shown } from "../errors/index.ts"
import { nearest } from "../units/index.ts"

export interface Zone {
  readonly name: string
  localAt(atMs: number): number
  /** The latest local time that clocks have shown by then, in whole seconds: later than now where they were turned back. */
  shownBy(atMs: number): number
  /** The first instant at which clocks show this time or a later one: where they skip it, the moment at which they jump. */
  firstShowing(localMs: number): number
  /** When clocks are next turned back, if that is within a day or two, and what they show then. */
  turnedBackAfter(atMs: number): { readonly atMs: number; readonly localMs: number } | null
}

/** The offsets around a day, and when the one gives way to the other. No zone changes its clocks twice within five days. */
interface Line {
  readonly beforeMs: number
  readonly afterMs: number
  readonly turnsAtMs: number
}

const dayMs = 86_400_000
/** A local time is up to 14 hours away from its instant, and a zone that changes sides of the date line skips 24. */
const aroundMs = 2 * dayMs
const mostLines = 400
const mostZones = 1_000

const zones = new Map<string, Zone>()

export function zoneOf(where: string, name: unknown): Zone {
  const known = zones.get(name as string)
  if (known) return known
  const made = makeZone(where, name)
  if (zones.size >= mostZones) zones.clear()
  zones.set(made.name, made)
  return made
}

function makeZone(where: string, name: unknown): Zone {
  const format = formatFor(where, name)
  const lines = new Map<number, Line>()
  const lineAround = (ms: number): Line => {
    const day = Math.floor(ms / dayMs)
    const known = lines.get(day)
    if (known) return known
    if (lines.size >= mostLines) lines.clear()
    const line = makeLine(format, day * dayMs - aroundMs, (day + 1) * dayMs + aroundMs)
    lines.set(day, line)
    return line
  }
  const localAt = (atMs: number) => {
    const { turnsAtMs, beforeMs, afterMs } = lineAround(atMs)
    return atMs + (atMs < turnsAtMs ? beforeMs : afterMs)
  }
  return {
    name: name as string,
    localAt,
    shownBy(atMs) {
      const { turnsAtMs, beforeMs } = lineAround(atMs)
      // The very time at which they were turned back was not shown before.
      return atMs < turnsAtMs ? localAt(atMs) : Math.max(localAt(atMs), turnsAtMs + beforeMs - 1_000)
    },
    firstShowing(localMs) {
      const { turnsAtMs, beforeMs, afterMs } = lineAround(localMs)
      return localMs - beforeMs < turnsAtMs ? localMs - beforeMs : Math.max(turnsAtMs, localMs - afterMs)
    },
    turnedBackAfter(atMs) {
      const { turnsAtMs, beforeMs, afterMs } = lineAround(atMs)
      return atMs < turnsAtMs && afterMs < beforeMs && turnsAtMs < Number.POSITIVE_INFINITY
        ? { atMs: turnsAtMs, localMs: turnsAtMs + afterMs }
        : null
    },
  }
}

function makeLine(format: Intl.DateTimeFormat, fromMs: number, toMs: number): Line {
  const [beforeMs, afterMs] = [offsetMs(format, fromMs), offsetMs(format, toMs)]
  if (beforeMs === afterMs) return { beforeMs, afterMs, turnsAtMs: Number.POSITIVE_INFINITY }
  let [low, high] = [fromMs / 1_000, toMs / 1_000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetMs(format, middle * 1_000) === beforeMs) low = middle
    else high = middle
  }
  return { beforeMs, afterMs, turnsAtMs: high * 1_000 }
}

/** At a whole second. */
function offsetMs(format: Intl.DateTimeFormat, atMs: number): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (format.format(atMs).match(/\d+/g) ?? []).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - atMs
}

function formatFor(where: string, name: unknown): Intl.DateTimeFormat {
  try {
    if (typeof name !== "string" || name === "") throw new RangeError("no name")
    const two = "2-digit"
    const date = { year: "numeric", month: two, day: two } as const
    return new Intl.DateTimeFormat("en-US", { timeZone: name, hourCycle: "h23", ...date, hour: two, minute: two, second: two })
  } catch {
    const near = typeof name === "string" ? nearZone(name) : null
    const hint = near ? `; did you mean "${near}"?` : ""
    throw new SluiceError(
      "invalid_timezone",
      `${where}: expected the name of a time zone such as "Europe/Vienna" or "UTC", got ${shown(name)}${hint}`,
    )
  }
}

/** "Vienna" and "Europe/Viena" both mean the one. */
function nearZone(name: string): string | null {
  const known = Intl.supportedValuesOf("timeZone")
  const cityOf = (zone: string) => zone.slice(zone.lastIndexOf("/") + 1)
  const city = nearest(cityOf(name), known.map(cityOf))
  return nearest(name, known) ?? known.find((zone) => cityOf(zone) === city) ?? null
}

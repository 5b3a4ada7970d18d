// From the local times that a pattern names to instants. The rule where clocks change:
//
// - A pattern that names times of the day has each of them once. A time that clocks skip comes at the moment at which they jump; one that
//   they show twice comes the first time. Times that fall together are one instant.
// - A pattern that names every hour says how often: it comes whenever clocks show a time that it names, the second time as well, and what
//   they skip does not come. In real time that is neither a hole nor a double.

import { type Pattern, parseCron } from "./pattern.ts"
import { type Zone, zoneOf } from "./zone.ts"

export interface Timetable {
  readonly pattern: Pattern
  readonly zone: Zone
}

export function readTimetable(where: string, cron: unknown, timezone: unknown): Timetable {
  return { pattern: parseCron(`${where}: cron`, cron), zone: zoneOf(`${where}: timezone`, timezone) }
}

/** The first instant after this one; null where none comes. */
export function nextInstant({ pattern, zone }: Timetable, afterMs: number): number | null {
  return pattern.isEveryHour ? nextShown(pattern, zone, afterMs) : nextOnce(pattern, zone, afterMs)
}

/** The next `count` of them. */
export function nextInstants(timetable: Timetable, afterMs: number, count: number): number[] {
  const found: number[] = []
  for (let at = nextInstant(timetable, afterMs); at !== null && found.length < count; at = nextInstant(timetable, at)) found.push(at)
  return found
}

function nextOnce(pattern: Pattern, zone: Zone, afterMs: number): number | null {
  const localMs = pattern.next(zone.shownBy(afterMs))
  return localMs === null ? null : zone.firstShowing(localMs)
}

function nextShown(pattern: Pattern, zone: Zone, afterMs: number): number | null {
  const firstMs = firstShown(pattern, zone, afterMs)
  const back = zone.turnedBackAfter(afterMs)
  if (!back || firstMs === null || back.atMs > firstMs) return firstMs
  // What comes a second time comes before anything that was not shown yet.
  const againMs = pattern.next(back.localMs - 1_000)
  return againMs === null ? firstMs : Math.min(firstMs, back.atMs + againMs - back.localMs)
}

/** Of a time that is named and shown after this instant, unless clocks are turned back before. */
function firstShown(pattern: Pattern, zone: Zone, afterMs: number): number | null {
  const fromMs = zone.localAt(afterMs)
  const localMs = pattern.next(fromMs)
  if (localMs === null) return null
  const atMs = zone.firstShowing(localMs)
  // Clocks were turned back, and it was shown before that: now it comes a second time.
  if (atMs <= afterMs) return afterMs + localMs - fromMs
  const shownMs = zone.localAt(atMs)
  if (shownMs === localMs) return atMs
  const laterMs = pattern.next(shownMs - 1_000)
  return laterMs === null ? null : zone.firstShowing(laterMs)
}

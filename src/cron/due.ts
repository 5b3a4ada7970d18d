// Which of the instants that have come are to run. Whoever gets to an instant within a minute is on time, and it runs in any case; what is
// older was missed, and what becomes of that is the schedule's catch-up.

import type { CatchUp } from "../task/index.ts"
import { nextInstant, type Timetable } from "./instants.ts"

export const onTimeMs = 60_000

export interface Due {
  /** Those to run, oldest first. */
  readonly instants: readonly number[]
  /** What comes after them: later than now, unless there were more than `most`. */
  readonly nextAtMs: number | null
}

/** `fromMs` is the instant that the schedule stands at. */
export function dueInstants(timetable: Timetable, catchUp: CatchUp, fromMs: number, nowMs: number, most: number): Due {
  const onTime = between(timetable, Math.max(fromMs, nowMs - onTimeMs + 1), nowMs)
  const chosen =
    typeof catchUp === "string"
      ? withLast(timetable, catchUp, fromMs, nowMs, onTime)
      : latest(timetable, fromMs, nowMs, catchUp.all, onTime)
  const nextAtMs = chosen.length > most ? (chosen[most] ?? null) : nextInstant(timetable, nowMs)
  return { instants: chosen.slice(0, most), nextAtMs }
}

function withLast(
  timetable: Timetable,
  catchUp: "none" | "last",
  fromMs: number,
  nowMs: number,
  onTime: readonly number[],
): readonly number[] {
  return onTime.length > 0 || catchUp === "none" ? onTime : latest(timetable, fromMs, nowMs, 1, onTime)
}

/** The latest `count` of them, and what is on time in any case. Looks back twice as far each time, so that a long absence costs little. */
function latest(timetable: Timetable, fromMs: number, nowMs: number, count: number, onTime: readonly number[]): readonly number[] {
  let found = onTime
  for (let backMs = onTimeMs * 2; found.length < count; backMs *= 2) {
    found = between(timetable, Math.max(fromMs, nowMs - backMs), nowMs)
    if (nowMs - backMs <= fromMs) break
  }
  return found.slice(-Math.max(count, onTime.length))
}

/** From the one to the other, both included. */
function between(timetable: Timetable, fromMs: number, toMs: number): number[] {
  const found: number[] = []
  for (let at = nextInstant(timetable, fromMs - 1); at !== null && at <= toMs; at = nextInstant(timetable, at)) found.push(at)
  return found
}

// Times beside the store's now: "(in 2h 30m)", "(3m ago)".

import { formatDuration, formatInstant } from "../units/index.ts"

export function relative(atMs: number, nowMs: number): string {
  if (atMs === nowMs) return "now"
  return atMs > nowMs ? `in ${formatDuration(atMs - nowMs)}` : `${formatDuration(nowMs - atMs)} ago`
}

/** "2026-01-28T17:00:00Z (in 2h 30m)" */
export function instantAndRelative(at: Date, now: Date): string {
  return `${formatInstant(at.getTime())} (${relative(at.getTime(), now.getTime())})`
}

// Schedules in words.

import type { ScheduleView } from "../queue/index.ts"
import { instantAndRelative } from "./when.ts"

/** "next at 2026-01-29T08:00:00Z (in 20h)" */
export function nextText({ isPaused, nextAt }: ScheduleView, now: Date): string {
  if (isPaused) return "paused"
  return nextAt === null ? "no instant is left" : `next at ${instantAndRelative(nextAt, now)}`
}

export function catchUpText({ catchUp }: ScheduleView): string {
  return typeof catchUp === "string" ? catchUp : `all=${catchUp.all}`
}

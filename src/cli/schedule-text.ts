// Schedules in words, and as --json prints them.

import type { ScheduleView } from "../queue/index.ts"
import { documentOf } from "./document.ts"
import { instantAndRelative } from "./when.ts"

/** The type of its tasks has the name that it has in their documents; the input is somebody's own. */
export function scheduleDocument(view: ScheduleView): Record<string, unknown> {
  const { type, input, name, cron, timezone, catchUp, isPaused, ...others } = view
  const { change: _change, ...times } = documentOf(others) as Record<string, unknown>
  return { name, cron, timezone, catch_up: catchUp, task_type: type, input, is_paused: isPaused, ...times }
}

/** "next at 2026-01-29T08:00:00Z (in 20h)" */
export function nextText({ isPaused, nextAt }: ScheduleView, now: Date): string {
  if (isPaused) return "paused"
  return nextAt === null ? "no instant is left" : `next at ${instantAndRelative(nextAt, now)}`
}

export function catchUpText({ catchUp }: ScheduleView): string {
  return typeof catchUp === "string" ? catchUp : `all=${catchUp.all}`
}

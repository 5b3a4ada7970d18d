// A schedule as people see it.

import type { CatchUp, ScheduleRecord } from "../task/index.ts"

export interface ScheduleView {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly catchUp: CatchUp
  /** The type of its tasks, and what each of them gets. */
  readonly type: string
  readonly input: unknown
  readonly isPaused: boolean
  /** The instant that it stands at; null while it is paused. */
  readonly nextAt: Date | null
  /** The latest instant that has run, and its task. */
  readonly lastAt: Date | null
  readonly lastTaskId: string | null
  /** Why the latest instant could not be submitted; null where it was. */
  readonly lastError: string | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface SavedSchedule extends ScheduleView {
  readonly change: "created" | "replaced" | "unchanged"
}

export function scheduleView(record: ScheduleRecord): ScheduleView {
  const { name, cron, timezone, catchUp, template, isPaused, lastTaskId, lastError, version } = record
  return {
    name,
    cron,
    timezone,
    catchUp,
    type: template.type,
    input: JSON.parse(template.input) as unknown,
    isPaused,
    nextAt: date(record.nextAtMs),
    lastAt: date(record.lastAtMs),
    lastTaskId,
    lastError,
    version,
    createdAt: new Date(record.createdAtMs),
    updatedAt: new Date(record.updatedAtMs),
  }
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

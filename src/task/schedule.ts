// A schedule: a task that is submitted again and again, at the instants of a cron. What is kept of it, and how it changes. When its
// instants are is not known here: whoever fires it says which one comes next.

import { formatInstant } from "../units/index.ts"
import type { NewTask } from "./create.ts"

/** What all tasks of a schedule have in common. */
export type TaskTemplate = Omit<NewTask, "id" | "idempotencyKey" | "schedule">

/** Missed instants: `none` runs, the `last` one does unless there is one on time, or `all` do up to a number, the latest ones. */
export type CatchUp = "none" | "last" | { readonly all: number }

/** What somebody has asked for. */
export interface NewSchedule {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly catchUp: CatchUp
  readonly template: TaskTemplate
}

export interface ScheduleRecord extends NewSchedule {
  readonly isPaused: boolean
  /** The instant that it stands at; null while it is paused, and where none comes any more. */
  readonly nextAtMs: number | null
  /** The latest instant that has run, and its task. */
  readonly lastAtMs: number | null
  readonly lastTaskId: string | null
  /** Why the latest instant could not be submitted; null where it was. */
  readonly lastError: string | null
  /** Grows by one with each change. */
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export function createSchedule(asked: NewSchedule, nextAtMs: number | null, nowMs: number): ScheduleRecord {
  return {
    ...only(asked),
    isPaused: false,
    nextAtMs,
    lastAtMs: null,
    lastTaskId: null,
    lastError: null,
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** The same again changes nothing: every process of a deploy says it when it starts. What somebody has paused stays paused. */
export function replaceSchedule(known: ScheduleRecord, asked: NewSchedule, nextAtMs: number | null, nowMs: number): ScheduleRecord {
  if (isSameText(only(known), only(asked))) return known
  const isSameTime = known.cron === asked.cron && known.timezone === asked.timezone
  const kept = known.isPaused ? null : isSameTime ? known.nextAtMs : nextAtMs
  return changed({ ...known, ...only(asked), nextAtMs: kept, lastError: null }, nowMs)
}

export function pauseSchedule(known: ScheduleRecord, nowMs: number): ScheduleRecord {
  return known.isPaused ? known : changed({ ...known, isPaused: true, nextAtMs: null }, nowMs)
}

/** From the next instant on: those during the pause are not caught up. */
export function resumeSchedule(known: ScheduleRecord, nextAtMs: number | null, nowMs: number): ScheduleRecord {
  return known.isPaused ? changed({ ...known, isPaused: false, nextAtMs }, nowMs) : known
}

export interface Fired {
  readonly nextAtMs: number | null
  /** The latest of the instants that have run, if one has. */
  readonly last: { readonly atMs: number; readonly taskId: string } | null
  readonly error: string | null
}

export function advanceSchedule(known: ScheduleRecord, { nextAtMs, last, error }: Fired, nowMs: number): ScheduleRecord {
  const { lastAtMs, lastTaskId } = last ? { lastAtMs: last.atMs, lastTaskId: last.taskId } : known
  return changed({ ...known, nextAtMs, lastAtMs, lastTaskId, lastError: error }, nowMs)
}

/** The task of one instant. Its key says whose it is, so that it can be found, and so that there is no second one. */
export function taskAt({ name, template }: Pick<ScheduleRecord, "name" | "template">, id: string, atMs: number): NewTask {
  return { ...template, id, schedule: null, idempotencyKey: scheduleKey(name, atMs) }
}

export function scheduleKey(name: string, atMs: number): string {
  return `schedule:${name}:${formatInstant(atMs)}`
}

/** A task of the schedule apart from its instants. */
export function taskNow({ template }: Pick<ScheduleRecord, "template">, id: string): NewTask {
  return { ...template, id, schedule: null, idempotencyKey: null, inputDigest: null }
}

function changed(record: ScheduleRecord, nowMs: number): ScheduleRecord {
  return { ...record, version: record.version + 1, updatedAtMs: nowMs }
}

function only({ name, cron, timezone, catchUp, template }: NewSchedule): NewSchedule {
  return { name, cron, timezone, catchUp, template }
}

/** Both are made in one place, field by field in one order: equal ones have equal texts. */
function isSameText(a: NewSchedule, b: NewSchedule): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

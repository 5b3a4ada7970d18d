// The part of the contract that is about schedules. Cron is read by whoever saves, resumes or fires one: the store keeps the instant that
// a schedule stands at, and compares.

import type { NewSchedule, ScheduleRecord } from "../task/index.ts"
import type { RouteResult } from "./limits-contract.ts"

/** Makes it, or replaces the one of that name. The same again changes nothing, not even the instant that it stands at. */
export interface SaveScheduleRequest {
  readonly schedule: NewSchedule
  /** Its first instant, where the cron or the time zone is new. */
  readonly nextAtMs: number | null
}

export type SaveScheduleAnswer =
  | {
      readonly kind: "ok"
      readonly nowMs: number
      readonly schedule: ScheduleRecord
      readonly change: "created" | "replaced" | "unchanged"
    }
  /** Nothing was stored. */
  | RouteResult

export interface SchedulesRequest {
  /** Null: all of them, by name, page by page. */
  readonly names: readonly string[] | null
  readonly afterName: string | null
  readonly count: number
}

export interface SchedulesAnswer {
  readonly nowMs: number
  /** Those that there are. */
  readonly schedules: readonly ScheduleRecord[]
  /** Where to go on; null at the end. */
  readonly nextAfterName: string | null
}

export interface DueSchedulesRequest {
  readonly count: number
}

export interface DueSchedulesAnswer {
  readonly nowMs: number
  /** Those whose instant has come, the longest due first. One that cannot be read is left out. */
  readonly schedules: readonly ScheduleRecord[]
  /** The earliest instant that has not come yet. */
  readonly nextAtMs: number | null
}

export interface ChangeScheduleRequest {
  readonly name: string
  readonly change: ScheduleChange
}

export type ScheduleChange =
  | { readonly kind: "pause" }
  /** From this instant on. One that is not paused stays as it is. */
  | { readonly kind: "resume"; readonly nextAtMs: number | null }
  | { readonly kind: "remove" }

export type ChangeScheduleAnswer =
  /** As it is now; as it was, where it was removed. */
  { readonly kind: "ok"; readonly nowMs: number; readonly schedule: ScheduleRecord } | { readonly kind: "missing" }

export interface FireRequest {
  readonly fires: readonly Fire[]
}

/** If the schedule still stands at this instant: submit a task for each of the runs, and go on to the next instant. */
export interface Fire {
  readonly name: string
  readonly atMs: number
  readonly version: number
  /** The instants that are to run, oldest first, each with an id for its task. */
  readonly runs: readonly { readonly id: string; readonly atMs: number }[]
  readonly nextAtMs: number | null
}

export interface FireAnswer {
  readonly nowMs: number
  /** One for each. `stale`: somebody else has fired, changed or removed it, or its instant has not come. */
  readonly results: readonly (FiredResult | { readonly kind: "stale" })[]
}

export interface FiredResult {
  readonly kind: "ok"
  /** For each run the task that stands for its instant: one that was there already, where it had happened. */
  readonly tasks: readonly { readonly atMs: number; readonly id: string; readonly created: boolean }[]
  /** Why a run could not be submitted; the schedule has gone on. */
  readonly error: string | null
}

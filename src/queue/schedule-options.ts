// The options of a schedule, read once: its time zone and its catch-up, and what its tasks are submitted with.

import { SluiceError, shown } from "../errors/index.ts"
import type { CatchUp } from "../task/index.ts"
import { anything, type Duration, readOptions, wholeNumber } from "../units/index.ts"
import type { TaskDefaults } from "./definition.ts"
import { type SubmitOptions, submitReaders } from "./submit.ts"
import type { GateInput } from "./task-gates.ts"

export interface ScheduleOptions extends TaskDefaults {
  /** Whose clocks the cron is about, such as "Europe/Vienna"; "UTC" if not given. */
  readonly timezone?: string
  /** What becomes of instants that nobody got to within a minute; "last" if not given. */
  readonly catchUp?: CatchUp
  readonly ttl?: Duration
  readonly ttlSeconds?: number
  readonly tags?: readonly string[]
  readonly flow?: string
  /** For a task by name: the gates that it passes. Left out, a worker that has the code says which. */
  readonly gates?: readonly GateInput[]
}

export const scheduleDefaults = { timezone: "UTC", catchUp: "last" } as const

/** Instants that one catch-up runs. */
export const mostCaughtUp = 1_000

export function readCatchUp(name: string, value: unknown): CatchUp {
  if (value === "none" || value === "last") return value
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const { all } = readOptions(name, value, { all: wholeNumber(1, mostCaughtUp) })
    if (all !== undefined) return { all }
  }
  throw new SluiceError("invalid_option", `${name}: expected "none", "last" or { all: 10 }, got ${shown(value)}`)
}

/** Those of a submission that make sense for many tasks: no time of their own, and no key. */
const { ttl, ttlSeconds, timeout, timeoutSeconds, maxRetries, maxReschedules, maxThrottles, priority, tags, flow, gates } = submitReaders
const scheduleTaskReaders = {
  ...{ ttl, ttlSeconds, timeout, timeoutSeconds, maxRetries, maxReschedules, maxThrottles, priority, tags, flow, gates },
}

export interface ReadScheduleOptions {
  readonly timezone: string
  readonly catchUp: CatchUp
  /** As they were given: submitting reads them. */
  readonly submit: SubmitOptions
}

export function readScheduleOptions(where: string, options: ScheduleOptions | undefined): ReadScheduleOptions {
  const read = readOptions(where, options, { timezone: anything<string>(), catchUp: readCatchUp, ...scheduleTaskReaders })
  const { timezone: _timezone, catchUp: _catchUp, ...submit } = options ?? {}
  return { timezone: read.timezone ?? scheduleDefaults.timezone, catchUp: read.catchUp ?? scheduleDefaults.catchUp, submit }
}

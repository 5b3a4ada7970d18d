// What a job is bounded by: options, the environment, defaults, in this order. The reference is made from this table.

import { SluiceError, shown } from "../errors/index.ts"
import type { CancelAfterThrottles, NewJob } from "../task/index.ts"
import { type Duration, listOf, orNull, parseDuration, readOptions, wholeNumber } from "../units/index.ts"
import { jobDefaults } from "./defaults.ts"

export interface JobBounds {
  /** How many of its tasks run at once; any number if not given. */
  readonly concurrency?: number | null
  /** So many tasks in a row that end failed fail the job; null: any number. */
  readonly failureThreshold?: number | null
  /** Upstream statuses of errors that do not count as failures of the job. */
  readonly exemptStatuses?: readonly number[]
  /** Off if not given. `true`: after 20 refusals in a row while the learned distance is at least a minute. */
  readonly cancelAfterThrottles?: boolean | { readonly count?: number; readonly delay?: Duration }
}

const readCount = wholeNumber(1, 1_000_000)
const readStatus = wholeNumber(100, 599)

function readThrottles(name: string, value: unknown): CancelAfterThrottles | null {
  if (value === false) return null
  const given = value === true ? {} : value
  const { count, delay } = readOptions(name, given, { count: readCount, delay: parseDuration })
  return { count: count ?? jobDefaults.throttles, delayMs: delay ?? jobDefaults.throttleDelayMs }
}

export const boundReaders = {
  concurrency: orNull(readCount),
  failureThreshold: orNull(readCount),
  exemptStatuses: listOf(readStatus, 100),
  cancelAfterThrottles: readThrottles,
}

interface FromEnvironment {
  readonly option: keyof typeof boundReaders
  readonly environment: string
  readonly default: string
  readonly fromText: (text: string) => unknown
}

const asNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : text)
const orNone = (text: string) => (text === "none" ? null : asNumber(text))

/** Every bound of a job, the variable that holds for all jobs of the process, and the default. */
export const jobSettings: readonly FromEnvironment[] = [
  { option: "concurrency", environment: "SLUICE_JOB_CONCURRENCY", default: "none", fromText: orNone },
  {
    option: "failureThreshold",
    environment: "SLUICE_JOB_FAILURE_THRESHOLD",
    default: String(jobDefaults.failureThreshold),
    fromText: orNone,
  },
  {
    option: "exemptStatuses",
    environment: "SLUICE_JOB_EXEMPT_STATUSES",
    default: jobDefaults.exemptStatuses.join(","),
    fromText: (text) => (text === "none" ? [] : text.split(",").map((one) => asNumber(one.trim()))),
  },
  {
    option: "cancelAfterThrottles",
    environment: "SLUICE_JOB_CANCEL_AFTER_THROTTLES",
    default: "off",
    fromText: throttlesFromText,
  },
]

/** "off", "on", "20" or "20 at 60s". */
function throttlesFromText(text: string): unknown {
  if (text === "off") return false
  if (text === "on") return true
  const [, count, delay] = /^(\d+)(?: at (.+))?$/.exec(text) ?? []
  if (count === undefined) return text
  return { count: Number(count), ...(delay === undefined ? {} : { delay }) }
}

export type ReadBounds = Pick<NewJob, "concurrency" | "failureThreshold" | "exemptStatuses" | "cancelAfterThrottles">

export function jobBounds(given: Partial<ReadBounds>, environment: Readonly<Record<string, string | undefined>>): ReadBounds {
  const found = { ...given } as Record<string, unknown>
  for (const { option, environment: name, fromText } of jobSettings) {
    const text = environment[name]
    if (found[option] !== undefined || text === undefined || text === "") continue
    found[option] = readVariable(name, fromText(text), boundReaders[option])
  }
  const { concurrency, failureThreshold, exemptStatuses, cancelAfterThrottles } = found as Partial<ReadBounds>
  return {
    concurrency: concurrency ?? null,
    failureThreshold: failureThreshold === undefined ? jobDefaults.failureThreshold : failureThreshold,
    exemptStatuses: exemptStatuses ?? jobDefaults.exemptStatuses,
    cancelAfterThrottles: cancelAfterThrottles ?? null,
  }
}

function readVariable(name: string, value: unknown, read: (name: string, value: unknown) => unknown): unknown {
  try {
    return read(name, value)
  } catch (error) {
    const why = error instanceof Error ? error.message : shown(error)
    throw new SluiceError("invalid_option", `${why}; ${name} is a variable of the environment`)
  }
}

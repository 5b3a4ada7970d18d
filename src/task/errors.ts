// What a handler throws to say how its run ended. Any other error counts as retryable.

import { SluiceError } from "../errors/index.ts"
import { type Duration, oneOf, parseDuration, parseName, parseSeconds, readOptions, wholeNumber } from "../units/index.ts"

export interface RescheduleOptions {
  readonly delaySeconds: number
  readonly extendExpirationSeconds?: number
  readonly reason?: string
}

/** "Later, not now": costs no retry. */
export class RescheduleError extends SluiceError {
  readonly delayMs: number
  readonly extendExpirationMs: number
  readonly reason: string | null

  constructor(options: RescheduleOptions) {
    const read = readOptions("RescheduleError", options, {
      delaySeconds: parseSeconds,
      extendExpirationSeconds: parseSeconds,
      reason: (_name, value) => String(value),
    })
    super("reschedule", `rescheduled for ${options?.delaySeconds}s${read.reason === undefined ? "" : `: ${read.reason}`}`)
    this.delayMs = read.delaySeconds ?? parseSeconds("RescheduleError: delaySeconds", undefined)
    this.extendExpirationMs = read.extendExpirationSeconds ?? 0
    this.reason = read.reason ?? null
  }
}

export interface RateLimitOptions {
  readonly message?: string
  /** How long the other side asked to wait, from now. */
  readonly retryAfter?: Duration
  /** The status that it answered with; 429 if not given. */
  readonly status?: number
  /** The name of the limit that it is about; without one, all gates that the task has passed. */
  readonly limit?: string
  /** "task": it is about this request and not about the pace, so that no gate cools down; "gate" if not given. */
  readonly scope?: "gate" | "task"
  /** How often a task may be refused so that has no `maxThrottles` of its own; any number of times if not given. */
  readonly retries?: number
  readonly cause?: unknown
}

/** The other side said "too fast": the gate cools down, and the task keeps its place. */
export class RateLimitError extends SluiceError {
  readonly retryAfterMs: number | null
  readonly status: number
  readonly limit: string | null
  readonly scope: "gate" | "task"
  readonly retries: number | null

  constructor(options: RateLimitOptions = {}) {
    const { cause, ...others } = options
    const read = readOptions("RateLimitError", others, {
      message: (_name, value) => String(value),
      retryAfter: parseDuration,
      status: wholeNumber(100, 599),
      limit: parseName,
      scope: oneOf("gate", "task"),
      retries: wholeNumber(0, 1_000_000_000),
    })
    const status = read.status ?? 429
    super("rate_limited", read.message ?? `rate limited: the other side answered ${status}`, cause === undefined ? undefined : { cause })
    this.retryAfterMs = read.retryAfter ?? null
    this.status = status
    this.limit = read.limit ?? null
    this.scope = read.scope ?? "gate"
    this.retries = read.retries ?? null
  }
}

export interface FailureOptions {
  readonly cause?: unknown
  /** What the other side answered with. A job may have exempted it: 404, say, is about one task alone. */
  readonly status?: number
}

/** Something went wrong that may go right next time. */
export class RetryableError extends SluiceError {
  readonly status: number | null

  constructor(message: string, options: FailureOptions = {}) {
    const { status, ...others } = options
    super("retryable", message, others)
    this.status = status ?? null
  }
}

/** Something is wrong that will stay wrong: the task fails at once. */
export class PermanentError extends SluiceError {
  readonly status: number | null

  constructor(message: string, options: FailureOptions = {}) {
    const { status, ...others } = options
    super("permanent", message, others)
    this.status = status ?? null
  }
}

/** The upstream status that an error carries, as those of fetch-like clients do; null where it has none. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== "object" || error === null) return null
  const { status, statusCode, response } = error as { status?: unknown; statusCode?: unknown; response?: { status?: unknown } | null }
  const found = [status, statusCode, response?.status].find((one) => Number.isInteger(one) && Number(one) >= 100 && Number(one) <= 599)
  return typeof found === "number" ? found : null
}

// What a handler throws to say how its run ended. Any other error counts as retryable.

import { SluiceError } from "../errors/index.ts"
import { parseSeconds, readOptions } from "../units/index.ts"

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

/** Something went wrong that may go right next time. */
export class RetryableError extends SluiceError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("retryable", message, options)
  }
}

/** Something is wrong that will stay wrong: the task fails at once. */
export class PermanentError extends SluiceError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("permanent", message, options)
  }
}

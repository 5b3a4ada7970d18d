// The outcomes of a run, with what most tests do not care about filled in.

import type { Outcome } from "../../task/index.ts"

export const completed = (output: string | null = null): Outcome => ({ kind: "completed", output })
export const failed = (error = "it broke"): Outcome => ({ kind: "failed", error })
export const retried = (delayMs = 0, error = "not this time"): Outcome => ({ kind: "retried", error, delayMs })
export const released = (reason = "draining"): Outcome => ({ kind: "released", reason })
export const cancelled: Outcome = { kind: "cancelled" }

export const throttled = (delayMs = 0, status: number | null = 429): Outcome => ({
  kind: "throttled",
  delayMs,
  error: "too many requests",
  status,
})

export const rescheduled = (delayMs = 0, extendExpirationMs = 0, reason: string | null = null): Outcome => ({
  kind: "rescheduled",
  delayMs,
  extendExpirationMs,
  reason,
})

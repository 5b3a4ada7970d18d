// The outcomes of a run, with what most tests do not care about filled in.

import type { SettleRequest } from "../../store/exchange-contract.ts"
import type { Outcome } from "../../task/index.ts"

export const completed = (output: string | null = null): Outcome => ({ kind: "completed", output })
export const failed = (error = "it broke"): Outcome => ({ kind: "failed", error })
export const retried = (delayMs = 0, error = "not this time"): Outcome => ({ kind: "retried", error, delayMs })
export const released = (reason = "draining"): Outcome => ({ kind: "released", reason })
export const cancelled: Outcome = { kind: "cancelled" }

export const throttled = (delayMs = 0, status: number | null = 429, fields: Partial<Throttled> = {}): Outcome => ({
  kind: "throttled",
  delayMs,
  error: "too many requests",
  status,
  limit: null,
  retryAfterMs: null,
  random: 0,
  ...fields,
})

type Throttled = Extract<Outcome, { kind: "throttled" }>

/** A settle as it stands in a request. */
export function said(
  { id, fence }: { readonly id: string; readonly fence: number },
  outcome: Outcome,
  fields: Partial<SettleRequest> = {},
): SettleRequest {
  return { id, fence, outcome, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null, ...fields }
}

export const rescheduled = (delayMs = 0, extendExpirationMs = 0, reason: string | null = null): Outcome => ({
  kind: "rescheduled",
  delayMs,
  extendExpirationMs,
  reason,
})

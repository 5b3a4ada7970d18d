// Whether a response is a refusal, and why: by its status and by codes, never by error texts. 429 and 529 always are. 503 is one
// with a Retry-After, without it is a failure. 403 is one with a Retry-After, or where the dialect shows an empty quota; else it
// is about permission. Any other status is none: its Retry-After is told all the same, for whoever tries a failure again.

import type { Told } from "./answer.ts"
import type { Quota, Reason } from "./quota.ts"

export function isRefusal(status: number, retryAfterMs: number | null, told: Told | null): boolean {
  if (status === 429 || status === 529 || told?.isRefused) return true
  return (status === 403 || status === 503) && retryAfterMs !== null
}

/** Of a refusal. */
export function reasonOf(status: number, told: Told | null): Reason {
  if (told?.reason) return told.reason
  if (status === 503 || status === 529) return "overload"
  const empty = (told?.quotas ?? []).filter(({ remaining }) => remaining === 0)
  return empty.length > 0 && empty.every(isConcurrency) ? "concurrency" : "rate"
}

function isConcurrency({ name }: Quota): boolean {
  return name === "concurrent-requests"
}

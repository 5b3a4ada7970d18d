// Reads what a provider's response says about its quota. It never throws, whatever the response holds, and believes nothing
// beyond the caps. One dialect is heard, the first that the response speaks: what a gateway adds in another is mostly the same
// quota once more.

import type { Answer, Told } from "./answer.ts"
import { mostQuotas } from "./caps.ts"
import { dialects } from "./dialects/all.ts"
import { type Header, type HeadersLike, headerOf } from "./headers.ts"
import { readHttpDate } from "./instants.ts"
import type { Heard } from "./quota.ts"
import { isRefusal, reasonOf } from "./refusal.ts"
import { readRetryAfter } from "./retry-after.ts"

export interface ProviderResponse {
  readonly status: number
  readonly headers: HeadersLike
  /** Parsed JSON, where it is at hand: Discord, Shopify, Stripe and GitHub say some of it there. */
  readonly body?: unknown
}

/** `nowMs` is the receiver's wall clock; it matters only where the response has no Date. */
export function readQuota({ status, headers, body }: ProviderResponse, nowMs: number): Heard {
  const header = safely<Header>(
    () => headerOf(headers),
    () => null,
  )
  const safeHeader: Header = (name) => safely(() => header(name), null)
  const sentAtMs = readHttpDate(safeHeader("date")) ?? nowMs
  const told = spoken({ status, header: safeHeader, body, sentAtMs })
  const retryAfterMs = readRetryAfter(safeHeader, sentAtMs) ?? told?.retryAfterMs ?? null
  const isRefused = isRefusal(status, retryAfterMs, told)
  return {
    status,
    isRefused,
    reason: isRefused ? reasonOf(status, told) : null,
    scope: told?.scope ?? null,
    retryAfterMs,
    quotas: (told?.quotas ?? []).slice(0, mostQuotas),
  }
}

function spoken(answer: Answer): Told | null {
  for (const dialect of dialects) {
    const told = safely(() => dialect(answer), null)
    if (told !== null) return told
  }
  return null
}

/** Headers and bodies are objects of others: reading a field of one may run anything. */
function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

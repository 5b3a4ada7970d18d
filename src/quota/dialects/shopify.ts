// Shopify: "32/40" used of a leaky bucket in X-Shopify-Shop-Api-Call-Limit; for GraphQL, the bucket of cost points in the body.
// A throttled GraphQL query is HTTP 200, and waits until the bucket holds what the query costs.

import { type Dialect, quotaOf, toldOf } from "../answer.ts"
import { fieldOf, hasError } from "../body.ts"
import { atMost, mostRetryAfterMs, wholeMs } from "../caps.ts"
import { numberIn, readCount } from "../numerals.ts"
import type { Quota } from "../quota.ts"

export const shopify: Dialect = ({ header, body }) => {
  const told = toldOf([calls(header("x-shopify-shop-api-call-limit")), points(body)])
  if (!hasError(body, "THROTTLED", "extensions", "code")) return told
  return { quotas: told?.quotas ?? [], isRefused: true, reason: "rate", retryAfterMs: untilAffordable(body) }
}

function calls(text: string | null): Quota | null {
  const match = text === null ? null : /^(\d{1,15})\/(\d{1,15})$/.exec(text)
  const [used, limit] = [readCount(match?.[1] ?? null), readCount(match?.[2] ?? null)]
  return used === null || limit === null ? null : quotaOf({ limit, remaining: Math.max(0, limit - used) })
}

function points(body: unknown): Quota | null {
  const { most, available, perSecond } = bucketIn(body)
  const isFilling = most !== null && perSecond !== null
  return quotaOf({
    name: "points",
    limit: most,
    remaining: available,
    resetMs: isFilling && available !== null ? wholeMs(((most - available) / perSecond) * 1_000) : null,
    windowMs: isFilling ? wholeMs((most / perSecond) * 1_000) : null,
  })
}

function untilAffordable(body: unknown): number | null {
  const { available, perSecond } = bucketIn(body)
  const cost = numberIn(fieldOf(body, "extensions", "cost", "requestedQueryCost"))
  if (cost === null || available === null || perSecond === null) return null
  return atMost(mostRetryAfterMs, wholeMs(((cost - available) / perSecond) * 1_000))
}

function bucketIn(body: unknown) {
  const status = fieldOf(body, "extensions", "cost", "throttleStatus")
  const [most, available, perSecond] = ["maximumAvailable", "currentlyAvailable", "restoreRate"].map((name) =>
    numberIn(fieldOf(status, name)),
  )
  return { most: most ?? null, available: available ?? null, perSecond: perSecond ?? null }
}

// Stripe says why it refused, and no counts. A 429 without a reason is a lock that was not had in time: that is no limit.

import type { Dialect } from "../answer.ts"
import { fieldOf } from "../body.ts"

export const stripe: Dialect = ({ status, header, body }) => {
  if (status !== 429) return null
  const reason = header("stripe-rate-limited-reason")
  if (reason !== null) return { quotas: [], reason: reason.toLowerCase().endsWith("concurrency") ? "concurrency" : "rate" }
  const isStripe = header("stripe-should-retry") !== null || fieldOf(body, "error", "code") === "lock_timeout"
  return isStripe ? { quotas: [], reason: "other" } : null
}

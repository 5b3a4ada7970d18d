// The headers in which providers tell how much is left. A writer gets the facts after this request was counted, all times in ms, and
// rounds as its provider does: moments and waits up, what remains down. `limit` is what `remaining` counts down from: for buckets and
// GCRA their burst, so that (limit - remaining) / reset is always the true rate.

const seconds = (ms) => Math.ceil(ms / 1_000 - 1e-9)
const epochSeconds = ({ nowMs }, { resetMs }) => String(seconds(nowMs + resetMs))
const thousandths = (ms) => (Math.ceil(ms - 1e-6) / 1_000).toFixed(3)

/** On a refusal alone, in whole seconds: a client that keeps it is never too early. */
const retryAfter = ({ waitMs }) => (waitMs === null ? {} : { "retry-after": String(Math.max(1, seconds(waitMs))) })

/** As Go prints one: "12ms", "1.5s", "6m0s". */
export function goDuration(ms) {
  const whole = Math.ceil(ms - 1e-6)
  if (whole <= 0) return "0s"
  if (whole < 1_000) return `${whole}ms`
  const minutes = Math.floor(whole / 60_000)
  const rest = `${(whole - minutes * 60_000) / 1_000}s`
  return minutes === 0 ? rest : minutes < 60 ? `${minutes}m${rest}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${rest}`
}

const rfc3339 = (ms) => `${new Date(seconds(ms) * 1_000).toISOString().slice(0, 19)}Z`

/** The draft has whole seconds for windows; one that is none is left out, which the draft allows. */
function policy({ limit, windowMs }) {
  return windowMs % 1_000 === 0 ? `"default";q=${limit};w=${windowMs / 1_000}` : `"default";q=${limit}`
}

function xRateLimit(prefix, facts) {
  const [budget] = facts.budgets
  return {
    [`${prefix}-limit`]: String(budget.limit),
    [`${prefix}-remaining`]: String(budget.remaining),
    [`${prefix}-reset`]: epochSeconds(facts, budget),
  }
}

const writers = {
  none: () => ({}),
  "retry-after": retryAfter,
  ietf(facts) {
    const [budget] = facts.budgets
    return {
      "ratelimit-policy": policy(budget),
      ratelimit: `"default";r=${budget.remaining};t=${seconds(budget.resetMs)}`,
      ...retryAfter(facts),
    }
  },
  "ietf-old"(facts) {
    const [{ limit, remaining, resetMs }] = facts.budgets
    return {
      "ratelimit-limit": String(limit),
      "ratelimit-remaining": String(remaining),
      "ratelimit-reset": String(seconds(resetMs)),
      ...retryAfter(facts),
    }
  },
  // Its primary limit tells the reset and no Retry-After.
  github(facts) {
    const [{ limit, remaining }] = facts.budgets
    return {
      ...xRateLimit("x-ratelimit", facts),
      "x-ratelimit-used": String(limit - remaining),
      "x-ratelimit-resource": "core",
    }
  },
  discord(facts) {
    const [{ resetMs }] = facts.budgets
    return {
      ...xRateLimit("x-ratelimit", facts),
      "x-ratelimit-reset": thousandths(facts.nowMs + resetMs),
      "x-ratelimit-reset-after": thousandths(resetMs),
      "x-ratelimit-bucket": `bucket-${facts.key}`,
      ...(facts.waitMs === null ? {} : { "x-ratelimit-scope": "user" }),
      ...retryAfter(facts),
    }
  },
  openai({ budgets }) {
    const headers = {}
    for (const { unit, limit, remaining, resetMs } of budgets) {
      headers[`x-ratelimit-limit-${unit}`] = String(limit)
      headers[`x-ratelimit-remaining-${unit}`] = String(remaining)
      headers[`x-ratelimit-reset-${unit}`] = goDuration(resetMs)
    }
    return headers
  },
  anthropic(facts) {
    const headers = retryAfter(facts)
    for (const { unit, limit, remaining, resetMs } of facts.budgets) {
      headers[`anthropic-ratelimit-${unit}-limit`] = String(limit)
      headers[`anthropic-ratelimit-${unit}-remaining`] = String(remaining)
      headers[`anthropic-ratelimit-${unit}-reset`] = rfc3339(facts.nowMs + resetMs)
    }
    return headers
  },
  twitter: (facts) => xRateLimit("x-rate-limit", facts),
  shopify({ budgets: [{ limit, remaining }], waitMs }) {
    const used = { "x-shopify-shop-api-call-limit": `${limit - remaining}/${limit}` }
    return waitMs === null ? used : { ...used, "retry-after": (Math.ceil(waitMs / 100 - 1e-9) / 10).toFixed(1) }
  },
  stripe: ({ waitMs }) => (waitMs === null ? {} : { "stripe-rate-limited-reason": "global-rate", "stripe-should-retry": "true" }),
}

const bodies = {
  discord: ({ waitMs }) => `{"message":"You are being rate limited.","retry_after":${thousandths(waitMs)},"global":false}`,
  openai: () => '{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}',
  anthropic: () => '{"type":"error","error":{"type":"rate_limit_error","message":"Rate limited"}}',
  stripe: () => '{"error":{"type":"invalid_request_error","code":"rate_limit"}}',
}

/** Statuses of "overloaded", which is not a limit. */
const overloadedStatuses = { anthropic: 529 }

export const dialectNames = Object.keys(writers)

export function findDialect(name) {
  if (!Object.hasOwn(writers, name)) throw new Error(`dialect: expected one of ${dialectNames.join(", ")}, got "${name}"`)
  return {
    writeHeaders: writers[name],
    writeRefusal: bodies[name] ?? (() => '{"error":"too many requests"}'),
    overloadedStatus: overloadedStatuses[name] ?? 503,
  }
}

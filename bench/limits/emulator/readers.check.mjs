// What a client can read out of each dialect: `limit`, `remaining`, `resetMs` and `retryMs` from now, by how much the last may be
// rounded up, and what says the same in another way.

const seconds = (text) => (text === undefined ? undefined : Number(text) * 1_000)
const whole = (text) => (text === undefined ? undefined : Number(text))

function goMs(text) {
  const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
  return [...text.matchAll(/([\d.]+)(ms|h|m|s)/g)].reduce((total, [, amount, unit]) => total + Number(amount) * units[unit], 0)
}

const named = (prefix) => (headers, _body, atMs) => ({
  limit: whole(headers[`${prefix}-limit`]),
  remaining: whole(headers[`${prefix}-remaining`]),
  resetMs: seconds(headers[`${prefix}-reset`]) - atMs,
})

export const readers = {
  none: () => ({}),
  "retry-after": (headers) => ({ retryMs: seconds(headers["retry-after"]), roundedMs: 1_000 }),
  ietf(headers) {
    const [, limit, window] = headers["ratelimit-policy"].match(/^"default";q=(\d+)(?:;w=(\d+))?$/)
    const [, remaining, reset] = headers.ratelimit.match(/^"default";r=(\d+);t=(\d+)$/)
    return {
      limit: whole(limit),
      windowMs: seconds(window),
      remaining: whole(remaining),
      resetMs: seconds(reset),
      retryMs: seconds(headers["retry-after"]),
      roundedMs: 1_000,
    }
  },
  "ietf-old": (headers) => ({
    limit: whole(headers["ratelimit-limit"]),
    remaining: whole(headers["ratelimit-remaining"]),
    resetMs: seconds(headers["ratelimit-reset"]),
    retryMs: seconds(headers["retry-after"]),
    roundedMs: 1_000,
  }),
  github: (headers, body, atMs) => ({ ...named("x-ratelimit")(headers, body, atMs), used: whole(headers["x-ratelimit-used"]) }),
  discord: (headers, body, atMs) => ({
    limit: whole(headers["x-ratelimit-limit"]),
    remaining: whole(headers["x-ratelimit-remaining"]),
    resetMs: seconds(headers["x-ratelimit-reset-after"]),
    resetTwiceMs: seconds(headers["x-ratelimit-reset"]) - atMs,
    retryMs: seconds(JSON.parse(body).retry_after),
    roundedMs: 1,
  }),
  openai: (headers) => ({
    limit: whole(headers["x-ratelimit-limit-requests"]),
    remaining: whole(headers["x-ratelimit-remaining-requests"]),
    resetMs: goMs(headers["x-ratelimit-reset-requests"]),
  }),
  anthropic: (headers, _body, atMs) => ({
    limit: whole(headers["anthropic-ratelimit-requests-limit"]),
    remaining: whole(headers["anthropic-ratelimit-requests-remaining"]),
    resetMs: Date.parse(headers["anthropic-ratelimit-requests-reset"]) - atMs,
    retryMs: seconds(headers["retry-after"]),
    roundedMs: 1_000,
  }),
  twitter: named("x-rate-limit"),
  shopify(headers) {
    const [used, limit] = headers["x-shopify-shop-api-call-limit"].split("/").map(Number)
    return { limit, remaining: limit - used, retryMs: seconds(headers["retry-after"]), roundedMs: 100 }
  },
  stripe: () => ({}),
}

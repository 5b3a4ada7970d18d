// Responses as providers send them, and what is heard in each: the dialects' own examples, one story per row.

import type { Heard, Quota } from "../../../src/quota/index.ts"

export interface Sample {
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly heard: Omit<Heard, "status">
}

/** Mon, 16 Nov 2026 12:00:00 GMT, as every sample's Date has it. */
export const sentAtMs = Date.UTC(2026, 10, 16, 12)
const sentAtSeconds = sentAtMs / 1_000
const date = "Mon, 16 Nov 2026 12:00:00 GMT"

export function quota(told: Partial<Quota>): Quota {
  return { name: "requests", limit: null, remaining: null, resetMs: null, windowMs: null, bucket: null, ...told }
}

const served = { isRefused: false, reason: null, scope: null, retryAfterMs: null } as const
const refused = { isRefused: true, reason: "rate", scope: null, retryAfterMs: null } as const

const ietf: readonly Sample[] = [
  {
    name: "IETF draft: a policy and what is left of it",
    status: 200,
    headers: { "RateLimit-Policy": '"default";q=100;w=60', RateLimit: '"default";r=50;t=30' },
    heard: { ...served, quotas: [quota({ name: "default", limit: 100, remaining: 50, resetMs: 30_000, windowMs: 60_000 })] },
  },
  {
    name: "IETF draft: several policies, one of them with nothing left to tell, and a partition key",
    status: 429,
    headers: {
      "Retry-After": "5",
      "RateLimit-Policy": '"permin";q=50;w=60;pk=:c2Vzc2lvbg==:, "perhr";q=1000;w=3600, "perday";q=5000;w=86400',
      RateLimit: '"perhr";r=399;t=2402, "permin";r=0;t=5',
    },
    heard: {
      ...refused,
      retryAfterMs: 5_000,
      quotas: [
        quota({ name: "perhr", limit: 1_000, remaining: 399, resetMs: 2_402_000, windowMs: 3_600_000 }),
        quota({ name: "permin", limit: 50, remaining: 0, resetMs: 5_000, windowMs: 60_000, bucket: "c2Vzc2lvbg==" }),
        quota({ name: "perday", limit: 5_000, windowMs: 86_400_000 }),
      ],
    },
  },
  {
    name: "IETF draft: a unit of its own names the quota, and concurrency is a reason of its own",
    status: 429,
    headers: {
      "RateLimit-Policy": '"slots";q=10;qu="concurrent-requests", "llm";q=90000;w=60;qu="tokens", "calls";q=5;qu="requests"',
      RateLimit: '"slots";r=0, "llm";r=80000;t=1, "calls";r=2',
    },
    heard: {
      ...refused,
      reason: "concurrency",
      quotas: [
        quota({ name: "concurrent-requests", limit: 10, remaining: 0 }),
        quota({ name: "tokens", limit: 90_000, remaining: 80_000, resetMs: 1_000, windowMs: 60_000 }),
        quota({ name: "calls", limit: 5, remaining: 2 }),
      ],
    },
  },
  {
    name: "IETF draft: spaces after semicolons, escapes, and parameters of others, as express-rate-limit and gateways write them",
    status: 200,
    headers: {
      "RateLimit-Policy": '"100-in-1min"; q=100; w=60; acme-burst; pk=:NWY=:',
      RateLimit: '"100-in-1min"; r=98; t=60,"a \\"b\\"";r=1',
    },
    heard: {
      ...served,
      quotas: [
        quota({ name: "100-in-1min", limit: 100, remaining: 98, resetMs: 60_000, windowMs: 60_000, bucket: "NWY=" }),
        quota({ name: 'a "b"', remaining: 1 }),
      ],
    },
  },
  {
    name: "IETF draft: the older word for requests, and a partition key beside what is left",
    status: 200,
    headers: { "RateLimit-Policy": '"a";q=9;qu="request"', RateLimit: '"a";r=1;pk=:eA==:' },
    heard: { ...served, quotas: [quota({ name: "a", limit: 9, remaining: 1, bucket: "eA==" })] },
  },
]

const olderDrafts: readonly Sample[] = [
  {
    name: "older drafts: three headers, the reset in seconds from now",
    status: 200,
    headers: { "RateLimit-Limit": "100", "RateLimit-Remaining": "50", "RateLimit-Reset": "50" },
    heard: { ...served, quotas: [quota({ limit: 100, remaining: 50, resetMs: 50_000 })] },
  },
  {
    name: "older drafts: windows beside the limit, of which the told limit's counts",
    status: 200,
    headers: { "RateLimit-Limit": "10, 10;w=1, 50;w=60", "RateLimit-Remaining": "9", "RateLimit-Reset": "1" },
    heard: { ...served, quotas: [quota({ limit: 10, remaining: 9, resetMs: 1_000, windowMs: 1_000 })] },
  },
  {
    name: "older drafts: a policy by number, as draft 6 has it",
    status: 200,
    headers: { "RateLimit-Policy": "50;w=1, 100;w=60", "RateLimit-Limit": "100", "RateLimit-Remaining": "50", "RateLimit-Reset": "50" },
    heard: { ...served, quotas: [quota({ limit: 100, remaining: 50, resetMs: 50_000, windowMs: 60_000 })] },
  },
  {
    name: "older drafts: all in one field, as draft 7 has it",
    status: 429,
    headers: { "RateLimit-Policy": "100;w=60", RateLimit: "limit=100, remaining=0, reset=5" },
    heard: { ...refused, quotas: [quota({ limit: 100, remaining: 0, resetMs: 5_000, windowMs: 60_000 })] },
  },
  {
    name: "X-RateLimit: a small reset is seconds from now, and what is left may be a fraction",
    status: 200,
    headers: { "X-RateLimit-Used": "2", "X-RateLimit-Remaining": "598.9", "X-RateLimit-Reset": "234" },
    heard: { ...served, quotas: [quota({ remaining: 598, resetMs: 234_000 })] },
  },
  {
    name: "X-RateLimit: a large reset is an epoch in milliseconds",
    status: 429,
    headers: { "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(sentAtMs + 7_500) },
    heard: { ...refused, quotas: [quota({ limit: 20, remaining: 0, resetMs: 7_500 })] },
  },
  {
    name: "X-RateLimit: a reset that is written out",
    status: 200,
    headers: { "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "Mon, 16 Nov 2026 12:01:00 GMT" },
    heard: { ...served, quotas: [quota({ limit: 20, remaining: 3, resetMs: 60_000 })] },
  },
]

const github: readonly Sample[] = [
  {
    name: "GitHub: served",
    status: 200,
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4987",
      "x-ratelimit-used": "13",
      "x-ratelimit-reset": String(sentAtSeconds + 3_540),
      "x-ratelimit-resource": "core",
    },
    heard: { ...served, quotas: [quota({ limit: 5_000, remaining: 4_987, resetMs: 3_540_000, bucket: "core" })] },
  },
  {
    name: "GitHub: 403 with an empty quota is a refusal",
    status: 403,
    headers: {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(sentAtSeconds + 1_200),
      "x-ratelimit-resource": "core",
    },
    heard: { ...refused, quotas: [quota({ limit: 60, remaining: 0, resetMs: 1_200_000, bucket: "core" })] },
  },
  {
    name: "GitHub: 403 with a quota that is not empty is about permission",
    status: 403,
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4999",
      "x-ratelimit-reset": String(sentAtSeconds + 3_600),
      "x-ratelimit-resource": "core",
    },
    heard: { ...served, quotas: [quota({ limit: 5_000, remaining: 4_999, resetMs: 3_600_000, bucket: "core" })] },
  },
  {
    name: "GitHub: a secondary limit shows in Retry-After alone",
    status: 403,
    headers: {
      "retry-after": "60",
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4990",
      "x-ratelimit-reset": String(sentAtSeconds + 3_600),
    },
    heard: { ...refused, retryAfterMs: 60_000, quotas: [quota({ limit: 5_000, remaining: 4_990, resetMs: 3_600_000 })] },
  },
  {
    name: "GitHub: GraphQL refuses with 200",
    status: 200,
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(sentAtSeconds + 10),
      "x-ratelimit-resource": "graphql",
    },
    body: { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] },
    heard: { ...refused, quotas: [quota({ limit: 5_000, remaining: 0, resetMs: 10_000, bucket: "graphql" })] },
  },
  {
    name: "GitHub: the last request of a window was served",
    status: 200,
    headers: { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(sentAtSeconds + 10) },
    body: { data: {} },
    heard: { ...served, quotas: [quota({ limit: 5_000, remaining: 0, resetMs: 10_000 })] },
  },
]

const discord: readonly Sample[] = [
  {
    name: "Discord: served",
    status: 200,
    headers: {
      "X-RateLimit-Limit": "5",
      "X-RateLimit-Remaining": "4",
      "X-RateLimit-Reset": `${sentAtSeconds + 2}.123`,
      "X-RateLimit-Reset-After": "1.07",
      "X-RateLimit-Bucket": "abcd1234",
    },
    heard: { ...served, quotas: [quota({ limit: 5, remaining: 4, resetMs: 1_070, bucket: "abcd1234" })] },
  },
  {
    name: "Discord: refused for what others share",
    status: 429,
    headers: {
      "Retry-After": "65",
      "X-RateLimit-Limit": "10",
      "X-RateLimit-Remaining": "9",
      "X-RateLimit-Reset": `${sentAtSeconds + 65}`,
      "X-RateLimit-Bucket": "abcd1234",
      "X-RateLimit-Scope": "shared",
    },
    body: { message: "The resource is being rate limited.", retry_after: 64.57, global: false },
    heard: {
      ...refused,
      scope: "shared",
      retryAfterMs: 65_000,
      quotas: [quota({ limit: 10, remaining: 9, resetMs: 65_000, bucket: "abcd1234" })],
    },
  },
  {
    name: "Discord: the global limit, with the wait in the body alone",
    status: 429,
    headers: { "X-RateLimit-Global": "true" },
    body: { message: "You are being rate limited.", retry_after: 2.007, global: true },
    heard: { ...refused, scope: "own", retryAfterMs: 2_007, quotas: [] },
  },
  {
    name: "Discord: its own use of a route",
    status: 429,
    headers: { "X-RateLimit-Scope": "user", "X-RateLimit-Bucket": "b", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "0.5" },
    heard: { ...refused, scope: "own", quotas: [quota({ remaining: 0, resetMs: 500, bucket: "b" })] },
  },
  {
    name: "Discord: 403 with an empty bucket is about permission: many of its buckets hold one request",
    status: 403,
    headers: {
      "X-RateLimit-Limit": "1",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": `${sentAtSeconds + 1}`,
      "X-RateLimit-Reset-After": "1.000",
      "X-RateLimit-Bucket": "b",
    },
    body: { retry_after: 3 },
    heard: { ...served, quotas: [quota({ limit: 1, remaining: 0, resetMs: 1_000, bucket: "b" })] },
  },
  {
    name: "Discord: known by its bucket alone",
    status: 403,
    headers: {
      "X-RateLimit-Limit": "5",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": `${sentAtSeconds + 2}.5`,
      "X-RateLimit-Bucket": "abcd1234",
    },
    heard: { ...served, quotas: [quota({ limit: 5, remaining: 0, resetMs: 2_500, bucket: "abcd1234" })] },
  },
]

const openai: readonly Sample[] = [
  {
    name: "OpenAI: requests and tokens, with Go durations",
    status: 200,
    headers: {
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-requests": "12ms",
      "x-ratelimit-reset-tokens": "6m0s",
    },
    heard: {
      ...served,
      quotas: [
        quota({ limit: 60, remaining: 59, resetMs: 12 }),
        quota({ name: "tokens", limit: 150_000, remaining: 149_984, resetMs: 360_000 }),
      ],
    },
  },
  {
    name: "OpenAI: refused, with the more exact of two waits",
    status: 429,
    headers: {
      "retry-after": "1",
      "retry-after-ms": "412",
      "x-ratelimit-limit-tokens": "30000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1h2m3.5s",
    },
    heard: { ...refused, retryAfterMs: 412, quotas: [quota({ name: "tokens", limit: 30_000, remaining: 0, resetMs: 3_723_500 })] },
  },
  {
    name: "Azure: what remains, without a limit, and a reset in seconds",
    status: 429,
    headers: {
      "x-ms-retry-after-ms": "1500",
      "x-ratelimit-remaining-requests": "79",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "55",
    },
    heard: {
      ...refused,
      retryAfterMs: 1_500,
      quotas: [quota({ remaining: 79 }), quota({ name: "tokens", remaining: 0, resetMs: 55_000 })],
    },
  },
  {
    name: "Azure: -1 and 0 where it does not know",
    status: 429,
    headers: {
      "x-ratelimit-limit-tokens": "-1",
      "x-ratelimit-remaining-tokens": "-1",
      "x-ratelimit-reset-tokens": "0",
      "x-ratelimit-limit-requests": "0",
      "x-ratelimit-remaining-requests": "0",
    },
    heard: { ...refused, quotas: [] },
  },
  {
    name: "Azure: what remains of a limit that it does not know",
    status: 200,
    headers: { "x-ratelimit-limit-tokens": "-1", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "0" },
    heard: { ...served, quotas: [] },
  },
]

const anthropic: readonly Sample[] = [
  {
    name: "Anthropic: four quotas, full again at a time",
    status: 200,
    headers: {
      "anthropic-ratelimit-requests-limit": "4000",
      "anthropic-ratelimit-requests-remaining": "3999",
      "anthropic-ratelimit-requests-reset": "2026-11-16T12:00:01Z",
      "anthropic-ratelimit-tokens-limit": "480000",
      "anthropic-ratelimit-tokens-remaining": "470000",
      "anthropic-ratelimit-tokens-reset": "2026-11-16T12:00:02.25Z",
      "anthropic-ratelimit-input-tokens-limit": "400000",
      "anthropic-ratelimit-input-tokens-remaining": "392000",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-16T13:00:02+01:00",
      "anthropic-ratelimit-output-tokens-limit": "80000",
      "anthropic-ratelimit-output-tokens-remaining": "78000",
      "anthropic-ratelimit-output-tokens-reset": "2026-11-16T11:59:59Z",
    },
    heard: {
      ...served,
      quotas: [
        quota({ limit: 4_000, remaining: 3_999, resetMs: 1_000 }),
        quota({ name: "tokens", limit: 480_000, remaining: 470_000, resetMs: 2_250 }),
        quota({ name: "input-tokens", limit: 400_000, remaining: 392_000, resetMs: 2_000 }),
        quota({ name: "output-tokens", limit: 80_000, remaining: 78_000, resetMs: 0 }),
      ],
    },
  },
  {
    name: "Anthropic: overloaded",
    status: 529,
    headers: { "x-should-retry": "true" },
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    heard: { ...refused, reason: "overload", quotas: [] },
  },
]

const stripe: readonly Sample[] = [
  ...(["global-rate", "endpoint-rate", "resource-specific", "global-concurrency", "endpoint-concurrency"] as const).map((reason) => ({
    name: `Stripe: ${reason}`,
    status: 429,
    headers: { "Stripe-Rate-Limited-Reason": reason, "Stripe-Should-Retry": "true" },
    heard: { ...refused, reason: reason.endsWith("concurrency") ? ("concurrency" as const) : ("rate" as const), quotas: [] },
  })),
  {
    name: "Stripe: a lock that was not had in time is no limit",
    status: 429,
    headers: {},
    body: { error: { code: "lock_timeout", type: "invalid_request_error" } },
    heard: { ...refused, reason: "other", quotas: [] },
  },
  {
    name: "Stripe: a 429 without a reason is no limit, by its headers alone",
    status: 429,
    headers: { "Stripe-Should-Retry": "true" },
    heard: { ...refused, reason: "other", quotas: [] },
  },
  {
    name: "Stripe: a conflict is no refusal",
    status: 409,
    headers: { "Stripe-Should-Retry": "true" },
    heard: { ...served, quotas: [] },
  },
]

const throttleStatus = { maximumAvailable: 1000.0, currentlyAvailable: 498, restoreRate: 50.0 }

const shopify: readonly Sample[] = [
  {
    name: "Shopify: used of a leaky bucket",
    status: 200,
    headers: { "X-Shopify-Shop-Api-Call-Limit": "32/40" },
    heard: { ...served, quotas: [quota({ limit: 40, remaining: 8 })] },
  },
  {
    name: "Shopify: refused",
    status: 429,
    headers: { "X-Shopify-Shop-Api-Call-Limit": "41/40", "Retry-After": "2.0" },
    heard: { ...refused, retryAfterMs: 2_000, quotas: [quota({ limit: 40, remaining: 0 })] },
  },
  {
    name: "Shopify: GraphQL points",
    status: 200,
    headers: {},
    body: { data: {}, extensions: { cost: { requestedQueryCost: 502, actualQueryCost: 502, throttleStatus } } },
    heard: { ...served, quotas: [quota({ name: "points", limit: 1_000, remaining: 498, resetMs: 10_040, windowMs: 20_000 })] },
  },
  {
    name: "Shopify: throttled GraphQL is HTTP 200, and waits for what the query costs",
    status: 200,
    headers: {},
    body: {
      errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
      extensions: { cost: { requestedQueryCost: 548, actualQueryCost: null, throttleStatus } },
    },
    heard: {
      ...refused,
      retryAfterMs: 1_000,
      quotas: [quota({ name: "points", limit: 1_000, remaining: 498, resetMs: 10_040, windowMs: 20_000 })],
    },
  },
  {
    name: "Shopify: an error of another code is no refusal, whatever its text says",
    status: 200,
    headers: {},
    body: { errors: [{ message: "Throttled", extensions: { code: "ACCESS_DENIED" } }] },
    heard: { ...served, quotas: [] },
  },
]

const twitter: readonly Sample[] = [
  {
    name: "X: three headers with a dash more",
    status: 429,
    headers: { "x-rate-limit-limit": "900", "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(sentAtSeconds + 900) },
    heard: { ...refused, quotas: [quota({ limit: 900, remaining: 0, resetMs: 900_000 })] },
  },
]

export const samples: readonly Sample[] = [
  ...ietf,
  ...olderDrafts,
  ...github,
  ...discord,
  ...openai,
  ...anthropic,
  ...stripe,
  ...shopify,
  ...twitter,
].map((sample) => ({ ...sample, headers: { Date: date, ...sample.headers } }))

// defineLimit: from options to a policy in whole microseconds, and what is refused.

import { deepEqual, equal, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask, type ErrorCode } from "../../../src/index.ts"

const rates = 'expected a rate such as "10/10s", "100/1m" or "3/s"'
const units = "expected a whole number from 1 to 1000000000"
const run = () => null

describe("defineLimit makes a policy", () => {
  const plain = { limit: 10, perUs: 10_000_000, burst: 10, phaseUs: 0, guardUs: 0, slackUs: 0 }
  const made: readonly (readonly [object, unknown])[] = [
    [{ rate: "10/10s" }, { rates: [{ ...plain, provider: "unknown", slackUs: 500_000 }], concurrency: null }],
    [
      { rate: "10/10s", slack: "2s" },
      { rates: [{ ...plain, provider: "unknown", slackUs: 2_000_000 }], concurrency: null },
    ],
    [
      { rate: "10/10s", slack: 0 },
      { rates: [{ ...plain, provider: "unknown", slackUs: 0 }], concurrency: null },
    ],
    [{ rate: { limit: 10, per: "10s", provider: "sliding" } }, { rates: [{ ...plain, provider: "sliding" }], concurrency: null }],
    [
      { rate: "10/10s", provider: "fixed" },
      { rates: [{ ...plain, provider: "fixed", guardUs: 250_000 }], concurrency: null },
    ],
    [
      { rate: "10/1s", provider: "fixed" },
      { rates: [{ ...plain, perUs: 1_000_000, provider: "fixed", guardUs: 100_000 }], concurrency: null },
    ],
    [
      { rate: "10/10s", provider: "fixed", guard: "1s", phase: "13s" },
      { rates: [{ ...plain, provider: "fixed", guardUs: 1_000_000, phaseUs: 3_000_000 }], concurrency: null },
    ],
    [
      { rate: "10/10s", provider: "bucket" },
      { rates: [{ ...plain, provider: "bucket" }], concurrency: null },
    ],
    [
      { rate: { limit: 10, per: "10s", provider: "bucket", burst: 25 } },
      { rates: [{ ...plain, provider: "bucket", burst: 25 }], concurrency: null },
    ],
    [{ concurrency: 5 }, { rates: [], concurrency: 5 }],
    [
      { rate: [], concurrency: 5 },
      { rates: [], concurrency: 5 },
    ],
    [
      { rate: ["10/10s", { limit: 10, per: "10s", provider: "bucket" }], slack: "1s", burst: 3, concurrency: 2 },
      {
        rates: [
          { ...plain, provider: "unknown", slackUs: 1_000_000 },
          { ...plain, provider: "bucket", burst: 3 },
        ],
        concurrency: 2,
      },
    ],
  ]
  for (const [options, policy] of made) it(JSON.stringify(options), () => deepEqual(defineLimit("api", options).policy, policy))

  it("under its name, and gives gates", () => {
    const api = defineLimit("vendor-api", { rate: "10/10s" })
    equal(api.name, "vendor-api")
    deepEqual(api("host-1", { cost: 3 }), { limit: api, key: "host-1", cost: 3, most: null })
    deepEqual(api("host-1"), { limit: api, key: "host-1", cost: null, most: null })
    deepEqual(api(), { limit: api, key: "", cost: null, most: null })
  })
})

describe("defineLimit refuses", () => {
  const refused: readonly (readonly [unknown, ErrorCode, string])[] = [
    [{ rate: "100 per sec" }, "invalid_rate", `limit "api": rate: ${rates}, got "100 per sec"`],
    [{ rate: "0/1s" }, "invalid_rate", `limit "api": rate: ${rates}, got "0/1s"`],
    [{ rate: "-5/1s" }, "invalid_rate", `limit "api": rate: ${rates}, got "-5/1s"`],
    [{ rate: "10/0s" }, "invalid_rate", `limit "api": rate: ${rates}, got "10/0s"`],
    [{ rate: "1.5/1s" }, "invalid_rate", `limit "api": rate: ${rates}, got "1.5/1s"`],
    [{ rate: 10 }, "invalid_rate", `limit "api": rate: ${rates}, got 10`],
    [{ rate: null }, "invalid_rate", `limit "api": rate: ${rates}, got null`],
    [{ rate: "" }, "invalid_rate", `limit "api": rate: ${rates}, got ""`],
    [{ rate: ["10/1s", "fast"] }, "invalid_rate", `limit "api": rate[1]: ${rates}, got "fast"`],
    [{ rate: "1/4000d" }, "invalid_rate", 'limit "api": rate: expected a window from 1ms to 3650d, got "1/4000d"'],
    [{ rate: { limit: 0, per: "1s" } }, "invalid_rate", `limit "api": rate: limit: ${units}, got 0`],
    [{ rate: { limit: -1, per: "1s" } }, "invalid_rate", `limit "api": rate: limit: ${units}, got -1`],
    [{ rate: { limit: 1.5, per: "1s" } }, "invalid_rate", `limit "api": rate: limit: ${units}, got 1.5`],
    [{ rate: { limit: "10", per: "1s" } }, "invalid_rate", `limit "api": rate: limit: ${units}, got "10"`],
    [{ rate: { limit: 10, per: 0 } }, "invalid_rate", 'limit "api": rate: per: expected a window from 1ms to 3650d, got 0'],
    [{ rate: { limit: 10 } }, "invalid_rate", 'limit "api": rate: expected a rate such as { limit: 10, per: "10s" }, got one without per'],
    [
      { rate: { per: "1s" } },
      "invalid_rate",
      'limit "api": rate: expected a rate such as { limit: 10, per: "10s" }, got one without limit',
    ],
    [
      { rate: { limit: 10, per: 10 } },
      "invalid_duration",
      'limit "api": rate: per: expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got 10 (a number has no unit: write "10s" for seconds)',
    ],
    [{ rate: { limit: 10, per: "1s", bust: 3 } }, "invalid_option", 'limit "api": rate: unknown option "bust"; did you mean "burst"?'],
    [{ rate: Array.from({ length: 9 }, () => "1/1s") }, "invalid_option", 'limit "api": rate: expected at most 8 rates, got 9'],
    [{}, "invalid_option", 'limit "api": expected a rate such as "10/10s", a concurrency, adaptive: true, or several of them, got none'],
    [
      undefined,
      "invalid_option",
      'limit "api": expected a rate such as "10/10s", a concurrency, adaptive: true, or several of them, got none',
    ],
    [
      { rate: [] },
      "invalid_option",
      'limit "api": expected a rate such as "10/10s", a concurrency, adaptive: true, or several of them, got none',
    ],
    [{ concurrency: 0 }, "invalid_option", 'limit "api": concurrency: expected a whole number from 1 to 1000000, got 0'],
    [{ concurrency: 2.5 }, "invalid_option", 'limit "api": concurrency: expected a whole number from 1 to 1000000, got 2.5'],
    [
      { rate: "1/1s", provider: "sliding window" },
      "invalid_option",
      'limit "api": provider: expected unknown, fixed, sliding, bucket, got "sliding window"',
    ],
    [
      { rate: "1/1s", retries: 3 },
      "invalid_option",
      'limit "api": unknown option "retries"; known are key, rate, concurrency, provider, burst, guard, phase, slack, adaptive, quota',
    ],
    [{ adaptive: "fast" }, "invalid_option", 'limit "api": adaptive: preset: expected scout or linear, got "fast"'],
    [{ adaptive: 5 }, "invalid_option", 'limit "api": adaptive: expected true, "scout", "linear" or { preset, … }, got 5'],
    [
      { adaptive: { preset: "linear", steps: "1s" } },
      "invalid_option",
      'limit "api": adaptive: unknown option "steps"; did you mean "step"?',
    ],
    [{ adaptive: { preset: "linear", step: 0 } }, "invalid_option", 'limit "api": adaptive: step: expected a duration above 0, got 0'],
    [{ rate: "1/1s", key: "host" }, "invalid_option", 'limit "api": key: expected a function of the input, got "host"'],
    [
      { rate: "1/1s", burst: 5 },
      "invalid_option",
      'limit "api": burst: expected provider: "bucket" beside it, which alone heeds it, got "unknown"',
    ],
    [
      { rate: { limit: 1, per: "1s", provider: "bucket", guard: "1ms" } },
      "invalid_option",
      'limit "api": rate: guard: expected provider: "fixed" beside it, which alone heeds it, got "bucket"',
    ],
    [
      { concurrency: 1, slack: "1s" },
      "invalid_option",
      'limit "api": slack: expected provider: "unknown" beside it, which alone heeds it, got no rate',
    ],
    [{ concurrency: 1, provider: "fixed" }, "invalid_option", 'limit "api": provider: expected a rate beside it, got none'],
    [
      { rate: "1/1s", provider: "fixed", guard: "500ms" },
      "invalid_option",
      'limit "api": rate: guard: expected less than half the window of 1s, so that something is left of it, got 500ms',
    ],
    [
      { rate: "1001/1ms", provider: "bucket" },
      "invalid_rate",
      'limit "api": rate: expected a bucket of at most one unit per microsecond, got 1001/1ms',
    ],
    [
      { rate: "1000000/30d", provider: "bucket" },
      "invalid_rate",
      'limit "api": rate: expected a bucket whose burst times window can be counted exactly, got a burst of 1000000 and a window of 30d; write the same rate with a shorter window',
    ],
  ]
  for (const [options, code, message] of refused) {
    it(message, () => throws(() => defineLimit("api", options as never), { code, message }))
  }

  for (const name of ["", "a b", "a/b", "x".repeat(129), undefined, 5]) {
    it(`the name ${String(name).slice(0, 20)}`, () => {
      throws(() => defineLimit(name as never, { rate: "1/1s" }), {
        code: "invalid_name",
        message: /^limit name: expected 1 to 128 letters/,
      })
    })
  }
})

describe("a gate is refused", () => {
  const api = defineLimit("vendor-api", { rate: "10/10s" })
  const keys: readonly unknown[] = ["", "x".repeat(513), "a\nb", "\u0000", "\ud800", 7, undefined, null, {}]
  for (const [i, key] of keys.entries()) {
    it(`with an odd key (${i})`, () => {
      throws(() => api(key as never), {
        code: "invalid_name",
        message: /^limit "vendor-api": key: expected 1 to 512 characters without control characters, got /,
      })
    })
  }

  for (const cost of [0, -1, 1.5, "3", null, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`with the cost ${cost}`, () => {
      throws(() => api("host-1", { cost: cost as never }), {
        code: "invalid_cost",
        message: `limit "vendor-api": cost: expected a whole number, 1 or more, got ${typeof cost === "string" ? `"${cost}"` : cost}`,
      })
    })
  }

  it("with an option that it does not know", () => {
    throws(() => api("host-1", { costs: 3 } as never), { message: 'limit "vendor-api": unknown option "costs"; did you mean "cost"?' })
  })
})

describe("defineTask refuses", () => {
  const api = defineLimit("api", { rate: "1/1s" })
  const refused: readonly (readonly [object, ErrorCode, string])[] = [
    [
      { limits: api },
      "invalid_option",
      'defineTask "mail": limits: expected an array of limits, or a function (input) => gates, got a limit; put it into an array',
    ],
    [
      { limits: "api" },
      "invalid_option",
      'defineTask "mail": limits: expected an array of limits, or a function (input) => gates, got "api"',
    ],
    [
      { limits: [api, "api"] },
      "invalid_option",
      'defineTask "mail": limits[1]: expected what defineLimit gives, or a gate of it such as api("key"), got "api"',
    ],
    [{ cost: 0 }, "invalid_cost", 'defineTask "mail": cost: expected a whole number, 1 or more, got 0'],
    [{ cost: "3" }, "invalid_cost", 'defineTask "mail": cost: expected a whole number, 1 or more, got "3"'],
    [{ fairBy: "tenant" }, "invalid_option", 'defineTask "mail": fairBy: expected a function of the input, got "tenant"'],
  ]
  for (const [options, code, message] of refused) {
    it(message, () => throws(() => defineTask("mail", { run, ...options } as never), { code, message }))
  }
})

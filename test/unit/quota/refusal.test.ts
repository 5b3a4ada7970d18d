// What counts as a refusal, for what reason, and how long it asks to wait.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Reason, readQuota, waitMs } from "../../../src/quota/index.ts"

const nowMs = Date.UTC(2026, 10, 16, 12)

function heard(status: number, headers: Readonly<Record<string, string>> = {}, body?: unknown) {
  return readQuota({ status, headers, body }, nowMs)
}

describe("a refusal", () => {
  const statuses: readonly (readonly [number, Readonly<Record<string, string>>, Reason | null])[] = [
    [429, {}, "rate"],
    [429, { "retry-after": "soon" }, "rate"],
    [529, {}, "overload"],
    [529, { "retry-after": "3" }, "overload"],
    [503, { "retry-after": "3" }, "overload"],
    [503, {}, null],
    [503, { "retry-after": "soon" }, null],
    [403, { "retry-after": "3" }, "rate"],
    [403, {}, null],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000000" }, "rate"],
    [403, { "x-ratelimit-remaining": "1", "x-ratelimit-reset": "1800000000" }, null],
    [403, { "ratelimit-remaining": "0", "ratelimit-reset": "10" }, null],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "10" }, null],
    [404, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000000" }, null],
    [200, { "retry-after": "3" }, null],
    [202, { "retry-after": "3" }, null],
    [500, { "retry-after": "3" }, null],
    [408, {}, null],
  ]
  for (const [status, headers, reason] of statuses) {
    const text = `${status} with ${JSON.stringify(headers)}`
    it(reason === null ? `is not ${text}` : `for ${reason} is ${text}`, () => {
      const { isRefused, reason: told } = heard(status, headers)
      assert.deepEqual({ isRefused, told }, { isRefused: reason !== null, told: reason })
    })
  }

  it("is never made out of a text", () => {
    const body = { message: "rate limit exceeded", error: { message: "Too many requests", type: "rate_limit_error" } }
    assert.equal(heard(403, {}, body).isRefused, false)
    assert.equal(heard(200, {}, { errors: [{ message: "THROTTLED" }] }).isRefused, false)
  })

  it("is for a rate where requests are used up beside slots", () => {
    const policies = '"a";q=1;qu="concurrent-requests", "b";q=1'
    assert.equal(heard(429, { "ratelimit-policy": policies, ratelimit: '"a";r=0, "b";r=0' }).reason, "rate")
    assert.equal(heard(429, { "ratelimit-policy": policies, ratelimit: '"a";r=1, "b";r=1' }).reason, "rate")
  })
})

describe("Retry-After", () => {
  const forms: readonly (readonly [Readonly<Record<string, string>>, number | null])[] = [
    [{ "retry-after": "120" }, 120_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "2.0" }, 2_000],
    [{ "retry-after": "0.0001" }, 1],
    [{ "retry-after": "2.007" }, 2_007],
    [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Mon, 16 Nov 2026 11:59:30 GMT" }, 0],
    [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT", date: "Mon, 16 Nov 2026 12:00:20 GMT" }, 10_000],
    [{ "retry-after": "Mon, 16 Foo 2026 12:00:30 GMT" }, null],
    [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 +0100" }, null],
    [{ "retry-after": "3600" }, 3_600_000],
    [{ "retry-after": "3601" }, 3_600_000],
    [{ "retry-after": "Mon, 16 Nov 2126 12:00:30 GMT" }, 3_600_000],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250.2", "retry-after": "1" }, 251],
    [{ "retry-after-ms": "x", "retry-after": "1" }, 1_000],
    [{ "retry-after-ms": "99999999999" }, 3_600_000],
  ]
  for (const [headers, ms] of forms) {
    it(`${JSON.stringify(headers)} is ${ms} ms`, () => assert.equal(heard(429, headers).retryAfterMs, ms))
  }

  it("is told whatever the status", () => {
    for (const status of [200, 301, 500, 503]) assert.equal(heard(status, { "retry-after": "7" }).retryAfterMs, 7_000)
  })
})

describe("the wait of a refusal", () => {
  const empty = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "90" }

  it("is what Retry-After says, over any reset", () => assert.equal(waitMs(heard(429, { ...empty, "retry-after": "5" })), 5_000))

  it("is until the last empty quota resets, where nothing else says", () => {
    assert.equal(waitMs(heard(429, empty)), 90_000)
    assert.equal(waitMs(heard(429, { ratelimit: '"a";r=0;t=3, "b";r=0;t=9, "c";r=1;t=99' })), 9_000)
  })

  it("is not known where nothing says", () => {
    assert.equal(waitMs(heard(429)), null)
    assert.equal(waitMs(heard(429, { ...empty, "x-ratelimit-remaining": "1" })), null)
  })

  it("is none where nothing was refused", () => {
    assert.equal(waitMs(heard(200, empty)), null)
    assert.equal(waitMs(heard(200, { "retry-after": "5" })), null)
  })
})

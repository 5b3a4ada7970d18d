// The errors that a handler throws: read at once, so that a mistake in them is told where it was made.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSluiceError } from "../../../src/errors/index.ts"
import {
  PermanentError,
  RateLimitError,
  type RateLimitOptions,
  RescheduleError,
  type RescheduleOptions,
  RetryableError,
} from "../../../src/task/index.ts"

const mistake = (options: unknown) => () => new RescheduleError(options as RescheduleOptions)

describe("RescheduleError", () => {
  it("takes seconds and keeps milliseconds", () => {
    const error = new RescheduleError({ delaySeconds: 60, extendExpirationSeconds: 120, reason: "busy" })
    assert.deepEqual([error.delayMs, error.extendExpirationMs, error.reason], [60_000, 120_000, "busy"])
    assert.equal(error.message, "rescheduled for 60s: busy")
  })

  it("extends nothing unless asked", () => {
    const error = new RescheduleError({ delaySeconds: 0.5 })
    assert.deepEqual([error.delayMs, error.extendExpirationMs, error.reason], [500, 0, null])
  })

  it("takes 0: back to the queue at once", () => {
    assert.equal(new RescheduleError({ delaySeconds: 0 }).delayMs, 0)
  })

  it("refuses what is no number of seconds", () => {
    for (const delaySeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, "60", null]) {
      assert.throws(mistake({ delaySeconds }), {
        code: "invalid_duration",
        message: /delaySeconds: expected a number of seconds, 0 or more, got/,
      })
    }
    assert.throws(mistake({}), /delaySeconds: expected a number of seconds, 0 or more, got undefined/)
    assert.throws(mistake(undefined), /delaySeconds: expected a number of seconds, 0 or more, got undefined/)
  })

  it("suggests the option that was meant", () => {
    assert.throws(mistake({ delaySecond: 60 }), /RescheduleError: unknown option "delaySecond"; did you mean "delaySeconds"\?/)
  })
})

describe("RateLimitError", () => {
  it("says nothing that it was not told, and takes it as a 429", () => {
    const error = new RateLimitError()
    assert.deepEqual([error.retryAfterMs, error.status, error.limit, error.code], [null, 429, null, "rate_limited"])
    assert.equal(error.message, "rate limited: the other side answered 429")
  })

  it("keeps how long the other side asked to wait, which limit it is about, and the cause", () => {
    const cause = new Error("429")
    const error = new RateLimitError({ retryAfter: "30s", status: 503, limit: "vendor-api", message: "slow down", cause })
    assert.deepEqual([error.retryAfterMs, error.status, error.limit, error.message], [30_000, 503, "vendor-api", "slow down"])
    assert.equal(error.cause, cause)
  })

  it("refuses what it cannot mean", () => {
    const wrong = (options: unknown) => () => new RateLimitError(options as RateLimitOptions)
    assert.throws(wrong({ retryAfter: "soon" }), { code: "invalid_duration", message: /RateLimitError: retryAfter: expected/ })
    assert.throws(wrong({ status: 42 }), /RateLimitError: status: expected/)
    assert.throws(wrong({ retryafter: "1s" }), /unknown option "retryafter"; did you mean "retryAfter"\?/)
  })
})

describe("errors of a handler", () => {
  it("have a code, say whether to try again, and keep their cause", () => {
    const cause = new Error("socket closed")
    const retryable = new RetryableError("could not connect", { cause })
    assert.deepEqual([retryable.code, retryable.retryable, retryable.cause], ["retryable", true, cause])
    const permanent = new PermanentError("no such user")
    assert.deepEqual([permanent.code, permanent.retryable, permanent.name], ["permanent", false, "PermanentError"])
    assert.equal(new RescheduleError({ delaySeconds: 1 }).code, "reschedule")
  })

  it("are recognised whatever copy of the package made them", () => {
    assert.equal(isSluiceError(new PermanentError("x")), true)
    assert.equal(isSluiceError({ [Symbol.for("sluice.error")]: true }), true)
    assert.equal(isSluiceError(new Error("x")), false)
    assert.equal(isSluiceError(null), false)
  })
})

// The errors that a handler throws: read at once, so that a mistake in them is told where it was made.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSluiceError } from "../../../src/errors/index.ts"
import { PermanentError, RescheduleError, type RescheduleOptions, RetryableError } from "../../../src/task/index.ts"

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

// Instants: a Date, or a time with its zone. A time without one would mean something else on every machine.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { clampInstant, formatInstant, parseInstant } from "../../../src/units/index.ts"

const five = Date.UTC(2026, 0, 28, 17, 0, 0)

describe("an instant", () => {
  it("is a Date or a time with its zone", () => {
    assert.equal(parseInstant("at", new Date(five)), five)
    for (const text of ["2026-01-28T17:00:00Z", "2026-01-28T17:00Z", "2026-01-28T18:00:00+01:00", "2026-01-28T12:00:00.000-0500"]) {
      assert.equal(parseInstant("at", text), five)
    }
    assert.equal(parseInstant("at", "2026-01-28T17:00:00.123456Z"), five + 123)
  })

  it("is refused with what was expected and what came", () => {
    const refused = (value: unknown, shown: string) =>
      assert.throws(() => parseInstant("submit: expiresAt", value), {
        code: "invalid_date",
        message: `submit: expiresAt: expected a Date or a time with its zone such as "2026-01-28T17:00:00Z", got ${shown}`,
      })
    refused("2026-01-28T17:00:00", '"2026-01-28T17:00:00"')
    refused("2026-01-28", '"2026-01-28"')
    refused("tomorrow", '"tomorrow"')
    refused(five, String(five))
    refused(new Date(Number.NaN), "an invalid Date")
    refused(null, "null")
  })

  it("does not roll a day that does not exist over into the next month", () => {
    for (const text of ["2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T12:00:00+02:00", "2026-13-01T00:00:00Z"]) {
      assert.throws(() => parseInstant("at", text), { code: "invalid_date" })
    }
    assert.equal(parseInstant("at", "2028-02-29T00:00:00Z"), Date.UTC(2028, 1, 29))
  })

  it("is printed in UTC, with milliseconds only where there are some", () => {
    assert.equal(formatInstant(five), "2026-01-28T17:00:00Z")
    assert.equal(formatInstant(five + 5), "2026-01-28T17:00:00.005Z")
  })

  it("that was computed stays within what a date can hold", () => {
    assert.equal(clampInstant(five), five)
    assert.equal(formatInstant(clampInstant(Number.MAX_SAFE_INTEGER)), "+275760-09-13T00:00:00Z")
  })
})

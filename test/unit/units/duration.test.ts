// Durations: what is understood, what is refused with the way to write it, and how they are printed.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { formatDuration, formatSeconds, parseDuration, parseSeconds } from "../../../src/units/index.ts"

describe("a duration", () => {
  const understood: readonly (readonly [string, number])[] = [
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
    ["1h 30m", 5_400_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    ["0s", 0],
    ["  10 s ", 10_000],
  ]
  for (const [text, ms] of understood) it(`"${text}" is ${ms} ms`, () => assert.equal(parseDuration("ttl", text), ms))

  it("of 0 needs no unit", () => assert.equal(parseDuration("ttl", 0), 0))

  it("is never shorter than was asked for, and not longer for the sake of binary fractions", () => {
    assert.equal(parseDuration("ttl", "0.1ms"), 1)
    assert.equal(parseDuration("ttl", "2.007s"), 2_007)
    assert.equal(parseSeconds("ttlSeconds", 0.0001), 1)
  })

  it("is refused with what was expected and what came", () => {
    const expected = 'expected a duration such as "500ms", "30s", "5m", "1h" or "7d"'
    for (const [value, shown] of [
      ["", '""'],
      ["soon", '"soon"'],
      ["1h and a bit", '"1h and a bit"'],
      ["5M", '"5M"'],
      ["-5s", '"-5s"'],
      ["1e3s", '"1e3s"'],
      [null, "null"],
      [{}, "an object"],
      [-5, "-5"],
    ] as const) {
      assert.throws(() => parseDuration("submit: ttl", value), {
        code: "invalid_duration",
        message: `submit: ttl: ${expected}, got ${shown}`,
      })
    }
  })

  it("without a unit is refused with the unit that may have been meant", () => {
    assert.throws(() => parseDuration("ttl", 30), /got 30 \(a number has no unit: write "30s" for seconds\)$/)
    assert.throws(() => parseDuration("ttl", "30"), /got "30" \(a number has no unit: write "30s" for seconds\)$/)
  })

  it("has an end", () => {
    assert.throws(() => parseDuration("ttl", "99999999w"), /expected at most 100000 years/)
    assert.throws(() => parseSeconds("ttlSeconds", 1e300), /expected at most 100000 years/)
  })

  it("in seconds is a number, 0 or more", () => {
    assert.equal(parseSeconds("ttlSeconds", 300), 300_000)
    for (const value of ["300", -1, Number.NaN, null, undefined]) {
      assert.throws(() => parseSeconds("ttlSeconds", value), {
        code: "invalid_duration",
        message: /^ttlSeconds: expected a number of seconds, 0 or more, got /,
      })
    }
  })
})

describe("a printed duration", () => {
  const printed: readonly (readonly [number, string])[] = [
    [0, "0ms"],
    [120, "120ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [45_000, "45s"],
    [90_000, "1m 30s"],
    [9_000_000, "2h 30m"],
    [86_400_000, "1d"],
    [90_061_000, "1d 1h"],
    [86_400_000 + 59_000, "1d"],
    [-5_000, "-5s"],
    [1_999, "1s"],
  ]
  for (const [ms, text] of printed) it(`${ms} ms is "${text}"`, () => assert.equal(formatDuration(ms), text))

  it("in seconds keeps its fraction", () => {
    assert.deepEqual([60_000, 1_500, 0, 1].map(formatSeconds), ["60s", "1.5s", "0s", "0.001s"])
  })
})

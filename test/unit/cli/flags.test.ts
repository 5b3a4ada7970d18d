// Options: from text to what the library takes, checked under the name that was typed.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { asDuration, asNumber, asText, onlyOneFlag, orWord, readFlag, readFlags } from "../../../src/cli/flags.ts"
import { orNull, parseDuration, wholeNumber } from "../../../src/units/index.ts"

describe("flags", () => {
  it("become numbers, durations and null where they are written so", () => {
    const shapes = { a: asNumber, b: asNumber, c: asDuration, d: asDuration, e: orWord("never", asDuration), f: asText, g: asText }
    const given = { a: "-5", b: "1.5", c: "0", d: "5m", e: "never", f: "7", other: "x" }
    assert.deepEqual(readFlags(given, shapes, {}), { a: -5, b: 1.5, c: 0, d: "5m", e: null, f: "7" })
  })

  it("that do not fit are named and shown as they were typed", () => {
    const readers = { maxRetries: wholeNumber(0, 10) }
    const read = (maxRetries: string) => readFlags({ maxRetries }, { maxRetries: asNumber }, readers)
    assert.deepEqual(read("10"), { maxRetries: 10 })
    assert.throws(() => read("0x10"), {
      code: "invalid_option",
      message: '--max-retries: expected a whole number from 0 to 10, got "0x10"',
    })
    assert.throws(() => read("1e1"), { message: /got "1e1"$/ })
    assert.throws(() => read(""), { message: /got ""$/ })
  })

  it("are read one by one into what they mean", () => {
    const reader = orNull(parseDuration)
    assert.equal(readFlag({ retention: "1m" }, "retention", orWord("never", asDuration), reader), 60_000)
    assert.equal(readFlag({ retention: "never" }, "retention", orWord("never", asDuration), reader), null)
    assert.equal(readFlag({}, "retention", orWord("never", asDuration), reader), undefined)
  })

  it("that say the same thing exclude each other", () => {
    onlyOneFlag("submit", { ttl: "1h" }, ["ttl", "ttlSeconds"])
    assert.throws(() => onlyOneFlag("submit", { ttl: "1h", ttlSeconds: "1" }, ["ttl", "ttlSeconds"]), {
      message: "submit: expected only one of --ttl, --ttl-seconds, got --ttl and --ttl-seconds",
    })
  })
})

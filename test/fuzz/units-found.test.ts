// What fuzzing the parsers has found, each as a case of its own.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type ErrorCode, shown } from "../../src/errors/index.ts"
import { formatCursor, parseCursor, parseDuration, parseJson, parseRate, readOptions, toJson } from "../../src/units/index.ts"
import { inTime, valueOrRefusal } from "./refusal.ts"

describe("found by fuzzing what is parsed", () => {
  const refusal = (parse: () => unknown, codes: readonly ErrorCode[]): string => {
    const answer = inTime(() => valueOrRefusal(parse, codes))
    assert.ok("refused" in answer, "expected a refusal")
    return answer.refused.message
  }

  it("a rate with a long run of spaces is refused at once, where an expression tried every way to share them out", () => {
    refusal(() => parseRate("rate", `1/${" ".repeat(20_000)}\nx\ny`), ["invalid_rate", "invalid_duration"])
  })

  it("a number that is no duration gets a hint only where the hint is one", () => {
    assert.doesNotMatch(
      refusal(() => parseDuration("ttl", Number.POSITIVE_INFINITY), ["invalid_duration"]),
      /write/,
    )
    assert.doesNotMatch(
      refusal(() => parseDuration("ttl", 1e21), ["invalid_duration"]),
      /write/,
    )
    assert.ok(refusal(() => parseDuration("ttl", "9".repeat(5_000)), ["invalid_duration"]).length < 300)
  })

  it("a duration of thousands of years is exact", () => {
    assert.equal(parseDuration("ttl", "3153599999999994ms"), 3_153_599_999_999_994)
  })

  it("a message about JSON quotes nothing that a terminal obeys", () => {
    assert.match(
      refusal(() => parseJson("--input", "{\n\u009b31m"), ["invalid_input"]),
      /got "\{\\n\\u009b31m" \(.*\)$/,
    )
  })

  it("an object whose constructor is anything can be refused", () => {
    const value: unknown = JSON.parse('{"toJSON": 1, "constructor": {"name": {"toString": 1, "valueOf": 1}}}')
    assert.match(
      refusal(() => toJson("input", value, 1_000), ["invalid_input"]),
      /expected a plain object \(a class would not/,
    )
  })

  it("the path to what is refused is as short and as plain as the rest", () => {
    const message = refusal(() => toJson("input", { [`\n\u202e${"k".repeat(5_000)}`]: Number.NaN }, 1_000_000), ["invalid_input"])
    assert.match(message, /^input\.\\n\\u202ekkk/)
  })

  it("an option that nobody knows is shown, not obeyed", () => {
    assert.match(
      refusal(() => readOptions("submit", { "\u001b[2J": 1 }, {}), ["invalid_option"]),
      /unknown option "\\u001b\[2J"/,
    )
  })

  it("what JSON leaves as it is (C1 controls, bidi marks, line separators) is escaped where a value is shown", () => {
    assert.equal(shown("\u009b\u202e\u2028\u007f"), '"\\u009b\\u202e\\u2028\\u007f"')
    assert.ok(shown(10n ** 400n).length < 100)
  })

  it("the beginning of a cursor is not the cursor of another page", () => {
    const cursor = formatCursor("before", "1234567")
    for (let length = 0; length < cursor.length; length++) {
      refusal(() => parseCursor("before")("cursor", cursor.slice(0, length)), ["invalid_cursor"])
    }
    refusal(() => parseCursor("before")("cursor", `${cursor}!`), ["invalid_cursor"])
    refusal(() => parseCursor("after")("cursor", cursor), ["invalid_cursor"])
  })
})

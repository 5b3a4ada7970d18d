// JSON in: kept exactly or refused with the path to what cannot be kept.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { canonicalJson, parseJson, toJson } from "../../../src/units/index.ts"

const refused = (value: unknown, message: RegExp) =>
  assert.throws(() => toJson("input", value, 1_000_000), { code: "invalid_input", message })

describe("an input", () => {
  it("is written as JSON; a property that is undefined counts as absent", () => {
    assert.equal(toJson("input", { a: [1, "two", null, true], b: undefined }, 1_000), '{"a":[1,"two",null,true]}')
    assert.equal(toJson("input", null, 1_000), "null")
    assert.equal(toJson("input", Object.assign(Object.create(null), { a: 1 }), 1_000), '{"a":1}')
  })

  it("that JSON would bend is refused with its path", () => {
    refused(undefined, /^input: expected a JSON value, got undefined$/)
    refused({ a: { b: () => 1 } }, /^input\.a\.b: expected a JSON value, got a function$/)
    refused([1, undefined], /^input\[1\]: expected a JSON value, got undefined$/)
    refused({ n: 10n }, /^input\.n: expected a JSON value, got 10n$/)
    refused({ n: Number.NaN }, /^input\.n: expected a finite number, got NaN$/)
    refused({ at: new Date(0) }, /^input\.at: expected a plain object \(a Date would not come back as one; convert it first\), got 1970/)
    refused({ m: new Map() }, /^input\.m: expected a plain object \(a Map would not/)
    refused({ toJSON: 1 }, /^input: expected a plain object/)
  })

  it("that some store could not give back exactly is refused", () => {
    refused({ s: "\ud83d" }, /^input\.s: expected well-formed Unicode/)
    refused({ s: "a\u0000b" }, /^input\.s: expected text without NUL/)
    refused({ "\ud83d": 1 }, /^input key: expected well-formed Unicode/)
    refused(JSON.parse('{"__proto__": 1}'), /^input\.__proto__: expected no property of that name/)
    refused(nested(300), /expected at most 200 levels/)
  })

  it("that is too large is refused with both sizes and the way out", () => {
    assert.throws(() => toJson("input", "x".repeat(2_000), 1_024), {
      code: "input_too_large",
      message: "input: expected at most 1.0 KiB of JSON, got 2.0 KiB; store it elsewhere and pass a reference, or raise maxInputBytes",
    })
  })

  it("is measured in bytes, not in characters", () => {
    assert.equal(toJson("input", "ä".repeat(10), 22).length, 12)
    assert.throws(() => toJson("input", "ä".repeat(10), 21), { code: "input_too_large" })
  })
})

describe("text that is to be JSON", () => {
  it("is refused with what came and why", () => {
    assert.deepEqual(parseJson("input", '{"a": 1}'), { a: 1 })
    assert.throws(() => parseJson("--input", "{oops"), { code: "invalid_input", message: /^--input: expected JSON, got "\{oops" \(.+\)$/ })
  })
})

describe("canonical JSON", () => {
  it("is the same for every order of properties, not for every order of items", () => {
    assert.equal(canonicalJson({ b: { d: 1, c: 2 }, a: 3 }), canonicalJson({ a: 3, b: { c: 2, d: 1 } }))
    assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  })
})

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

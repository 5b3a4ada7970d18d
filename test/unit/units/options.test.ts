// Options are read once, at the edge; what nobody knows is refused with the nearest that is known.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { anything, listOf, nearest, oneOf, onlyOne, orNull, parseDuration, readOptions, wholeNumber } from "../../../src/units/index.ts"

const readers = {
  ttl: parseDuration,
  maxRetries: wholeNumber(0, 1_000),
  tags: listOf(oneOf("red", "green")),
  priority: wholeNumber(-100, 100),
}
const read = (options: unknown) => readOptions("submit", options, readers)

describe("options", () => {
  it("are read by name; what is absent or undefined is left out", () => {
    assert.deepEqual(read({ ttl: "1h", maxRetries: 5, priority: undefined }), { ttl: 3_600_000, maxRetries: 5 })
    assert.deepEqual(read(undefined), {})
    assert.deepEqual(read({}), {})
  })

  it("that nobody knows are refused with the nearest that is known", () => {
    assert.throws(() => read({ maxretries: 3 }), {
      code: "invalid_option",
      message: 'submit: unknown option "maxretries"; did you mean "maxRetries"?',
    })
    assert.throws(() => read({ prioritiy: 3 }), /did you mean "priority"\?/)
    assert.throws(() => read({ colour: 3 }), /unknown option "colour"; known are ttl, maxRetries, tags, priority$/)
    assert.throws(() => read({ toString: 3 }), /unknown option "toString"/)
    assert.throws(() => read(JSON.parse('{"__proto__": 1}')), /unknown option "__proto__"/)
  })

  it("have to be an object", () => {
    for (const [value, shown] of [
      [null, "null"],
      [[], "an array"],
      ["ttl", '"ttl"'],
      [5, "5"],
    ] as const) {
      assert.throws(() => read(value), { code: "invalid_option", message: `submit: expected an object of options, got ${shown}` })
    }
  })

  it("that are wrong are told by name", () => {
    assert.throws(() => read({ ttl: "later" }), /^SluiceError: submit: ttl: expected a duration/)
    assert.throws(() => read({ maxRetries: 1.5 }), /submit: maxRetries: expected a whole number from 0 to 1000, got 1.5/)
    assert.throws(() => read({ maxRetries: -1 }), /submit: maxRetries: expected a whole number from 0 to 1000, got -1/)
    assert.throws(() => read({ maxRetries: "3" }), /submit: maxRetries: expected a whole number from 0 to 1000, got "3"/)
    assert.throws(() => read({ tags: "red" }), /submit: tags: expected an array, got "red"/)
    assert.throws(() => read({ tags: ["red", "gren"] }), /submit: tags\[1\]: expected red, green, got "gren"; did you mean "green"\?/)
    assert.throws(() => read({ tags: [7] }), /submit: tags\[0\]: expected red, green, got 7$/)
  })

  it("may be null where null means never", () => {
    const reader = orNull(wholeNumber(0, 10))
    assert.deepEqual([reader("cap", null), reader("cap", 3)], [null, 3])
    assert.throws(() => reader("cap", "x"))
  })

  it("that exclude each other are told together", () => {
    onlyOne("submit", { ttl: 1, other: 2 }, ["ttl", "ttlSeconds", "expiresAt"])
    assert.throws(() => onlyOne("submit", { ttl: 1, expiresAt: 2 }, ["ttl", "ttlSeconds", "expiresAt"]), {
      code: "invalid_option",
      message: "submit: expected only one of ttl, ttlSeconds, expiresAt, got ttl and expiresAt",
    })
  })

  it("that another part checks are passed on as they are", () => {
    const { signal } = new AbortController()
    assert.equal(anything<AbortSignal>()("signal", signal), signal)
  })
})

describe("the nearest word", () => {
  it("is within two edits, and not further than half of the word", () => {
    assert.equal(nearest("pirority", ["priority", "ttl"]), "priority")
    assert.equal(nearest("TTL", ["priority", "ttl"]), "ttl")
    assert.equal(nearest("tl", ["ttl"]), "ttl")
    assert.equal(nearest("x", ["y"]), null)
    assert.equal(nearest("expiry", ["priority"]), null)
    assert.equal(nearest("expires", ["expiresAfter"]), null)
    assert.equal(nearest("expiresAfter", ["expires"]), null)
    assert.equal(nearest("anything", []), null)
  })
})

// Names and keys: what is safe in a path, a key or a URL, and what is only looked up.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { parseKey, parseName } from "../../../src/units/index.ts"

describe("a name", () => {
  it("has letters, digits and a few signs", () => {
    for (const name of ["send_email", "a", "A-1", "billing:invoice.v2", "_x", "-x", "9", "x".repeat(128)])
      assert.equal(parseName("type", name), name)
  })

  it("is refused with what was expected and what came", () => {
    const expected = 'expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":"'
    for (const name of ["", ".", "..", ".x", ":x", "a b", "a/b", "ä", "a\n", "x".repeat(129), 7, null]) {
      assert.throws(
        () => parseName("task type", name),
        (error: Error & { code?: string }) => error.code === "invalid_name" && error.message.startsWith(`task type: ${expected}, got `),
      )
    }
  })
})

describe("a key", () => {
  it("is any printable text", () => {
    for (const key of ["order-1", "user 7 / día 3", "🔑", "x".repeat(512)]) assert.equal(parseKey("idempotencyKey", key), key)
  })

  it("is refused with what was expected and what came", () => {
    for (const key of ["", "a\u0000b", "a\nb", "\u007f", "\ud800", "x".repeat(513), 7, undefined]) {
      assert.throws(() => parseKey("idempotencyKey", key), {
        code: "invalid_name",
        message: /^idempotencyKey: expected 1 to 512 characters without control characters, got /,
      })
    }
  })

  it("is cut in the message, not told whole", () => {
    assert.throws(
      () => parseKey("idempotencyKey", "x".repeat(5_000)),
      (error: Error) => error.message.length < 200,
    )
  })
})

// Text of others on a terminal.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { oneLine, plain } from "../../../src/cli/plain.ts"

describe("plain", () => {
  it("shows control characters instead of obeying them", () => {
    assert.equal(plain("a\nb\tc\u001b[2J\u0007\u009b\u202e"), "a\\nb\\tc\\u001b[2J\\u0007\\u009b\\u202e")
  })

  it("leaves all other text as it is", () => {
    const text = 'naïve "quotes" \\ 漢字 🚰 {"a": 1}'
    assert.equal(plain(text), text)
  })

  it("joins the lines of a message", () => {
    assert.equal(oneLine("  expected this,\r\n  got that\n\n"), "expected this, got that")
  })
})

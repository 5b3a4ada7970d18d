// The table for people.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { table } from "../../../src/cli/table.ts"

const cells = (...texts: string[]) => texts.map((text) => ({ text }))

describe("table", () => {
  it("makes columns as wide as what is in them, numbers at the right, no space at the end", () => {
    const rows = [cells("NAME", "COUNT", "WHY"), cells("a", "1", ""), cells("longer", "12345678", "x")]
    assert.deepEqual(table(rows, { right: [1], width: null }), ["NAME       COUNT  WHY", "a              1", "longer  12345678  x"])
  })

  it("cuts the last column where the terminal ends, and shows that it did", () => {
    assert.deepEqual(table([cells("abc", "a long story")], { width: 12 }), ["abc  a lo..."])
    assert.deepEqual(table([cells("abc", "a long story")], { width: 6 }), ["abc"])
    assert.deepEqual(table([cells("abc", "a long story")], { width: 17 }), ["abc  a long story"])
  })

  it("paints after measuring", () => {
    const red = { text: "x", paint: (text: string) => `<red>${text}</red>` }
    assert.deepEqual(table([[red, { text: "y" }], cells("abc", "z")], { width: null }), ["<red>x</red>    y", "abc  z"])
  })

  it("of nothing is nothing", () => {
    assert.deepEqual(table([], { width: 80 }), [])
  })
})

// Sizes: whole bytes in, one decimal out.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { formatSize, parseSize } from "../../../src/units/index.ts"

describe("a size", () => {
  it("is a number of bytes, or has a unit", () => {
    assert.deepEqual(
      ["1B", "256KiB", "4 MiB", " 1GiB ", 500].map((size) => parseSize("max", size)),
      [1, 262_144, 4_194_304, 1_073_741_824, 500],
    )
  })

  it("is refused with what was expected and what came", () => {
    for (const [value, shown] of [
      ["4MB", '"4MB"'],
      ["1.5MiB", '"1.5MiB"'],
      ["500", '"500"'],
      [0, "0"],
      [-1, "-1"],
      [1.5, "1.5"],
      ["99999999999GiB", '"99999999999GiB"'],
      [undefined, "undefined"],
    ] as const) {
      const message = `maxInputBytes: expected a size such as "256KiB", "4MiB" or a number of bytes, got ${shown}`
      assert.throws(() => parseSize("maxInputBytes", value), { code: "invalid_size", message })
    }
  })

  it("is printed in the largest unit that it fills", () => {
    assert.deepEqual([0, 1_023, 1_024, 1_536, 1_048_576, 1_073_741_824].map(formatSize), [
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 KiB",
      "1.0 MiB",
      "1.0 GiB",
    ])
  })
})

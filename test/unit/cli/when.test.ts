// Times seen from a now.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { instantAndRelative, relative } from "../../../src/cli/when.ts"

describe("relative", () => {
  it("says how long until, how long ago, or now", () => {
    assert.equal(relative(9_000_000, 0), "in 2h 30m")
    assert.equal(relative(0, 180_000), "3m ago")
    assert.equal(relative(500, 0), "in 500ms")
    assert.equal(relative(7, 7), "now")
  })

  it("stands behind the instant", () => {
    assert.equal(instantAndRelative(new Date("2026-01-28T17:00:00Z"), new Date("2026-01-28T14:30:00Z")), "2026-01-28T17:00:00Z (in 2h 30m)")
  })
})

// What --json prints is JSON, on one line, whatever is in it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { jsonLine } from "../../../src/cli/json-line.ts"

describe("jsonLine", () => {
  it("has a space after colons and commas", () => {
    assert.equal(
      jsonLine({ pending: 3, running: 1, tags: ["a", "b"], none: null, empty: {} }),
      '{"pending": 3, "running": 1, "tags": ["a", "b"], "none": null, "empty": {}}',
    )
  })

  it("leaves out what is undefined", () => {
    assert.equal(jsonLine({ a: undefined, b: 1 }), '{"b": 1}')
  })

  it("says the same as JSON.stringify, on one line", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const line = jsonLine(value)
        assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(value)))
        assert.ok(!line.includes("\n"))
      }),
    )
  })
})

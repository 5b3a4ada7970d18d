// How far forecasts were off, out of counts by size.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { boundText } from "../../../src/cli/forecast-error.ts"
import { summarise } from "../../../src/queue/forecast-summary.ts"

describe("summarise", () => {
  it("gives the bound below which half, and 99 in 100, of the errors were", () => {
    assert.deepEqual(summarise({ 3: 50, 10: 49, 12: 1 }), { count: 100, p50Ms: 8, p99Ms: 1_024 })
    assert.deepEqual(summarise({ 12: 2, 3: 49, 10: 49 }), { count: 100, p50Ms: 1_024, p99Ms: 4_096 })
    assert.deepEqual(summarise({ 0: 1 }), { count: 1, p50Ms: 1, p99Ms: 1 })
  })

  it("of nothing is nothing", () => {
    assert.deepEqual(summarise({}), { count: 0, p50Ms: 0, p99Ms: 0 })
  })
})

describe("boundText", () => {
  it("is rounded up, so that it stays true", () => {
    assert.deepEqual([1, 512, 1_024, 32_768, 65_536, 1_048_576, 4_194_304].map(boundText), [
      "< 1ms",
      "< 512ms",
      "< 1.1s",
      "< 32.8s",
      "< 2m",
      "< 18m",
      "< 2h",
    ])
  })
})

// The one warning that loading a driver gives is held back, and no other.

import { deepEqual, equal, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { quietly } from "../../../src/stores/sqlite/quietly.ts"

describe("loading node:sqlite", () => {
  it("says nothing of its being new, lets other warnings through, and leaves the process as it was", (t) => {
    const { emitWarning } = process
    t.after(() => {
      process.emitWarning = emitWarning
    })
    const warned: unknown[][] = []
    const listen = (...given: unknown[]) => void warned.push(given)
    process.emitWarning = listen as typeof emitWarning
    const loaded = quietly(() => {
      process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning")
      process.emitWarning("something else", "DeprecationWarning")
      return 7
    })
    equal(loaded, 7)
    deepEqual(warned, [["something else", "DeprecationWarning"]])
    throws(() =>
      quietly(() => {
        throw new Error("not there")
      }),
    )
    equal(process.emitWarning, listen)
  })
})

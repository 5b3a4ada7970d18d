// When slots come free: the first moment at which so many of those who hold some are gone that the cost fits.

import { equal } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { emptyGate, type GatePolicy, gateOpensAtUs, neverUs } from "../../../src/limits/index.ts"
import { runs } from "../runs.ts"

const nowUs = 1_000

describe("a gate with slots", () => {
  it("opens when enough of them are free, whoever holds how many and however long", () => {
    const holder = fc.record({ untilUs: fc.integer({ min: 900, max: 1_100 }), slots: fc.integer({ min: 1, max: 4 }) })
    fc.assert(
      fc.property(
        fc.array(holder, { maxLength: 12 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 10 }),
        (list, bound, cost) => {
          const policy: GatePolicy = { rates: [], concurrency: bound }
          const holders = list.map((one, i) => ({ id: `${i}`, fence: 1, ...one }))
          const heldAt = (atUs: number) => holders.reduce((sum, { untilUs, slots }) => sum + (untilUs > atUs ? slots : 0), 0)
          const times = [nowUs, ...holders.map(({ untilUs }) => untilUs).filter((untilUs) => untilUs > nowUs)].sort((a, b) => a - b)
          const expected = cost > bound ? neverUs : times.find((atUs) => heldAt(atUs) + cost <= bound)
          equal(gateOpensAtUs(policy, { ...emptyGate(policy), holders }, nowUs, cost), expected)
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

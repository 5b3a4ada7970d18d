// Nothing that the checker can find may be missing from the closing line.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkHistory, rules, type ViolationKind } from "../../src/testing/index.ts"
import type { ChaosResult } from "./chaos.ts"
import { closingLine, isGood, totalsOf } from "./closing-line.ts"
import type { StormResult } from "./storm.ts"

const { totals } = checkHistory([])

function resultWith(kinds: readonly ViolationKind[]): ChaosResult {
  const violations = kinds.map((kind) => ({ kind, about: "x", message: "x" }))
  const storm = {
    done: { kills: 1, pauses: 2, restarts: 3, cuts: 4, partitions: 5 },
    report: { violations, totals },
  } as unknown as StormResult
  return { options: { store: "sqlite" }, durationMs: 1, storms: [storm], slots: null, losses: null, kept: [] } as unknown as ChaosResult
}

describe("the closing line", () => {
  for (const kind of Object.keys(rules) as ViolationKind[]) {
    it(`is not good with one ${kind}`, () => assert.equal(isGood(totalsOf(resultWith([kind]))), false))
  }

  it("names every total", () => {
    const line = closingLine("sqlite", { ...totalsOf(resultWith(["lost", "slot_leak", "slot_leak"])), slotUse: 0.9876 })
    assert.equal(
      line,
      "chaos sqlite: 0 tasks, 0 kills, 2 pauses, 3 restarts, 4 cuts, 5 partitions, 0 lost replies: 1 lost, 0 double-terminal, 0 stale settles accepted, 0 window excess, 2 slots leaked, 0 unattributed duplicates, 0 other violations; 98.76 % slot use",
    )
  })

  it("is good where nothing was broken, unless too few slots were used", () => {
    const good = totalsOf(resultWith([]))
    assert.equal(isGood(good), true)
    assert.equal(isGood({ ...good, slotUse: 0.98 }), true)
    assert.equal(isGood({ ...good, slotUse: 0.9799 }), false)
  })
})

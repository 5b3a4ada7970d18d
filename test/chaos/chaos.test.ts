// A tenth of `npm run chaos -- sqlite --tasks 100000 --kills 1000`: worker and submitter processes that are killed and stopped, over
// a line that loses calls, on one SQLite file; and the slots that are used meanwhile (B8).

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { chaos } from "./chaos.ts"
import { closingLine, leastSlotUse, totalsOf } from "./closing-line.ts"
import { table } from "./table.ts"

const seed = 1 + Math.floor(Math.random() * 999_999)
const options = { store: "sqlite", tasks: 10_000, kills: 100, pauses: 20, restarts: 0, workers: 4, seed, hours: null, json: false } as const
const noLoss = {
  lost: 0,
  doubleTerminal: 0,
  staleSettlesAccepted: 0,
  windowExcess: 0,
  slotsLeaked: 0,
  unattributedDuplicates: 0,
  otherViolations: 0,
}

describe("chaos on SQLite", () => {
  it("loses nothing under 100 kills and 20 pauses", { timeout: 400_000 }, async (t) => {
    const result = await chaos({ ...options, only: "storm" }, () => {})
    const totals = totalsOf(result)
    const [storm] = result.storms
    const told = `${table(result)}\n${closingLine("sqlite", totals)}`
    t.diagnostic(closingLine("sqlite", totals))
    assert.deepEqual({ ...totals, ...noLoss }, totals, told)
    assert.ok(totals.tasks >= options.tasks && totals.kills === options.kills && totals.pauses === options.pauses, told)
    // What was not put to the test was not shown.
    const { lostLeases, refusedSettles, admissions, slotsTaken } = storm?.report.totals ?? assert.fail(told)
    for (const count of [totals.lostReplies, lostLeases, refusedSettles, admissions, slotsTaken]) assert.ok(count > 0, told)
  })

  it("uses the slots of a limit while jobs are killed and processes stand still", { timeout: 200_000 }, async (t) => {
    const result = await chaos({ ...options, only: "slots" }, () => {})
    const totals = totalsOf(result)
    const told = `${table(result)}\n${closingLine("sqlite", totals)}`
    t.diagnostic(closingLine("sqlite", totals))
    assert.deepEqual({ ...totals, ...noLoss }, totals, told)
    assert.ok(totals.kills > 0 && totals.pauses > 0, told)
    assert.ok((totals.slotUse ?? 0) >= leastSlotUse, told)
  })
})

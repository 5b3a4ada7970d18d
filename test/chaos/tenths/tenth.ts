// A tenth of what `npm run chaos -- <store> --tasks 100000 --kills 1000` does, as tests: worker and submitter processes that are killed and
// stopped, over a line that loses calls, with a server that is killed too where there is one; and the slots that are used meanwhile (B8).

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Part, readArguments } from "../arguments.ts"
import { type ChaosResult, chaos } from "../chaos.ts"
import { closingLine, leastSlotUse, type Totals, totalsOf } from "../closing-line.ts"
import { table } from "../table.ts"

const noLoss = {
  lost: 0,
  doubleTerminal: 0,
  staleSettlesAccepted: 0,
  windowExcess: 0,
  slotsLeaked: 0,
  unattributedDuplicates: 0,
  otherViolations: 0,
}

interface Seen {
  readonly result: ChaosResult
  readonly totals: Totals
  /** For a message. */
  readonly told: string
}

async function ran(store: string, words: readonly string[], only: Part, say: (line: string) => void): Promise<Seen> {
  const read = readArguments([store, "--only", only, ...words])
  if ("text" in read) assert.fail(read.text)
  const result = await chaos(read.options, () => {})
  const totals = totalsOf(result)
  const line = closingLine(store, totals)
  say(line)
  const told = `${table(result)}\n${line}`
  assert.deepEqual({ ...totals, ...noLoss }, totals, told)
  return { result, totals, told }
}

/** `least` is what has to have been done: what was not put to the test was not shown. */
export function stormOn(store: string, words: readonly string[], least: Partial<Record<keyof Totals, number>>): void {
  describe(`chaos on ${store}`, () => {
    it("loses nothing", { timeout: 400_000 }, async (t) => {
      const { result, totals, told } = await ran(store, words, "storm", (line) => t.diagnostic(line))
      for (const [name, count] of Object.entries(least)) assert.ok((totals[name as keyof Totals] ?? 0) >= count, `${name}: ${told}`)
      const { lostLeases, refusedSettles, admissions, slotsTaken } = result.storms[0]?.report.totals ?? assert.fail(told)
      for (const count of [totals.lostReplies, lostLeases, refusedSettles, admissions, slotsTaken]) assert.ok(count > 0, told)
    })
  })
}

/** Takes a minute whatever the store is. */
export function slotsOn(store: string, words: readonly string[]): void {
  describe(`slots on ${store}`, () => {
    it("uses the slots of a limit while jobs are killed and processes stand still", { timeout: 200_000 }, async (t) => {
      const { totals, told } = await ran(store, words, "slots", (line) => t.diagnostic(line))
      assert.ok(totals.kills > 0 && totals.pauses > 0, told)
      assert.ok((totals.slotUse ?? 0) >= leastSlotUse, told)
    })
  })
}

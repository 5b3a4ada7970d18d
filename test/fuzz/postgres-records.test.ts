// Rows that were damaged: whatever stands in them, every operation answers, or refuses with an error that names what is damaged. No step
// goes on for ever, and no other task is ended or lost over it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import type { ErrorCode } from "../../src/errors/index.ts"
import type { Store } from "../../src/store/contract.ts"
import { open } from "../../src/stores/postgres/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { runs } from "../property/runs.ts"
import { BoundedWorld, movedIds, operate } from "./operate.ts"
import { type DamagedRow, damageRow, type RowDamage, rowDamage } from "./postgres-damage.ts"
import { makeFullPostgres } from "./postgres-full.ts"
import { assertRefusal } from "./refusal.ts"

/** Not a measure of speed: whatever is still at it after this long would be so for hours. */
const longestMs = 30_000
const full = await makeFullPostgres()
const ended = new Set(["completed", "failed", "cancelled", "expired", "archived"])
const ofJob = new Set(await full.onCopy(tasksOfJob))
const nothing: DamagedRow = { table: "none", column: "", seq: null, from: "", to: "" }

async function tasksOfJob(url: string): Promise<string[]> {
  const store = await open({ url, namespace: "default", world: new BoundedWorld({ startMs: full.nowMs }) })
  const { tasks } = await store.list({ ...everything, jobId: full.ids.job ?? "" })
  await store.close()
  return tasks.map(({ id }) => id)
}

interface Found {
  readonly damaged: DamagedRow
  readonly statuses: ReadonlyMap<string, string>
  /** By number, before anything was damaged. */
  readonly idOf: ReadonlyMap<string, string>
}

/** Damages one value, runs everything, and gives what is there then; null where there was nothing to damage. */
async function survive(url: string, one: RowDamage | null, codes: readonly ErrorCode[]): Promise<Found | null> {
  const admin = await postgresAdmin(url)
  const world = new BoundedWorld({ startMs: full.nowMs })
  let store: Store | null = null
  const late = setTimeout(() => {
    process.emitWarning(`a step goes on for ever: ${JSON.stringify(one)}`)
    process.exit(1)
  }, longestMs)
  try {
    const idOf = new Map((await admin.rows("select seq::text, id from sluice.tasks")).map(({ seq, id }) => [String(seq), String(id)]))
    const damaged = one ? await damageRow(admin, one) : nothing
    if (!damaged) return null
    try {
      store = await open({ url, namespace: "default", world })
      await operate(store, full, codes)
    } catch (error) {
      if (store) throw new Error(`${JSON.stringify(damaged)}: ${(error as Error).message}`, { cause: error })
      assertRefusal(error, codes)
    }
    const rows = await admin.rows("select id, status from sluice.tasks where ns = (select min(ns) from sluice.namespaces)")
    return { damaged, idOf, statuses: new Map(rows.map(({ id, status }) => [String(id), String(status)])) }
  } finally {
    clearTimeout(late)
    await store?.close()
    await admin.close()
    assert.equal(world.armedTimers, 0, "a timer was left behind")
  }
}

/** Columns without which nobody can tell what a task was. */
const identity = ["", "seq", "ns", "id", "status"]

/** Every other task is there, and has ended only if it had. */
function nobodySuffers({ damaged, statuses, idOf }: Found): void {
  // Time itself was damaged, in one of its two places: what is over by the clock is over. Or everything was somebody else's.
  if (damaged.table === "namespaces" || damaged.table === "tallies") return
  for (const [id, before] of full.statuses) {
    const isIts = damaged.table === "tasks" && idOf.get(damaged.seq ?? "") === id
    if (isIts && identity.includes(damaged.column)) continue
    const now = statuses.get(id)
    assert.ok(now !== undefined, `task ${id} was lost`)
    if (movedIds(full).has(id)) continue
    if (ended.has(before) && !isIts) assert.equal(now, before, `task ${id}`)
    // A job that says it was ended takes its tasks along.
    if (damaged.table === "jobs" && ofJob.has(id)) continue
    // Only one of those that wait is past its expiry.
    if (before === "pending" && id !== full.ids.overdue) assert.ok(!ended.has(now) || isIts, `task ${id} is ${now}`)
  }
}

describe("fuzz: stored rows of Postgres", () => {
  it("that are sound survive everything, so that what follows means something", async () => {
    const found = await full.onCopy((url) => survive(url, null, []))
    assert.ok(found)
    nobodySuffers(found)
  })

  it("with one that is damaged: an answer or a typed error, and nobody else suffers", async () => {
    await fc.assert(
      fc.asyncProperty(rowDamage, async (one) => {
        const found = await full.onCopy((url) => survive(url, one, ["store_damaged"]))
        if (!found) return
        try {
          nobodySuffers(found)
        } catch (error) {
          throw new Error(`${JSON.stringify(found.damaged)}: ${(error as Error).message}`, { cause: error })
        }
      }),
      { numRuns: runs(12) },
    )
  })
})

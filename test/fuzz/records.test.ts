// Stored records with flipped bits: whatever stands in the tables, every operation answers, or refuses with an error that names
// what is damaged. It never crashes and never goes on for ever, and no other task is ended or lost over it.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import fc from "fast-check"
import type { ErrorCode } from "../../src/errors/index.ts"
import { openDatabase } from "../../src/stores/sqlite/driver.ts"
import { open } from "../../src/stores/sqlite/index.ts"
import { runs } from "../property/runs.ts"
import { type Damaged, damage, damageFile } from "./damage.ts"
import { makeFullStore } from "./full-store.ts"
import { BoundedWorld, movedIds, operate } from "./operate.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-records-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const full = await makeFullStore()
let made = 0

const ended = new Set(["completed", "failed", "cancelled", "expired", "archived"])

/** Runs everything on the file as it is, and gives the statuses that are there then. */
async function survive(path: string, codes: readonly ErrorCode[] = ["store_damaged"]): Promise<Map<string, string>> {
  const world = new BoundedWorld({ startMs: full.nowMs })
  const store = await open({ url: `sqlite:${path}?durability=normal`, namespace: "default", world })
  await operate(store, full, codes)
  await store.close()
  assert.equal(world.armedTimers, 0, "a timer was left behind")
  const database = await openDatabase(path)
  const rows = database.prepare("SELECT hex(id), hex(status) FROM tasks WHERE ns = 1").rows()
  database.close()
  return new Map(rows.map(([id, status]) => [text(id), text(status)]))
}

const text = (hex: unknown) => Buffer.from(String(hex), "hex").toString()

/** Columns without which nobody can tell what a task was. */
const identity = ["seq", "ns", "id", "status"]

/** Every task is there, and what had ended has stayed as it was: all others in any case, and the damaged one as far as it can be told. */
function nobodySuffers(found: ReadonlyMap<string, string>, damaged: Damaged): void {
  // Time itself was damaged: what is over by the clock is over.
  if (damaged.table === "namespaces") return
  for (const [id, before] of full.statuses) {
    if (damaged.table === "tasks" && rowOf.get(id) === damaged.key && identity.includes(damaged.column)) continue
    const now = found.get(id)
    assert.ok(now !== undefined, `task ${id} was lost`)
    if (movedIds(full).has(id)) continue
    if (ended.has(before)) assert.equal(now, before, `task ${id}`)
    // Only one of those that wait is past its expiry.
    if (before === "pending" && id !== full.ids.overdue) assert.ok(!ended.has(now) || rowOf.get(id) === damaged.key, `task ${id} is ${now}`)
  }
  // A task that is damaged does not keep others from being rescued.
  const lost = full.ids.lost ?? ""
  if (damaged.table === "tasks" && rowOf.get(lost) !== damaged.key) assert.notEqual(found.get(lost), "running", "nobody was rescued")
}

const rowOf = await rowNumbers()

async function rowNumbers(): Promise<Map<string, string>> {
  const path = join(folder, "rows.db")
  writeFileSync(path, full.file)
  const database = await openDatabase(path)
  const rows = database.prepare("SELECT hex(id), seq FROM tasks").rows()
  database.close()
  return new Map(rows.map(([id, seq]) => [text(id), String(seq)]))
}

describe("fuzz: stored records", () => {
  it("that are sound survive everything, so that what follows means something", async () => {
    const path = join(folder, "sound.db")
    writeFileSync(path, full.file)
    nobodySuffers(await survive(path, []), { table: "none", column: "", key: "", from: "", to: "" })
  })

  it("with one damaged value: an answer or a typed error, and nobody else suffers", async () => {
    await fc.assert(
      fc.asyncProperty(damage, async (one) => {
        const path = join(folder, `r${made++}.db`)
        writeFileSync(path, full.file)
        const damaged = await damageFile(path, one)
        try {
          if (damaged) nobodySuffers(await survive(path), damaged)
        } catch (error) {
          throw new Error(`${JSON.stringify(damaged)}: ${(error as Error).message}`, { cause: error })
        } finally {
          for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
        }
      }),
      { numRuns: runs(35) },
    )
  })
})

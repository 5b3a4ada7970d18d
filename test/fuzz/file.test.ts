// The database file with flipped bits: header, pages, the log beside it. Whatever SQLite makes of it, Sluice answers, or says in an
// error of its own that the file is damaged. Nothing crashes, nothing goes on for ever.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import fc from "fast-check"
import type { ErrorCode } from "../../src/errors/index.ts"
import type { Store } from "../../src/store/contract.ts"
import { open } from "../../src/stores/sqlite/index.ts"
import { runs } from "../property/runs.ts"
import { makeFullStore } from "./full-store.ts"
import { BoundedWorld, operate } from "./operate.ts"
import { assertRefusal } from "./refusal.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-damaged-file-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const full = await makeFullStore()
const codes: readonly ErrorCode[] = ["store_damaged", "not_a_database", "schema_too_new", "store_unavailable", "store_full"]
let made = 0

interface FileDamage {
  readonly where: "header" | "page" | "anywhere" | "cut"
  readonly at: number
  readonly byte: number
}

const damages = fc.array(
  fc.record({ where: fc.constantFrom("header", "page", "anywhere", "anywhere", "anywhere", "cut"), at: fc.nat(), byte: fc.nat(255) }),
  { minLength: 1, maxLength: 3 },
)

/** A bit of the header, of the start of a page, or anywhere; or the end is missing. */
function withDamage(bytes: Buffer, list: readonly FileDamage[]): Buffer {
  let copy = Buffer.from(bytes)
  for (const { where, at, byte } of list) {
    if (copy.length === 0) break
    if (where === "cut") {
      copy = copy.subarray(0, at % copy.length)
      continue
    }
    const place = { header: at % 100, page: (at % Math.ceil(copy.length / 4_096)) * 4_096 + (byte % 12), anywhere: at }[where] % copy.length
    copy[place] = where === "anywhere" && byte > 127 ? byte : (copy[place] ?? 0) ^ (1 << (byte % 8))
  }
  return copy
}

async function survive(files: Readonly<Record<string, Buffer>>): Promise<void> {
  const path = join(folder, `f${made++}.db`)
  for (const [suffix, bytes] of Object.entries(files)) writeFileSync(path + suffix, bytes)
  const world = new BoundedWorld({ startMs: full.nowMs })
  let store: Store | null = null
  try {
    store = await open({ url: `sqlite:${path}?durability=normal`, namespace: "default", world })
    await operate(store, full, codes)
  } catch (error) {
    if (store) throw error
    assertRefusal(error, codes)
  } finally {
    await store?.close()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
  }
  assert.equal(world.armedTimers, 0, "a timer was left behind")
}

describe("fuzz: the database file", () => {
  it("with damage anywhere in it: an answer or a typed error", async () => {
    await fc.assert(
      fc.asyncProperty(damages, (list) => survive({ "": withDamage(full.file, list) })),
      { numRuns: runs(30) },
    )
  })

  it("as a crash leaves it, with damage to its log: an answer or a typed error", async () => {
    const { file, log } = full.crashed
    await fc.assert(
      fc.asyncProperty(damages, (list) => survive({ "": file, "-wal": withDamage(log, list) })),
      { numRuns: runs(10) },
    )
  })
})

// A store that was damaged in a known way, for the cases that fuzzing has found.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import Libsql from "libsql"
import { open } from "../../src/stores/sqlite/index.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { makeFullStore } from "./full-store.ts"
import { BoundedWorld } from "./operate.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-found-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const full = await makeFullStore()
let made = 0

export const { ids } = full
export const id = (name: string) => ({ id: ids[name] ?? "" })

/** The file after these statements. By the driver that lets a schema be written to; the store has whichever it has. */
export function damagedFile(damage: string | ((database: Libsql.Database) => void)): string {
  const path = join(folder, `found${made++}.db`)
  writeFileSync(path, full.file)
  const database = new Libsql(path)
  if (typeof damage === "string") database.exec(damage)
  else damage(database)
  database.close()
  return path
}

export async function opened(path: string): Promise<Desk> {
  const world = new BoundedWorld({ startMs: full.nowMs })
  return new Desk(await open({ url: `sqlite:${path}?durability=normal`, namespace: "default", world }), world)
}

/** A desk at the damaged store, for as long as the test needs it. */
export async function withDamage(
  damage: string | ((database: Libsql.Database) => void),
  test: (desk: Desk, path: string) => Promise<void>,
): Promise<void> {
  const path = damagedFile(damage)
  const desk = await opened(path)
  try {
    await test(desk, path)
  } finally {
    await desk.store.close()
  }
}

export function refuses(call: Promise<unknown>, message: RegExp): Promise<void> {
  return assert.rejects(call, { code: "store_damaged", retryable: false, message })
}

/** Changes a table behind the back of one of its indexes. */
export function withoutIndex(database: Libsql.Database, index: string, sql: string): void {
  const { rootpage, tbl_name: table, ...is } = database.prepare(`SELECT * FROM sqlite_schema WHERE name = '${index}'`).get() as Schema
  const schema = (change: string) => database.exec(`PRAGMA writable_schema = ON; ${change}; PRAGMA writable_schema = RESET`)
  schema(`DELETE FROM sqlite_schema WHERE name = '${index}'`)
  database.exec(sql)
  schema(`INSERT INTO sqlite_schema VALUES ('index', '${index}', '${table}', ${rootpage}, '${is.sql.replaceAll("'", "''")}')`)
}

interface Schema {
  readonly rootpage: number
  readonly tbl_name: string
  readonly sql: string
}

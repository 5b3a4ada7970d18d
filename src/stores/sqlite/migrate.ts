// The schema, brought up to date step by step. Numbers are the files' own; `user_version` says how far a database has come.

import { readdirSync, readFileSync } from "node:fs"
import { SluiceError } from "../../errors/index.ts"
import type { Database } from "./driver.ts"

/** "SLUC": marks a database as Sluice's. */
const applicationId = 0x534c5543
const folder = new URL("./migrations/", import.meta.url)

export interface Migration {
  readonly number: number
  readonly name: string
}

export function migrations(): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 3)), name }))
}

export function schemaVersion(database: Database): number {
  return pragma(database, "user_version")
}

/** Under the lock, so that two processes that start at once migrate one after the other and the second finds nothing to do. */
export function migrate(database: Database, path: string): void {
  const known = migrations()
  const newest = known.at(-1)?.number ?? 0
  checkOwner(database, path)
  if (schemaVersion(database) === newest) return
  database.exec("BEGIN IMMEDIATE")
  try {
    const version = schemaVersion(database)
    if (version > newest) throw tooNew(path, version, newest)
    for (const { number, name } of known.filter((migration) => migration.number > version)) {
      database.exec(readFileSync(new URL(name, folder), "utf8"))
      database.exec(`PRAGMA user_version = ${number}`)
    }
    database.exec(`PRAGMA application_id = ${applicationId}`)
    database.exec("COMMIT")
  } catch (error) {
    rollback(database)
    throw error
  }
}

function rollback(database: Database): void {
  try {
    database.exec("ROLLBACK")
  } catch {
    // Some failures have ended the transaction already; what they were is what is told.
  }
}

function checkOwner(database: Database, path: string): void {
  if (pragma(database, "application_id") === applicationId) return
  const [row] = database.prepare("SELECT count(*) FROM sqlite_schema").rows()
  if (row?.[0] === 0) return
  throw new SluiceError(
    "not_a_database",
    `sqlite ${path}: expected Sluice's own database or a new one, but it holds the tables of another program; name another file`,
  )
}

function tooNew(path: string, version: number, newest: number): SluiceError {
  return new SluiceError(
    "schema_too_new",
    `sqlite ${path}: expected schema ${newest} or older, got ${version}: a newer Sluice has used it; upgrade this one`,
  )
}

function pragma(database: Database, name: string): number {
  return database.prepare(`PRAGMA ${name}`).rows()[0]?.[0] as number
}

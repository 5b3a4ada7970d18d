// Crash points of SQLite while a database is made or brought up to date: after each statement and each write the files are either as
// they were or as they should be, and whoever opens them next ends up with the same.

import { equal, ok } from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { openDatabase } from "../../src/stores/sqlite/driver.ts"
import { migrate } from "../../src/stores/sqlite/migrate.ts"
import { VirtualWorld } from "../../src/testing/index.ts"
import { sqliteAt } from "./places.ts"
import { between, contentOf, type Files, FilesInUse, withDatabase } from "./sqlite-files.ts"
import { Moments, shownMoment } from "./sqlite-stops.ts"
import { watched } from "./sqlite-watched.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-schema-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let made = 0

const beginnings: Readonly<Record<string, readonly string[]>> = {
  "a new database": [],
  "a database of the first schema": ["src/stores/sqlite/migrations/001_tasks.sql", "test/integration/sqlite/tasks-001.sql"],
}

describe("crash points of SQLite while its schema is made", () => {
  for (const [name, sources] of Object.entries(beginnings)) {
    it(`sqlite: ${name}, stopped after each statement and each write`, async (t) => {
      const moments = await migrateSlowly(sources)
      const last = moments.at(-1)?.files
      ok(last && moments.length > 1)
      const expected = await opened(last)
      let count = 0
      for (const [i, moment] of moments.entries()) {
        const next = moments[i + 1]
        const cuts = next ? [...between(moment.files, next.files)] : []
        for (const files of [moment.files, ...cuts]) {
          equal(await opened(files), expected, `stopped after ${shownMoment(moment)}, at file ${++count}`)
        }
      }
      t.diagnostic(`${count} moments`)
    })
  }
})

async function migrateSlowly(sources: readonly string[]): Promise<Moments["all"]> {
  const path = join(folder, `${++made}.db`)
  const database = await openDatabase(path)
  for (const source of sources) database.exec(readFileSync(source, "utf8"))
  database.exec("PRAGMA journal_mode = WAL")
  // A first transaction, so that the log is there.
  database.exec("BEGIN IMMEDIATE; ROLLBACK")
  const files = new FilesInUse(path)
  const moments = new Moments(files)
  const slow = watched(database, (sql, carryOut) => {
    const result = carryOut()
    moments.add(sql)
    return result
  })
  migrate(slow, path)
  database.close()
  files.close()
  return moments.all
}

/** What a process that opens the files has before it: every row, in the tables of today. */
function opened(files: Files): Promise<string> {
  return withDatabase(join(folder, `${++made}`), files, async (path) => {
    const store = await sqliteAt(path).open({ world: new VirtualWorld() })
    const { schema } = (await store.describe({})).facts
    const { rows, integrity } = await contentOf(path)
    await store.close()
    equal(integrity, '["ok"]')
    return `schema ${schema}\n${rows}`
  })
}

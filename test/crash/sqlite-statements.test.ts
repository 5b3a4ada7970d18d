// Crash points of SQLite within an operation: the process is stopped after each statement, and within each commit after each write to
// the files. What is then in the files is opened as a new process would: all of the operation is there, or nothing of it.

import { equal } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { operations } from "../../src/store/index.ts"
import { takeOver } from "./aftermath.ts"
import { sqliteAt } from "./places.ts"
import { shown } from "./process.ts"
import { between, contentOf, withDatabase } from "./sqlite-files.ts"
import { type CallStops, collectStops, type Moment, shownMoment, theAnswer } from "./sqlite-stops.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-statements-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let made = 0
const newFolder = () => join(folder, `${++made}`)

describe("crash points within the operations of SQLite", () => {
  let stops: readonly CallStops[] = []
  before(async () => {
    stops = await collectStops(join(folder, "script.db"))
  })

  for (const operation of operations) {
    const found = () => stops.filter(({ call }) => call.operation === operation)

    it(`sqlite: ${operation}, stopped after each statement`, async (t) => {
      let statements = 0
      for (const stop of found()) {
        for (const moment of stop.moments) {
          await judgeMoment(stop, moment)
          statements += moment.statements.length
        }
      }
      t.diagnostic(`${statements} statements of ${found().length} calls`)
    })

    it(`sqlite: ${operation}, stopped after each write within a statement`, async (t) => {
      let writes = 0
      for (const stop of found())
        for (const [i, moment] of stop.moments.entries()) writes += await judgeWrites(stop, moment, stop.moments[i + 1])
      t.diagnostic(`${writes} writes`)
    })
  }
})

/** The files are whole, and the work can be finished. */
async function judgeMoment(stop: CallStops, moment: Moment): Promise<void> {
  const message = `${shown(stop.call)}, stopped after ${shownMoment(moment)}`
  await withDatabase(newFolder(), moment.files, async (path) => {
    const rows = await wholeRows(stop, path, message)
    if (moment.statements.includes(theAnswer)) equal(rows, stop.after, `${message}: what was answered is not there`)
    await takeOver(sqliteAt(path), { atMs: stop.atMs, events: stop.known, underWay: stop.call }, message)
  })
}

/** The files are whole at any moment between two others. */
async function judgeWrites(stop: CallStops, { files }: Moment, next: Moment | undefined): Promise<number> {
  let writes = 0
  if (!next) return 0
  for (const cut of between(files, next.files)) {
    const message = `${shown(stop.call)}, within ${shownMoment(next)}, after write ${++writes}`
    await withDatabase(newFolder(), cut, (path) => wholeRows(stop, path, message))
  }
  return writes
}

/** All of the call, or nothing. */
async function wholeRows({ before, after }: CallStops, path: string, message: string): Promise<string> {
  const { rows, integrity } = await contentOf(path)
  equal(integrity, '["ok"]', message)
  if (rows !== before) equal(rows, after, `${message}: neither what was before the call nor what was after it`)
  return rows
}

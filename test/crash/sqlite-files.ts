// The files of a SQLite database as a stopped process leaves them: whatever it has written is in the system's memory and stays; what
// it has not, is gone. The third file, `-shm`, is made anew by whoever opens the database first.

import { closeSync, fstatSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../src/stores/sqlite/driver.ts"

export interface Files {
  readonly main: Buffer
  readonly log: Buffer
}

/** Reads the files of a database that is in use. They stay open until then: to close them would drop SQLite's locks. */
export class FilesInUse {
  private readonly main: number
  private readonly log: number

  constructor(path: string) {
    this.main = openSync(path, "r")
    this.log = openSync(`${path}-wal`, "r")
  }

  read(): Files {
    return { main: readAll(this.main), log: readAll(this.log) }
  }

  /** Only once nobody uses the database any more. */
  close(): void {
    closeSync(this.main)
    closeSync(this.log)
  }
}

function readAll(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size)
  readSync(file, bytes, 0, bytes.length, 0)
  return bytes
}

export const isSame = (a: Files, b: Files): boolean => a.main.equals(b.main) && a.log.equals(b.log)

const logHeaderBytes = 32
const frameHeaderBytes = 24

/**
 * What lies between two moments, write by write: the log is written first, from its beginning on, a frame's header and its page; then
 * the checkpoint writes pages into the main file in their order.
 */
export function* between(before: Files, after: Files): Generator<Files> {
  const pageBytes = before.main.readUInt16BE(16)
  const frameBytes = frameHeaderBytes + pageBytes
  const [logFrom, logTo] = changed(before.log, after.log)
  for (let at = logHeaderBytes; at < logTo; at += frameBytes) {
    if (at > logFrom) yield { main: before.main, log: mixed(before.log, after.log, at) }
    const page = at + frameHeaderBytes
    if (page > logFrom && page < logTo) yield { main: before.main, log: mixed(before.log, after.log, page) }
  }
  const [mainFrom, mainTo] = changed(before.main, after.main)
  for (let at = 0; at < mainTo; at += pageBytes) {
    if (at + pageBytes > mainFrom) yield { main: mixed(before.main, after.main, at), log: after.log }
  }
}

/** Where they differ, from the first byte to behind the last. */
function changed(before: Buffer, after: Buffer): [number, number] {
  const length = Math.max(before.length, after.length)
  let from = 0
  while (from < length && before[from] === after[from]) from++
  let to = length
  while (to > from && before[to - 1] === after[to - 1]) to--
  return [from, to]
}

const mixed = (before: Buffer, after: Buffer, at: number): Buffer => Buffer.concat([after.subarray(0, at), before.subarray(at)])

/** A database made of the files, for as long as it is used. */
export async function withDatabase<T>(folder: string, { main, log }: Files, use: (path: string) => Promise<T>): Promise<T> {
  mkdirSync(folder)
  try {
    const path = join(folder, "x.db")
    writeFileSync(path, main)
    writeFileSync(`${path}-wal`, log)
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Content {
  /** Every row of every table, as text. */
  readonly rows: string
  readonly integrity: string
}

export async function contentOf(path: string): Promise<Content> {
  const database = await openDatabase(path)
  try {
    const rowsOf = (sql: string) =>
      database
        .prepare(sql)
        .rows()
        .map((row) => JSON.stringify(row))
        .join("\n")
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").rows()
    const rows = tables.map(([table]) => `${table}\n${rowsOf(`SELECT * FROM "${table}"`)}`).join("\n\n")
    return { rows, integrity: rowsOf("PRAGMA integrity_check") }
  } finally {
    database.close()
  }
}

// The two drivers behind one small face: node:sqlite where the runtime has it (22.13 and newer), else libsql, which needs
// neither a compiler nor an install script. Rows come as arrays: naming every column of every row cost a third of a claim.

import { createRequire } from "node:module"
import { SluiceError } from "../../errors/index.ts"

export type Value = string | number | null
export type Row = readonly Value[]

export interface Statement {
  run(...values: readonly Value[]): void
  rows(...values: readonly Value[]): Row[]
}

export interface Database {
  readonly driver: string
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** What node:sqlite has of a statement; arrays came with 22.16. */
interface NodeStatement {
  run(...values: readonly Value[]): unknown
  all(...values: readonly Value[]): unknown[]
  setReturnArrays?(on: boolean): void
}

export async function openDatabase(path: string): Promise<Database> {
  return hasNodeSqlite() ? openNode(path) : openLibsql(path)
}

function hasNodeSqlite(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 13)
}

function openNode(path: string): Database {
  const load = createRequire(import.meta.url)
  const { DatabaseSync } = load("node:sqlite") as {
    DatabaseSync: new (path: string) => { exec(sql: string): void; prepare(sql: string): NodeStatement; close(): void }
  }
  const database = new DatabaseSync(path)
  return {
    driver: `node:sqlite (Node.js ${process.versions.node})`,
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays?.(true)
      const toRow = statement.setReturnArrays ? (row: unknown) => row as Row : (row: unknown) => Object.values(row as object)
      return {
        run: (...values) => void statement.run(...values),
        rows: (...values) => statement.all(...values).map(toRow),
      }
    },
    close: () => database.close(),
  }
}

async function openLibsql(path: string): Promise<Database> {
  const { default: Libsql } = await import("libsql")
  const database = new Libsql(path)
  // The file stays open for as long as one of its statements is alive; closing lets go of them all.
  const statements: { native: ReturnType<typeof database.prepare> | null }[] = []
  return {
    driver: "libsql",
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => {
      const statement = { native: database.prepare(sql) as ReturnType<typeof database.prepare> | null }
      statements.push(statement)
      const alive = () => {
        if (statement.native) return statement.native
        throw new SluiceError("store_closed", `sqlite ${path}: expected an open database, this one was closed`)
      }
      const isReader = alive().reader
      if (isReader) alive().raw(true)
      return {
        // Handed over as one array: a lone null would be taken for an object of named parameters.
        run: (...values) => void (isReader ? alive().all(values) : alive().run(values)),
        rows: (...values) => alive().all(values) as Row[],
      }
    },
    close: () => {
      database.close()
      for (const statement of statements) statement.native = null
      statements.length = 0
    },
  }
}

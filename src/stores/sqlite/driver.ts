// The two drivers behind one small face: node:sqlite where the runtime has it (22.13 and newer), else libsql, which needs
// neither a compiler nor an install script. Rows come as arrays: naming every column of every row cost a third of a claim.

import { createRequire } from "node:module"
import { SluiceError } from "../../errors/index.ts"
import { quietly } from "./quietly.ts"

export type Value = string | number | null
export type Row = readonly Value[]

export interface Statement {
  /** Answers with how many rows it has changed. */
  run(...values: readonly Value[]): number
  rows(...values: readonly Value[]): Row[]
}

export interface Database {
  readonly driver: string
  /** How text has to be selected, so that any bytes that stand there can be read. */
  text(expression: string): string
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** What node:sqlite has of a statement; arrays came with 22.16. */
interface NodeStatement {
  run(...values: readonly Value[]): { readonly changes: number | bigint }
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
  const { DatabaseSync } = quietly(() => load("node:sqlite")) as {
    DatabaseSync: new (path: string) => { exec(sql: string): void; prepare(sql: string): NodeStatement; close(): void }
  }
  const database = new DatabaseSync(path)
  return {
    driver: `node:sqlite (Node.js ${process.versions.node})`,
    text: (expression) => expression,
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays?.(true)
      const toRow = statement.setReturnArrays ? (row: unknown) => row as Row : (row: unknown) => Object.values(row as object)
      return {
        run: (...values) => Number(statement.run(...bindable(values)).changes),
        rows: (...values) => statement.all(...bindable(values)).map(toRow),
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
    // Bytes that are no UTF-8, as a flipped bit leaves them, would end the process: as text they go through an unwrap in Rust.
    text: (expression) => `CAST(${expression} AS BLOB)`,
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
        run: (...values) => (isReader ? alive().all(bindable(values)).length : alive().run(bindable(values)).changes),
        rows: (...values) => withTexts(alive().all(bindable(values)) as (Value | Buffer)[][]),
      }
    },
    close: () => {
      database.close()
      for (const statement of statements) statement.native = null
      statements.length = 0
    },
  }
}

/** SQLite has no notion of a boolean: node:sqlite throws an error of its own over one, and libsql ends the process. */
function bindable(values: readonly Value[]): readonly Value[] {
  for (const value of values)
    if (typeof value === "boolean") throw new SluiceError("invalid_option", `sqlite: expected a text, a number or null, got ${value}`)
  return values
}

/** In place: the rows are nobody else's. */
function withTexts(rows: (Value | Buffer)[][]): Row[] {
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const value = row[i]
      if (typeof value === "object" && value !== null) row[i] = value.toString()
    }
  }
  return rows as Row[]
}

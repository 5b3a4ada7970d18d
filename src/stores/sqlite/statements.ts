// The SQL of this store: one file an operation, its statements named there, prepared once per connection.

import { readFileSync } from "node:fs"
import type { Database, Statement } from "./driver.ts"
import { briefColumns, columns } from "./rows.ts"

const files = ["namespace", "tasks", "claim", "sweep", "inspect", "gates", "jobs", "schedules", "calls"] as const

function readStatements(): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  for (const file of files) {
    const text = readFileSync(new URL(`./sql/${file}.sql`, import.meta.url), "utf8")
    for (const [, name, sql] of text.matchAll(/^-- name: (\w+)\n([\s\S]*?)(?=^-- name: |(?![\s\S]))/gm)) named.set(name ?? "", sql ?? "")
  }
  return named
}

let texts: ReadonlyMap<string, string> | null = null

export type Statements = (name: string) => Statement

export function prepareStatements(database: Database): Statements {
  texts ??= readStatements()
  const sources = texts
  const prepared = new Map<string, Statement>()
  return (name) => {
    const known = prepared.get(name)
    if (known) return known
    const sql = sources.get(name)
    if (sql === undefined) throw new Error(`no statement is named ${name}`)
    const statement = database.prepare(filledIn(sql, database))
    prepared.set(name, statement)
    return statement
  }
}

/** All tasks of an answer are one text: crossing into JavaScript row by row cost a third more. */
function filledIn(sql: string, database: Database): string {
  const withTexts = sql.replaceAll(/\$text\(([\w.]+)\)/g, (_match, column: string) => database.text(column))
  const tasks = withTexts.replace("$columns", `${columns} AS task`).replace("$brief", `${briefColumns} AS task`)
  return tasks === withTexts ? withTexts : `SELECT ${database.text("group_concat(task, ',')")} FROM (${tasks})`
}

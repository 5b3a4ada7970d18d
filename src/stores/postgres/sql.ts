// The SQL of this store: one file an operation, its statements named there. A step speaks to the database through one of these, on the
// connection that has its transaction.

import { readFileSync } from "node:fs"
import { briefColumns, columns } from "./rows.ts"

export type Value = string | number | boolean | null | readonly (string | number | boolean | null)[]
/** By place, as the statement says. Whole numbers are numbers; JSON has been read already. */
export type Row = readonly unknown[]

export interface Sql {
  /** Sent at once, whether the answer is waited for or not. */
  rows(statement: string, ...values: readonly Value[]): Promise<readonly Row[]>
  /** Sends what will be asked for by `rows`, in the same words, before anything of it is written. */
  foresee(statement: string, ...values: readonly Value[]): void
  /** Something is written that what was foreseen may be about: it is asked anew. */
  forget(): void
  /** Answers with how many rows it has written. */
  run(statement: string, ...values: readonly Value[]): Promise<number>
  /** Sent and not waited for: that it has failed shows in whatever is waited for next, the end of the transaction at the latest. */
  tell(statement: string, ...values: readonly Value[]): void
}

/** A list of nothing is no list: beside others in one unnest it says the same. */
export function unlessEmpty<T extends string | number | boolean>(list: readonly (T | null)[]): readonly (T | null)[] | null {
  return list.some((value) => value !== null) ? list : null
}

const files = ["namespace", "tasks", "claim", "sweep", "inspect", "gates", "jobs", "schedules", "calls"] as const

let texts: ReadonlyMap<string, string> | null = null

/** By name, with what stands for columns filled in. */
export function statementText(name: string): string {
  texts ??= readStatements()
  const text = texts.get(name)
  if (text === undefined) throw new Error(`no statement is named ${name}`)
  return text
}

function readStatements(): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  for (const file of files) {
    const text = readFileSync(new URL(`./sql/${file}.sql`, import.meta.url), "utf8")
    for (const [, name, sql] of text.matchAll(/^-- name: (\w+)\n([\s\S]*?)(?=^-- name: |(?![\s\S]))/gm))
      named.set(
        name ?? "",
        withoutComments(sql ?? "")
          .replaceAll("$columns", columns)
          .replaceAll("$brief", briefColumns),
      )
  }
  return named
}

/** They are for whoever reads the file, not for the server. */
function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*$/gm, "").trim()
}

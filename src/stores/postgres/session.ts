// One connection as a step uses it: statements by name, rows by place.

import { createHash } from "node:crypto"
import { type Row, type Sql, statementText, type Value } from "./sql.ts"

export interface Answer {
  readonly rows: readonly Row[]
  readonly rowCount: number | null
}

export interface Query {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
  readonly rowMode?: "array"
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown }
}

/** As much of a client of `pg` as is used: one of ours, or one that was handed in with a transaction of its own. */
export interface Queryable {
  query(query: Query): Promise<Answer>
}

/** bigint, integer and their like are numbers: whether they are exact is looked at where rows are read. */
const asNumber = new Set([20, 21, 23, 26, 700, 701, 1700])
const asBoolean = 16
const arraysOfText = new Set([1009, 1015])
const documents = new Set([114, 3802])
const types: NonNullable<Query["types"]> = {
  getTypeParser: (oid) => {
    if (asNumber.has(oid)) return Number
    if (oid === asBoolean) return (text) => text === "t"
    if (arraysOfText.has(oid)) return textsOf
    if (documents.has(oid)) return JSON.parse
    return (text) => text
  },
}

/** `{a,"b c"}`: an array of texts as Postgres writes it. */
function textsOf(text: string): string[] {
  const found: string[] = []
  for (const [, quoted, plain] of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs))
    found.push(quoted === undefined ? (plain as string) : quoted.replaceAll(/\\(.)/gs, "$1"))
  return found
}

/** The texts of all statements in one schema, and whether the server may keep them by name. */
export class Dialect {
  readonly schema: string
  private readonly isPrepared: boolean
  private readonly prefix: string
  private readonly known = new Map<string, Query>()

  constructor(schema: string, isPrepared: boolean) {
    this.schema = schema
    this.isPrepared = isPrepared
    // Statements of several schemas may meet on one connection.
    this.prefix = `sluice_${createHash("sha256").update(schema).digest("hex").slice(0, 8)}_`
  }

  query(name: string): Query {
    const known = this.known.get(name)
    if (known) return known
    const made: Query = {
      ...(this.isPrepared ? { name: `${this.prefix}${name}` } : {}),
      text: inSchema(statementText(name), this.schema),
      rowMode: "array",
      types,
    }
    this.known.set(name, made)
    return made
  }

  /** Without parameters: may be several statements, which are sent at once. */
  plain(text: string): Query {
    return { text: inSchema(text, this.schema), rowMode: "array", types }
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `$s` stands for the schema, `$q` for the same inside of a quoted text. */
export function inSchema(text: string, schema: string): string {
  return text.replaceAll("$s.", `${quoted(schema)}.`).replaceAll("$q.", `${quoted(schema).replaceAll("'", "''")}.`)
}

export class Session implements Sql {
  private readonly client: Queryable
  private readonly dialect: Dialect

  constructor(client: Queryable, dialect: Dialect) {
    this.client = client
    this.dialect = dialect
  }

  async rows(statement: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.client.query({ ...this.dialect.query(statement), values })).rows
  }

  async run(statement: string, ...values: readonly Value[]): Promise<number> {
    return (await this.client.query({ ...this.dialect.query(statement), values })).rowCount ?? 0
  }
}

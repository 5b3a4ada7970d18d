// One connection as a step uses it: statements by name, rows by place.

import { createHash } from "node:crypto"
import type { Queryable, QueryRequest } from "./queryable.ts"
import { inSchema, quoted } from "./schema.ts"
import { type Row, type Sql, statementText, type Value } from "./sql.ts"

/** bigint, integer and their like are numbers: whether they are exact is looked at where rows are read. */
const asNumber = new Set([20, 21, 23, 26, 700, 701, 1700])
const asBoolean = 16
const arraysOfText = new Set([1009, 1015])
const documents = new Set([114, 3802])
const types: NonNullable<QueryRequest["types"]> = {
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
  private readonly known = new Map<string, QueryRequest>()

  constructor(schema: string, isPrepared: boolean) {
    this.schema = schema
    this.isPrepared = isPrepared
    // Statements of several schemas may meet on one connection.
    this.prefix = `sluice_${createHash("sha256").update(schema).digest("hex").slice(0, 8)}_`
  }

  query(name: string): QueryRequest {
    const known = this.known.get(name)
    if (known) return known
    const made: QueryRequest = {
      ...(this.isPrepared ? { name: `${this.prefix}${name}` } : {}),
      text: this.filledIn(statementText(name)),
      rowMode: "array",
      types,
    }
    this.known.set(name, made)
    return made
  }

  /** `$q` stands for the schema inside of a quoted text. */
  private filledIn(text: string): string {
    const name = quoted(this.schema).replaceAll("'", "''")
    return inSchema(
      text.replace(/\$q\b/g, () => name),
      this.schema,
    )
  }

  /** Without parameters: may be several statements, which are sent at once. */
  plain(text: string): QueryRequest {
    return { text: this.filledIn(text), rowMode: "array", types }
  }
}

export class Session implements Sql {
  private readonly client: Queryable
  private readonly dialect: Dialect

  constructor(client: Queryable, dialect: Dialect) {
    this.client = client
    this.dialect = dialect
  }

  async rows(statement: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.client.query({ ...this.dialect.query(statement), values: [...values] })).rows as readonly Row[]
  }

  async run(statement: string, ...values: readonly Value[]): Promise<number> {
    return (await this.client.query({ ...this.dialect.query(statement), values: [...values] })).rowCount ?? 0
  }
}

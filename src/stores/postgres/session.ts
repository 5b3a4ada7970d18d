// One connection as a step uses it: statements by name, rows by place. What needs no answer is not waited for, and what is asked together
// is sent together: the way to the server and back costs more than most statements.

import { createHash } from "node:crypto"
import type { QueryAnswer, Queryable, QueryRequest } from "./queryable.ts"
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

/** A list as Postgres reads it: the library writes one as well, element by element. */
function listText(list: readonly (string | number | boolean | null)[]): string {
  let text = ""
  for (const value of list) {
    if (text !== "") text += ","
    if (typeof value !== "string") text += value === null ? "NULL" : value
    else text += needsEscape.test(value) ? `"${value.replace(/[\\"]/g, "\\$&")}"` : `"${value}"`
  }
  return `{${text}}`
}

const needsEscape = /[\\"]/

function written(values: readonly Value[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? listText(value) : value))
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

interface Foreseen {
  readonly statement: string
  readonly values: readonly Value[]
  readonly rows: Promise<readonly Row[]>
}

export class Session implements Sql {
  private readonly client: Queryable
  private readonly dialect: Dialect
  /** The first thing that went wrong: behind it the server refuses all else, which says nothing. */
  private failure: { readonly error: unknown } | null = null
  /** Where the client sends one statement at a time: the one before. */
  private last: Promise<unknown> | null = null
  private foreseen: Foreseen[] = []
  private isGathering = false

  constructor(client: Queryable, dialect: Dialect) {
    this.client = client
    this.dialect = dialect
  }

  rows(statement: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return this.takeForeseen(statement, values) ?? this.read(statement, values)
  }

  foresee(statement: string, ...values: readonly Value[]): void {
    const rows = this.read(statement, values)
    rows.catch(() => {})
    this.foreseen.push({ statement, values, rows })
  }

  forget(): void {
    this.foreseen = []
  }

  private async read(statement: string, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.ask({ ...this.dialect.query(statement), values: written(values) })).rows as readonly Row[]
  }

  /** Answered once: what is asked again may have changed. */
  private takeForeseen(statement: string, values: readonly Value[]): Promise<readonly Row[]> | null {
    const at = this.foreseen.findIndex((one) => one.statement === statement && isSame(one.values, values))
    return at < 0 ? null : (this.foreseen.splice(at, 1)[0] as Foreseen).rows
  }

  async run(statement: string, ...values: readonly Value[]): Promise<number> {
    return (await this.ask({ ...this.dialect.query(statement), values: written(values) })).rowCount ?? 0
  }

  tell(statement: string, ...values: readonly Value[]): void {
    this.send({ ...this.dialect.query(statement), values: written(values) }).catch(() => {})
  }

  /** Several statements without parameters, sent and not waited for. */
  begin(text: string): void {
    this.send(this.dialect.plain(text)).catch(() => {})
  }

  /** The same, waited for: what has failed before it is told now. A transaction in which something has failed writes nothing by COMMIT. */
  async end(text: string): Promise<void> {
    await this.ask(this.dialect.plain(text))
  }

  private async ask(request: QueryRequest): Promise<QueryAnswer> {
    const answer = await this.send(request).catch(() => null)
    if (this.failure || !answer) throw this.failure?.error
    return answer
  }

  /** What is sent in one turn goes as one: the library writes every statement by itself, which costs a call of the system and wakes the server. */
  private gather(): void {
    const stream = this.client.connection?.stream
    if (this.isGathering || stream === undefined) return
    this.isGathering = true
    stream.cork()
    process.nextTick(() => {
      this.isGathering = false
      stream.uncork()
    })
  }

  private send(request: QueryRequest): Promise<QueryAnswer> {
    this.gather()
    const sent = this.client.pipeline === true || !this.last ? this.client.query(request) : this.last.then(() => this.client.query(request))
    const answered = sent.catch((error: unknown) => {
      this.failure ??= { error }
      throw error
    })
    this.last = answered.catch(() => {})
    return answered
  }
}

function isSame(some: readonly Value[], others: readonly Value[]): boolean {
  return some.every((value, i) => {
    const other = others[i]
    if (!Array.isArray(value) || !Array.isArray(other)) return value === other
    return value.length === other.length && value.every((one, at) => one === other[at])
  })
}

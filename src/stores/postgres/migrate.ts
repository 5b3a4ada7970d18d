// The schema, brought up to date file by file. Each is one transaction with its row in `migrations`, so that whoever is killed meanwhile has
// done it or not; a lock that ends with the transaction has two processes that start at once do it one after the other. `client` is one
// connection, not a pool: what begins on it ends on it.

import { createHash } from "node:crypto"
import { SluiceError } from "../../errors/index.ts"
import { type Migration, readMigrations } from "./migration-files.ts"
import type { Queryable } from "./queryable.ts"
import { inSchema, quoted } from "./schema.ts"

export interface Pending extends Migration {
  /** All that it does, for somebody to run by hand: the transaction, the file, and its row. */
  readonly sql: string
}

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/** What a schema is found to be, before anything is changed. */
interface Found {
  readonly hasSchema: boolean
  readonly hasTable: boolean
  readonly applied: readonly Applied[]
}

const columns = ["number", "name", "checksum", "applied_at"]

/** Answers with what it has applied; nothing is written, and no lock taken, where nothing is to do. */
export async function migrate(client: Queryable, schema: string, folder?: URL): Promise<readonly Migration[]> {
  const known = readMigrations(folder)
  const done: Migration[] = []
  while (toDo(known, await look(client, schema), schema).length > 0) {
    const next = await applyNext(client, schema, known)
    if (next) done.push(next)
  }
  return done
}

/** What `migrate` would do. */
export async function pending(client: Queryable, schema: string, folder?: URL): Promise<readonly Pending[]> {
  const known = readMigrations(folder)
  const found = await look(client, schema)
  return toDo(known, found, schema).map((migration, i) => ({
    ...migration,
    sql: [
      `-- ${migration.name}`,
      beginning,
      `${lock(schema)};`,
      ...(i === 0 ? preparation(found, schema).map((text) => `${text};`) : []),
      inSchema(migration.text, schema).trim(),
      `${record(migration, schema)};`,
      "commit;",
      "",
    ].join("\n"),
  }))
}

/** The number of the newest that has been applied; 0 where none has. */
export async function schemaVersion(client: Queryable, schema: string): Promise<number> {
  return Math.max(0, ...(await look(client, schema)).applied.map(({ number }) => number))
}

/** Whatever the defaults of the database are: under the lock, what others have committed meanwhile must be seen. */
const beginning = "begin isolation level read committed read write;"

async function applyNext(client: Queryable, schema: string, known: readonly Migration[]): Promise<Migration | null> {
  await client.query({ text: beginning })
  try {
    await client.query({ text: lock(schema) })
    const found = await look(client, schema)
    const [next] = toDo(known, found, schema)
    if (next) {
      for (const text of preparation(found, schema)) await client.query({ text })
      await client.query({ text: inSchema(next.text, schema) })
      await client.query({ text: record(next, schema) })
    }
    await client.query({ text: "commit" })
    return next ?? null
  } catch (error) {
    // Where the connection is gone, so is the transaction; what has failed is what is told.
    await client.query({ text: "rollback" }).catch(() => {})
    throw error
  }
}

function lock(schema: string): string {
  const key = createHash("sha256").update(`sluice migrations ${schema}`).digest().readBigInt64BE()
  return `select pg_advisory_xact_lock(${key})`
}

/** Not "if not exists" alone: to make a schema that is there takes rights all the same, which whoever was given one need not have. */
function preparation({ hasSchema, hasTable }: Found, schema: string): readonly string[] {
  const table =
    "create table $s.migrations (number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())"
  return [...(hasSchema ? [] : [`create schema ${quoted(schema)}`]), ...(hasTable ? [] : [inSchema(table, schema)])]
}

function record({ number, name, checksum }: Migration, schema: string): string {
  return inSchema(`insert into $s.migrations (number, name, checksum) values (${number}, '${name}', '${checksum}')`, schema)
}

const lookAtSchema = `
  select
    (select a.names from (select array_agg(attname::text) as names from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped) a),
    exists (select 1 from pg_class t where t.relnamespace = n.oid and t.relkind in ('r', 'p') and t.relname <> 'migrations'
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = t.oid and d.deptype = 'e'))
  from pg_namespace n
  left join pg_class c on c.relnamespace = n.oid and c.relname = 'migrations'
  where n.nspname = $1`

async function look(client: Queryable, schema: string): Promise<Found> {
  const [row] = (await client.query({ text: lookAtSchema, values: [schema], rowMode: "array" })).rows as [
    readonly string[] | null,
    boolean,
  ][]
  if (!row) return { hasSchema: false, hasTable: false, applied: [] }
  const [names, hasOthers] = row
  const isOurs = names === null ? !hasOthers : columns.every((column) => names.includes(column))
  if (!isOurs) {
    throw new SluiceError(
      "not_a_database",
      `schema ${quoted(schema)}: expected Sluice's own schema or a new one, but it holds the tables of another program; name another by schema= in the URL`,
    )
  }
  if (names === null) return { hasSchema: true, hasTable: false, applied: [] }
  const text = inSchema("select number, name, checksum from $s.migrations order by number", schema)
  const rows = (await client.query({ text, rowMode: "array" })).rows as [number, string, string][]
  return { hasSchema: true, hasTable: true, applied: rows.map(([number, name, checksum]) => ({ number, name, checksum })) }
}

function toDo(known: readonly Migration[], { applied }: Found, schema: string): readonly Migration[] {
  for (const row of applied) {
    const migration = known.find(({ number }) => number === row.number)
    if (!migration) throw tooNew(schema, row, known.at(-1)?.number ?? 0)
    if (migration.checksum !== row.checksum) throw different(schema, row, migration)
  }
  return known.filter(({ number }) => !applied.some((row) => row.number === number))
}

function tooNew(schema: string, row: Applied, newest: number): SluiceError {
  return new SluiceError(
    "schema_too_new",
    `schema ${quoted(schema)}: expected migration ${newest} or older, got ${row.number}: a newer Sluice has used it; upgrade this one`,
  )
}

function different(schema: string, row: Applied, { name, checksum }: Migration): SluiceError {
  const [was, is] = [row.checksum, checksum].map((sum) => sum.slice(0, 12))
  return new SluiceError(
    "store_unfit",
    `schema ${quoted(schema)}: expected migration ${name} as this Sluice has it (sha256 ${is}...), but ${row.name} was applied with another text (sha256 ${was}...); use the Sluice that has made the schema, or another schema`,
  )
}

// The schema is brought up to date once, whoever starts with whom, and never half; what does not fit is told, and left as it was.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, afterEach, before, beforeEach, describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { isSluiceError } from "../../src/errors/index.ts"
import { migrate, pending, schemaVersion } from "../../src/stores/postgres/migrate.ts"
import type { Queryable } from "../../src/stores/postgres/queryable.ts"
import { inSchema, quoted } from "../../src/stores/postgres/schema.ts"
import { startBouncer } from "../engines/pgbouncer.ts"
import { sharedPostgres } from "../engines/postgres.ts"
import { type PostgresAdmin, postgresAdmin } from "../engines/postgres-admin.ts"

const first = "create table $s.things (n integer);\ninsert into $s.things values (1);\n"
const second = "alter table $s.things add column word text;\ncreate index things_word on $s.things (word);\n"

describe("migrate", () => {
  let admin: PostgresAdmin
  let folder: string
  let files: URL
  let schema: string
  let made = 0
  const schemas: string[] = []
  const others: PostgresAdmin[] = []
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  /** Another connection, which ends with the test, whichever way that ends. */
  const another = async (url?: string) => {
    const other = await postgresAdmin(url ?? (await sharedPostgres()))
    others.push(other)
    return other
  }
  const rows = (text: string) => admin.rows(inSchema(text, schema))
  const refused = (code: string, says: RegExp) => (error: unknown) => {
    assert.ok(isSluiceError(error), String(error))
    assert.equal(error.code, code)
    assert.match(error.message, says)
    return true
  }

  before(async () => {
    admin = await postgresAdmin(await sharedPostgres())
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-migrations-"))
    files = pathToFileURL(`${folder}/`)
    // As odd as a name may be.
    schema = `Te"st $& $1 ${process.pid} ${made++}`
    schemas.push(schema)
    write("001_things.sql", first)
    write("002_words.sql", second)
  })
  afterEach(async () => {
    for (const { close } of others.splice(0)) await close()
    // What a test has begun and not ended would hold up all that come after it.
    await admin.rows("rollback")
    rmSync(folder, { recursive: true, force: true })
  })
  after(async () => {
    for (const name of schemas) await admin.rows(`drop schema if exists ${quoted(name)} cascade`)
    await admin.close()
  })

  it("applies what is missing, once, and keeps what it has applied", async () => {
    assert.equal(await schemaVersion(admin.client, schema), 0)
    assert.deepEqual(
      (await migrate(admin.client, schema, files)).map(({ name }) => name),
      ["001_things.sql", "002_words.sql"],
    )
    assert.equal(await schemaVersion(admin.client, schema), 2)
    const kept = await rows("select number, name, length(checksum) as digits, applied_at <= now() as past from $s.migrations order by 1")
    assert.deepEqual(kept, [
      { number: 1, name: "001_things.sql", digits: 64, past: true },
      { number: 2, name: "002_words.sql", digits: 64, past: true },
    ])
    assert.deepEqual(await migrate(admin.client, schema, files), [])
    write("003_more.sql", "insert into $s.things values (3);")
    assert.deepEqual(
      (await migrate(admin.client, schema, files)).map(({ number }) => number),
      [3],
    )
    assert.deepEqual(await rows("select n from $s.things order by n"), [{ n: 1 }, { n: 3 }])
  })

  it("where nothing is to do, nothing is written and nobody is waited for", async () => {
    await migrate(admin.client, schema, files)
    const other = await another()
    await other.rows("begin")
    await other.rows(inSchema("lock table $s.migrations in exclusive mode", schema))
    const texts: string[] = []
    const watched: Queryable = {
      query: (request) => {
        texts.push(request.text)
        return admin.client.query(request)
      },
    }
    assert.deepEqual(await migrate(watched, schema, files), [])
    assert.deepEqual(
      texts.filter((text) => !text.trim().startsWith("select")),
      [],
    )
  })

  it("many that start at once apply each file once, whatever isolation is the default", async () => {
    const admins = await Promise.all(Array.from({ length: 8 }, () => another()))
    for (const { rows } of admins) await rows("set default_transaction_isolation = 'repeatable read'")
    const done = await Promise.all(admins.map(({ client }) => migrate(client, schema, files)))
    assert.deepEqual(
      done
        .flat()
        .map(({ number }) => number)
        .sort(),
      [1, 2],
    )
    assert.deepEqual(await rows("select n from $s.things"), [{ n: 1 }])
  })

  it("behind PgBouncer in transaction mode it is the same", async (t) => {
    const bouncer = await startBouncer(await sharedPostgres(), { default_pool_size: 2 })
    t.after(() => bouncer.remove())
    const admins = await Promise.all(Array.from({ length: 4 }, () => another(bouncer.url)))
    const done = await Promise.all(admins.map(({ client }) => migrate(client, schema, files)))
    assert.deepEqual(
      done
        .flat()
        .map(({ number }) => number)
        .sort(),
      [1, 2],
    )
    for (const { close } of others.splice(0)) await close()
  })

  it("a file that fails leaves nothing of itself, and those before it", async () => {
    write("002_words.sql", `${second}insert into $s.nowhere values (1);`)
    await assert.rejects(migrate(admin.client, schema, files), { code: "42P01" })
    assert.equal(await schemaVersion(admin.client, schema), 1)
    assert.deepEqual(await rows("select * from $s.things"), [{ n: 1 }])
    write("002_words.sql", second)
    assert.deepEqual(
      (await migrate(admin.client, schema, files)).map(({ number }) => number),
      [2],
    )
  })

  it("a connection that ends amid a file leaves nothing of it", async () => {
    write("001_things.sql", `${first}select pg_terminate_backend(pg_backend_pid());`)
    const other = await another()
    await assert.rejects(migrate(other.client, schema, files))
    assert.deepEqual(await admin.rows("select 1 from pg_namespace where nspname = $1", schema), [])
    write("001_things.sql", first)
    assert.equal((await migrate(admin.client, schema, files)).length, 2)
  })

  it("a file that is not the one that was applied is refused by name", async () => {
    await migrate(admin.client, schema, files)
    write("001_things.sql", `${first}-- and more`)
    const says = /001_things\.sql.*another text/
    await assert.rejects(migrate(admin.client, schema, files), refused("store_unfit", says))
    await assert.rejects(pending(admin.client, schema, files), refused("store_unfit", says))
  })

  it("line endings are no difference", async () => {
    await migrate(admin.client, schema, files)
    write("001_things.sql", first.replaceAll("\n", "\r\n"))
    assert.deepEqual(await migrate(admin.client, schema, files), [])
  })

  it("a schema that a newer Sluice has used is refused", async () => {
    write("003_more.sql", "select 1;")
    await migrate(admin.client, schema, files)
    rmSync(join(folder, "003_more.sql"))
    await assert.rejects(migrate(admin.client, schema, files), refused("schema_too_new", /expected migration 2 or older, got 3/))
  })

  it("a schema with the tables of another program is left alone", async () => {
    await rows("create schema $s")
    await rows("create table $s.customers (n integer)")
    await assert.rejects(migrate(admin.client, schema, files), refused("not_a_database", /another program/))
    await rows("drop table $s.customers")
    await rows("create table $s.migrations (id integer, timestamp bigint, name text)")
    await assert.rejects(migrate(admin.client, schema, files), refused("not_a_database", /another program/))
    await rows("drop table $s.migrations")
    assert.equal((await migrate(admin.client, schema, files)).length, 2)
  })

  it("whoever was given a schema needs no rights on the database", async () => {
    const role = `limited_${process.pid}`
    await admin.rows(`create role ${role}`)
    await admin.rows(`create schema ${quoted(schema)} authorization ${role}`)
    await admin.rows(`set role ${role}`)
    try {
      assert.equal((await migrate(admin.client, schema, files)).length, 2)
    } finally {
      await admin.rows("reset role")
      await admin.rows(`drop schema ${quoted(schema)} cascade`)
      await admin.rows(`drop role ${role}`)
    }
  })

  it("what is pending is told as SQL, changes nothing, and does all when somebody runs it", async () => {
    const told = await pending(admin.client, schema, files)
    assert.deepEqual(
      told.map(({ name }) => name),
      ["001_things.sql", "002_words.sql"],
    )
    assert.equal(await schemaVersion(admin.client, schema), 0)
    for (const { sql } of told) await admin.client.query(sql)
    assert.deepEqual(await pending(admin.client, schema, files), [])
    assert.deepEqual(await migrate(admin.client, schema, files), [])
    assert.deepEqual(await rows("select n, word from $s.things"), [{ n: 1, word: null }])
  })

  it("files have a number each", async () => {
    write("002_again.sql", "select 1;")
    await assert.rejects(migrate(admin.client, schema, files), /2 twice/)
    rmSync(join(folder, "002_again.sql"))
    write("three.sql", "select 1;")
    await assert.rejects(migrate(admin.client, schema, files), /001_tasks\.sql, got three\.sql/)
  })
})

it("$s is the schema, and nothing that only looks like it", () => {
  assert.equal(inSchema("select $1, $s.a, $sum, $s$x$s$ from $s.b", 'a"b'), 'select $1, "a""b".a, $sum, $s$x$s$ from "a""b".b')
})

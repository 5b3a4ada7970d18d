// sluice migrate: what it applies, what it shows without applying, and what it says where there is nothing to do.

import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"
import { readMigrations } from "../../../src/stores/postgres/migration-files.ts"
import { postgresAdmin } from "../../engines/postgres-admin.ts"
import { type PostgresPlace, postgresPlace } from "../../engines/postgres-place.ts"
import { CommandLine } from "./command-line.ts"

describe("sluice migrate", () => {
  const line = new CommandLine()
  const names = readMigrations().map(({ name }) => name)
  let place: PostgresPlace
  beforeEach(async () => {
    place = await postgresPlace()
  })
  afterEach(() => place.clear())
  const sluice = (...argv: readonly string[]) => line.sluice("migrate", "--store", place.url, ...argv)

  it("applies every file, and then has nothing to do", async () => {
    const { exitCode, lines } = await sluice()
    assert.equal(exitCode, 0)
    assert.deepEqual(
      lines,
      names.map((name) => `applied ${name}`),
    )
    const again = await sluice()
    assert.match(again.stdout, new RegExp(`^nothing to do: postgres 127\\.0\\.0\\.1:\\d+/\\w+ schema "${place.schema}" is up to date\n$`))
    assert.deepEqual((await sluice("--json")).json(), { applied: [] })
  })

  it("--json tells the files", async () => {
    assert.deepEqual((await sluice("--json")).json(), { applied: names })
  })

  it("--dry-run prints SQL that does the same, and changes nothing", async () => {
    const { stdout, exitCode } = await sluice("--dry-run")
    assert.equal(exitCode, 0)
    const told = (await sluice("--dry-run", "--json")).json() as { pending: { name: string; sql: string }[] }
    assert.deepEqual(
      told.pending.map(({ name }) => name),
      names,
    )
    const admin = await postgresAdmin(place.url)
    await admin.client.query(stdout)
    await admin.close()
    const after = await sluice("--dry-run")
    assert.equal(after.stdout, "")
    assert.match(after.stderr, /^nothing to do: /)
    assert.deepEqual((await sluice("--dry-run", "--json")).json(), { pending: [] })
    assert.match((await sluice()).stdout, /^nothing to do: /)
  })

  it("a server that is not there, and a database that is not, are told in a line without the password", async () => {
    const none = await line.sluice("migrate", "--store", "postgres://me:s3cret@127.0.0.1:1/shop")
    assert.equal(none.exitCode, 10)
    assert.match(none.stderr, /^sluice: postgres 127\.0\.0\.1:1\/shop: expected a server that listens there.*\n$/)
    const missing = new URL(place.url)
    missing.pathname = "/nowhere"
    missing.password = "s3cret"
    const other = await line.sluice("migrate", "--store", missing.href)
    assert.equal(other.exitCode, 8)
    assert.match(other.stderr, /expected a database of this name.*\n$/)
    assert.doesNotMatch(none.stderr + other.stderr, /s3cret/)
  })

  for (const store of ["memory:x", "sqlite:./nowhere.db", "redis://127.0.0.1:1"]) {
    it(`${store} has nothing to do, and is not even opened`, async () => {
      const { exitCode, stdout } = await line.sluice("migrate", "--store", store)
      assert.deepEqual([exitCode, stdout], [0, "nothing to do: this store brings itself up to date\n"])
    })
  }

  it("a store that nobody knows is refused", async () => {
    const { exitCode, stderr } = await line.sluice("migrate", "--store", "sqlit:x")
    assert.equal(exitCode, 8)
    assert.match(stderr, /did you mean "sqlite:"/)
  })
})

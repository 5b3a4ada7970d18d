// Behind PgBouncer in transaction mode, which gives each transaction another connection: no session, no names, and news is asked for.

import { after, before, describe, it } from "node:test"
import { open } from "../../src/stores/postgres/index.ts"
import { type Backing, runStoreTest, storeTests } from "../../src/testing/conformance/index.ts"
import { inOwnNamespaces } from "../conformance/openers.ts"
import { startBouncer, type TestBouncer } from "../engines/pgbouncer.ts"
import { sharedPostgres } from "../engines/postgres.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"

/** Where connections, waiting and time take part. */
const themes = ["submit", "claim", "lease", "wait", "clock", "namespaces", "gates-slots", "calls-order", "repeat"]

describe("the contract behind PgBouncer", () => {
  let bouncer: TestBouncer
  let place: PostgresPlace

  before(async () => {
    bouncer = await startBouncer(await sharedPostgres())
    place = await postgresPlace()
  })

  after(async () => {
    await bouncer.remove()
    await place.clear()
  })

  const openBacking = async (): Promise<Backing> => {
    const url = new URL(bouncer.url)
    url.searchParams.set("schema", place.schema)
    url.searchParams.set("prepare", "false")
    url.searchParams.set("listen", "false")
    return inOwnNamespaces(open, url.href)
  }

  for (const test of storeTests) {
    if (themes.includes(test.theme)) it(`${test.theme}: ${test.name}`, () => runStoreTest(test, openBacking))
  }
})

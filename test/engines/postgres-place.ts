// A place of a test's own on the server that all share: a schema that nobody else has, dropped afterwards.

import { randomBytes } from "node:crypto"
import { sharedPostgres } from "./postgres.ts"
import { postgresAdmin } from "./postgres-admin.ts"

export interface PostgresPlace {
  readonly url: string
  readonly schema: string
  clear(): Promise<void>
}

export async function postgresPlace(): Promise<PostgresPlace> {
  const shared = await sharedPostgres()
  const schema = `test_${randomBytes(6).toString("hex")}`
  const url = new URL(shared)
  url.searchParams.set("schema", schema)
  return { url: url.href, schema, clear: () => dropSchema(shared, schema) }
}

async function dropSchema(url: string, schema: string): Promise<void> {
  const admin = await postgresAdmin(url)
  try {
    // A transaction that a test has left open would be waited for without end.
    await admin.rows("set lock_timeout = '10s'")
    await admin.rows(`drop schema if exists ${schema} cascade`)
  } finally {
    await admin.close()
  }
}

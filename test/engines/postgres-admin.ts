// A connection of the tests' own to a server, for what a queue never does: to drop a schema, to end other connections, to look.

import { Client } from "pg"
import { sleep, systemWorld } from "../../src/world/index.ts"

export interface PostgresAdmin {
  /** For whoever takes a client, as a user's code would hand one in. */
  readonly client: Client
  rows(text: string, ...values: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  /** Asks until it holds; a test that waits for what never comes is ended by the runner. */
  until(holds: () => Promise<boolean>): Promise<void>
  close(): Promise<void>
}

/** What is Sluice's in the URL is left out. */
export async function postgresAdmin(url: string): Promise<PostgresAdmin> {
  const plain = new URL(url)
  for (const name of ["schema", "timeout", "pool", "prepare", "listen"]) plain.searchParams.delete(name)
  const client = new Client({ connectionString: plain.href })
  // The server may be killed under it.
  client.on("error", () => {})
  await client.connect()
  return {
    client,
    rows: async (text, ...values) => (await client.query(text, [...values])).rows as Record<string, unknown>[],
    until: async (holds) => {
      while (!(await holds())) await sleep(systemWorld, 10)
    },
    close: () => client.end(),
  }
}

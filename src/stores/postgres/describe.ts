// What the server says of itself, for `doctor`: which it is, what an acknowledged write survives, and how large the tables are.

import type { StoreDescription } from "../../store/contract.ts"
import type { Pool } from "./pool.ts"
import type { Dialect } from "./session.ts"

const survives: Readonly<Record<string, string>> = {
  off: "off: survives a crash of the worker; a crash of the server may take the last commits",
  local: "local: an acknowledged write survives a crash of the server; a standby may not have it yet",
  on: "on: an acknowledged write survives a power loss; with synchronous standbys that of the primary too",
  remote_write: "remote_write: an acknowledged write survives a crash of the server, and of a standby's process",
  remote_apply: "remote_apply: an acknowledged write survives the loss of the primary",
}

export async function describeServer(pool: Pool, dialect: Dialect, place: string): Promise<Pick<StoreDescription, "durability" | "facts">> {
  const client = await pool.connect()
  try {
    const settings = await client.query(
      dialect.plain(
        `SELECT current_setting('server_version'), current_setting('synchronous_commit'), current_setting('fsync'),
          pg_total_relation_size('$q.tasks'), (SELECT max(number) FROM $s.migrations), pg_is_in_recovery()`,
      ),
    )
    const [version, commit, fsync, bytes, migration] = settings.rows[0] as readonly [string, string, string, number, number, boolean]
    const durability = fsync === "off" ? "fsync off: a crash of the machine may take everything" : (survives[commit] ?? commit)
    const facts = { server: place, version, schema: dialect.schema, synchronous_commit: commit, fsync, migration, task_bytes: bytes }
    return { durability, facts }
  } finally {
    client.release()
  }
}

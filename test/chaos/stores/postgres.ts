// Postgres: a server of its own with its files in the folder, ended by SIGKILL and started again on them. Processes reach it through
// lines that can be cut; the coordinator directly. Now and then the server ends one of their connections.

import { startPostgres } from "../../engines/postgres.ts"
import { postgresAdmin } from "../../engines/postgres-admin.ts"
import { Lines } from "../lines/index.ts"
import type { StartStore } from "./index.ts"

const terminateEveryMs = 1_000

/** Whoever judges is left alone. */
const coordinator = "coordinator"
const terminate = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name = 'sluice' order by random() limit 1`

export const postgres: StartStore = async (folder) => {
  const options = { folder, isDurable: true }
  let server = await startPostgres(options)
  const lines = await Lines.start(server.port)
  const terminating = setInterval(() => {
    // A server that is down, or is ended meanwhile, ends its connections by itself.
    void terminateOne(server.url).catch(() => {})
  }, terminateEveryMs)
  const url = new URL(server.url)
  url.searchParams.set("application_name", coordinator)
  return {
    url: url.href,
    lines,
    restart: async () => {
      await server.kill()
      server = await startPostgres({ ...options, like: server })
    },
    stop: async () => {
      clearInterval(terminating)
      await lines.end()
      await server.kill()
    },
  }
}

async function terminateOne(url: string): Promise<void> {
  const admin = await postgresAdmin(url)
  try {
    await admin.rows(terminate)
  } finally {
    await admin.close()
  }
}

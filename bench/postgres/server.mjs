// The server of the bench: the Postgres that the tests start, with its settings as it comes, but for more connections: what is acknowledged is
// on the disk. Every measurement has a database of its own.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { startPostgres } from "../engines/start.mjs"

export async function startServer() {
  const { port, folder, remove } = await startPostgres({ isDurable: true })
  const urlOf = (database) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const admin = async (work) => {
    const client = new pg.Client({ connectionString: urlOf("postgres") })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  const show = async (name) => (await admin((client) => client.query(`SHOW ${name}`))).rows[0][name]
  let made = 0
  return {
    version: await show("server_version"),
    settings: Object.fromEntries(
      await Promise.all(["fsync", "synchronous_commit", "shared_buffers", "max_wal_size"].map(async (name) => [name, await show(name)])),
    ),
    folder,
    /** A database that nobody has used; what was there before is dropped, so that nobody cleans up after another. */
    async fresh() {
      await admin(async (client) => {
        for (let i = 0; i < made; i++) await client.query(`DROP DATABASE IF EXISTS bench_${i} WITH (FORCE)`)
      })
      return this.another()
    },
    /** The same, beside those that are there. */
    async another() {
      const name = `bench_${made++}`
      await admin(async (client) => {
        await client.query(`CREATE DATABASE ${name}`)
        await client.query("CHECKPOINT")
      })
      return urlOf(name)
    },
    /** CPU time of all processes of the server so far, in µs. */
    cpuUs: () => cpuUs(join(folder, "data")),
    stop: remove,
  }
}

/** Of the postmaster with all of its children, those that have ended included; null where there is no /proc. */
function cpuUs(data) {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
    const ticksOf = (one) => {
      const fields = readFileSync(`/proc/${one}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
      return { parent: Number(fields[1]), own: Number(fields[11]) + Number(fields[12]), ended: Number(fields[13]) + Number(fields[14]) }
    }
    const { own, ended } = ticksOf(pid)
    let ticks = own + ended
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue
      try {
        const child = ticksOf(name)
        if (child.parent === pid) ticks += child.own
      } catch {
        // It has ended meanwhile.
      }
    }
    return ticks * 10_000
  } catch {
    return null
  }
}

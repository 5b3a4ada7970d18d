// The tests' own servers: they keep their data through a kill, stand where they stood, and leave nothing behind.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { connect } from "node:net"
import { it } from "node:test"
import { pathToFileURL } from "node:url"
import { sleep, systemWorld } from "../../src/world/index.ts"
import { startBouncer } from "../engines/pgbouncer.ts"
import { sharedPostgres, startPostgres } from "../engines/postgres.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { postgresPlace } from "../engines/postgres-place.ts"

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1")
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}

/** Processes that live in a folder, where the system can be asked for them. */
function livingIn(folder: string): readonly string[] {
  if (!existsSync("/proc")) return []
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })
}

it("a server that is killed amid a statement comes back on its port with what was committed", async (t) => {
  const server = await startPostgres({ isDurable: true, args: ["-c", "work_mem=5MB"] })
  t.after(() => server.remove())
  const admin = await postgresAdmin(server.url)
  const asked = "('fsync', 'full_page_writes', 'synchronous_commit', 'work_mem')"
  assert.deepEqual(await admin.rows(`select name, setting from pg_settings where name in ${asked} order by name`), [
    { name: "fsync", setting: "on" },
    { name: "full_page_writes", setting: "on" },
    { name: "synchronous_commit", setting: "on" },
    { name: "work_mem", setting: "5120" },
  ])
  await admin.rows("create table kept (n integer)")
  await admin.rows("insert into kept values (1)")
  await admin.rows("begin")
  await admin.rows("insert into kept values (2)")
  const busy = assert.rejects(admin.rows("select count(*) from generate_series(1, 100000000000)"))
  await server.kill()
  await busy
  assert.equal(await isListening(server.port), false)
  assert.deepEqual(livingIn(`${server.folder}/data`), [])
  const again = await startPostgres({ like: server })
  assert.deepEqual([again.port, again.folder, again.version], [server.port, server.folder, server.version])
  t.after(() => again.remove())
  const other = await postgresAdmin(again.url)
  t.after(() => other.close())
  assert.deepEqual(await other.rows("select n, current_setting('fsync') as fsync from kept"), [{ n: 1, fsync: "off" }])
  await again.remove()
  assert.equal(existsSync(server.folder), false)
})

it("a server ends with a process that is killed, and its folder goes with it", async (t) => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(pathToFileURL(`${process.cwd()}/.build/test/engines/postgres.js`).href)})
    console.log(JSON.stringify(await startPostgres()))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] })
  t.after(() => child.kill("SIGKILL"))
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  const { port, folder } = JSON.parse(String(line)) as { port: number; folder: string }
  assert.equal(await isListening(port), true)
  child.kill("SIGKILL")
  while (existsSync(folder) || (await isListening(port))) await sleep(systemWorld, 20)
  assert.deepEqual(livingIn(folder), [])
})

it("what is wrong with a server's options is told in its own words", async () => {
  await assert.rejects(startPostgres({ args: ["-c", "max_connections=none"] }), /expected a server that listens.*max_connections/s)
})

it("a place is a schema of its own, gone when it is cleared", async (t) => {
  const [one, other] = await Promise.all([postgresPlace(), postgresPlace()])
  assert.notEqual(one.schema, other.schema)
  assert.equal(new URL(one.url).searchParams.get("schema"), one.schema)
  const admin = await postgresAdmin(one.url)
  t.after(() => admin.close())
  for (const { schema } of [one, other]) {
    await admin.rows(`create schema ${schema}`)
    await admin.rows(`create table ${schema}.tasks (n integer)`)
  }
  await one.clear()
  const left = await admin.rows("select nspname as name from pg_namespace where nspname in ($1, $2)", one.schema, other.schema)
  assert.deepEqual(left, [{ name: other.schema }])
  await other.clear()
})

it("behind PgBouncer a session is whichever connection is free", async (t) => {
  const bouncer = await startBouncer(await sharedPostgres(), { default_pool_size: 1 })
  t.after(() => bouncer.remove())
  const [one, other] = await Promise.all([postgresAdmin(bouncer.url), postgresAdmin(bouncer.url)])
  const pid = async (admin: typeof one) => (await admin.rows("select pg_backend_pid() as pid"))[0]?.pid
  assert.equal(await pid(one), await pid(other))
  await Promise.all([one.close(), other.close()])
  await bouncer.remove()
  assert.equal(await isListening(bouncer.port), false)
})

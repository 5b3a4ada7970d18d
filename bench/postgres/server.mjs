// A Postgres of the bench's own: a new cluster on a free port, in a folder of its own, ended with the bench. Its settings are those that it
// comes with: what is acknowledged is on the disk. Every measurement has a database of its own.
import { spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, dirname, join } from "node:path"
import pg from "pg"

const missing = "expected postgres and initdb on PATH or in /usr/lib/postgresql/*/bin, found neither; on Debian: apt-get install postgresql"
/** More connections than it comes with, for all subjects alike. */
const settings = ["max_connections=200"]

function binaries() {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => {
    const file = join(folder, "postgres")
    return existsSync(file) ? dirname(realpathSync(file)) : folder
  })
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...onPath, ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`)]
  const found = folders.find((folder) => existsSync(join(folder, "postgres")) && existsSync(join(folder, "initdb")))
  if (!found) throw new Error(`bench: ${missing}`)
  return found
}

/** It refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }))
    if (uid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error("bench: expected a user postgres or nobody to run the server as, found neither")
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => probe.once("listening", resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** `args`: more of the server's settings. */
export async function startPostgres(folder, args = []) {
  const bin = binaries()
  const user = unprivileged()
  const home = join(folder, "postgres")
  const data = join(home, "data")
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined) for (const path of [folder, home, data]) chownSync(path, user.uid, user.gid)
  const made = spawnSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8"], {
    ...{ ...user, cwd: home, encoding: "utf8" },
  })
  if (made.status !== 0) throw new Error(`bench: initdb: ${made.stderr}`)
  const port = await freePort()
  const own = [...settings, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${home}`].flatMap((one) => ["-c", one])
  const child = spawn(join(bin, "postgres"), ["-D", data, ...own, ...args], { ...user, cwd: home, stdio: ["ignore", "ignore", "pipe"] })
  const end = () => child.kill("SIGKILL")
  process.once("exit", end)
  await untilReady(child)
  return serverOf(child, port, data)
}

async function untilReady(child) {
  let said = ""
  await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`postgres: expected it to listen, but it ended with ${code}: ${said}`)))
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-4_096)
      if (said.includes("ready to accept connections")) resolve()
    })
  })
}

async function serverOf(child, port, data) {
  const urlOf = (database) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const admin = async (work, database = "postgres") => {
    const client = new pg.Client({ connectionString: urlOf(database) })
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
    url: urlOf("postgres"),
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
    cpuUs: () => cpuUs(data),
    async stop() {
      const isGone = new Promise((resolve) => child.once("exit", resolve))
      // At once: the files go with it.
      child.kill("SIGQUIT")
      await isGone
    },
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

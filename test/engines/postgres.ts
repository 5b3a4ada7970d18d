// A real Postgres for the tests: found on this machine, or installed from the system's packages where that may be. It listens on a free
// port, keeps its files in a folder of its own, and ends with whoever started it, whichever way that ends.

import { spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findPostgres } from "./postgres-binary.ts"
import { type Guarded, startGuarded } from "./postgres-guardian.ts"
import { killServer } from "./postgres-processes.ts"
import { serverUser } from "./postgres-user.ts"

export interface TestPostgres {
  readonly port: number
  readonly url: string
  /** As it says itself. */
  readonly version: string
  readonly folder: string
  /** Ends all of it at once, as a crash does, and resolves when it is gone. Its files stay until `remove`. */
  kill(): Promise<void>
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** Such as "-c", "work_mem=1MB". */
  readonly args?: readonly string[]
  /** Where and with which files one was before. */
  readonly like?: TestPostgres
  /** For its files: whoever names it removes it. */
  readonly folder?: string
  /** Writes reach the disk before they are answered; without it they survive the end of the server, but not that of the machine. */
  readonly isDurable?: boolean
}

/** Below what systems give out by themselves. */
const ports = { from: 22_000, count: 10_000 }
const mostTries = 30
/** Of servers that were killed and not started again: nobody else removes them. */
const abandoned = new Set<string>()
process.once("exit", () => {
  for (const folder of abandoned) rmSync(folder, { recursive: true, force: true })
})

let isAnnounced = false

export async function startPostgres({ args = [], like, folder: given, isDurable = false }: PostgresOptions = {}): Promise<TestPostgres> {
  const programs = findPostgres()
  const isOurs = given === undefined
  const folder = realpathSync(given ?? like?.folder ?? mkdtempSync(join(tmpdir(), "sluice-postgres-")))
  const data = join(folder, "data")
  if (!existsSync(data)) makeCluster(programs, folder, { data, isOurs, isDurable })
  abandoned.delete(folder)
  const user = serverUser()
  for (let tries = 1; ; tries++) {
    const port = like?.port ?? ports.from + Math.floor(Math.random() * ports.count)
    const settings = {
      ...{ port, listen_addresses: "127.0.0.1", unix_socket_directories: folder, max_connections: 200 },
      ...{ fsync: isDurable ? "on" : "off", full_page_writes: isDurable ? "on" : "off" },
      ...{ logging_collector: "off", log_destination: "stderr" },
    }
    const own = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const started = await startGuarded({
      command: [join(programs, "postgres"), "-D", data, ...own, ...args],
      ...{ folder, isOurs, pidFile: join(data, "postmaster.pid"), ready: /database system is ready to accept connections/, signal: "QUIT" },
    })
    if (typeof started !== "string") return serverOf(started, port, folder, isOurs)
    if (tries < mostTries && /Address already in use|pre-existing shared memory block|lock file .* already exists/.test(started)) continue
    if (isOurs) rmSync(folder, { recursive: true, force: true })
    throw new Error(`${programs}/postgres${user ? ` as user ${user.uid}` : ""}: expected a server that listens, but it ended:\n${started}`)
  }
}

interface Cluster {
  readonly data: string
  readonly isOurs: boolean
  readonly isDurable: boolean
}

function makeCluster(programs: string, folder: string, { data, isOurs, isDurable }: Cluster): void {
  const user = serverUser()
  mkdirSync(data, { mode: 0o700 })
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
  const args = ["-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8", ...(isDurable ? [] : ["--no-sync"])]
  const { status, stdout, stderr, error } = spawnSync(join(programs, "initdb"), args, { ...user, cwd: folder, encoding: "utf8" })
  if (status === 0) return
  rmSync(isOurs ? folder : data, { recursive: true, force: true })
  throw new Error(`${programs}/initdb: expected a new cluster, but it failed: ${error?.message ?? ""}\n${stdout ?? ""}${stderr ?? ""}`)
}

function serverOf({ said, end }: Guarded, port: number, folder: string, isOurs: boolean): TestPostgres {
  const version = /starting PostgreSQL ([\d.]+\w*)/.exec(said)?.[1] ?? "unknown"
  if (!isAnnounced) console.error(`# PostgreSQL ${version}`)
  isAnnounced = true
  return {
    ...{ port, folder, version, url: `postgres://postgres@127.0.0.1:${port}/postgres` },
    kill: async () => {
      await killServer(join(folder, "data"))
      await end()
      if (isOurs) abandoned.add(folder)
    },
    remove: async () => {
      await end()
      if (isOurs) rmSync(folder, { recursive: true, force: true })
      abandoned.delete(folder)
    },
  }
}

let shared: Promise<string> | null = null

/** The server that all tests of a run share: each keeps to a schema of its own. A test file that is run alone starts one. */
export function sharedPostgres(): Promise<string> {
  const given = process.env.SLUICE_TEST_POSTGRES_URL
  shared ??= given ? Promise.resolve(given) : startPostgres().then(({ url }) => url)
  return shared
}

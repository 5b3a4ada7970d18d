// A real PgBouncer in front of a server, in transaction mode: a client keeps a connection of the server for no longer than a transaction.

import { spawnSync } from "node:child_process"
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installed } from "./packages.ts"
import { startGuarded } from "./postgres-guardian.ts"
import { serverUser } from "./postgres-user.ts"
import { findProgram } from "./programs.ts"

export interface TestBouncer {
  readonly port: number
  readonly url: string
  readonly version: string
  remove(): Promise<void>
}

const folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/local/sbin"]
const wanted = { name: "PgBouncer", packages: ["pgbouncer"], others: "brew install pgbouncer (macOS)" }
const ports = { from: 22_000, count: 10_000 }
const mostTries = 30

/** In front of the server at this URL. `settings` are lines of its [pgbouncer] section. */
export async function startBouncer(serverUrl: string, settings: Readonly<Record<string, string | number>> = {}): Promise<TestBouncer> {
  const program = look() ?? installed(wanted, look)
  const folder = mkdtempSync(join(tmpdir(), "sluice-pgbouncer-"))
  for (let tries = 1; ; tries++) {
    const port = ports.from + Math.floor(Math.random() * ports.count)
    const started = await startGuarded({
      command: [program, configure(folder, port, new URL(serverUrl), settings)],
      ...{ folder, isOurs: true, pidFile: join(folder, "pid"), ready: /process up: /, signal: "KILL" },
    })
    if (typeof started !== "string") return bouncerOf(program, started.end, folder, port, serverUrl)
    if (tries < mostTries && /Address already in use/.test(started)) continue
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`${program}: expected a PgBouncer that listens, but it ended:\n${started}`)
  }
}

function look(): string | null {
  return findProgram(["pgbouncer"], folders)
}

/** Everybody is let in; whoever it is, on the server it is the user of the URL. */
function configure(folder: string, port: number, server: URL, settings: Readonly<Record<string, string | number>>): string {
  const own = {
    ...{ listen_addr: "127.0.0.1", listen_port: port, unix_socket_dir: "", pidfile: join(folder, "pid"), auth_type: "any" },
    ...{ pool_mode: "transaction", max_client_conn: 1_000, default_pool_size: 20, ...settings },
  }
  const login = { host: server.hostname, port: server.port || "5432", user: server.username || "postgres" }
  const password = server.password === "" ? {} : { password: decodeURIComponent(server.password) }
  const words = Object.entries({ ...login, ...password }).map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const path = join(folder, "pgbouncer.ini")
  writeFileSync(path, `[databases]\n* = ${words.join(" ")}\n\n[pgbouncer]\n${lines.join("\n")}\n`)
  const user = serverUser()
  if (user) for (const owned of [folder, path]) chownSync(owned, user.uid, user.gid)
  return path
}

function bouncerOf(program: string, end: () => Promise<void>, folder: string, port: number, serverUrl: string): TestBouncer {
  const version = /PgBouncer (\S+)/i.exec(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout)?.[1] ?? "unknown"
  console.error(`# PgBouncer ${version}`)
  const url = new URL(serverUrl)
  url.hostname = "127.0.0.1"
  url.port = String(port)
  return {
    ...{ port, version, url: url.href },
    remove: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

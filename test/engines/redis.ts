// A real Redis for the tests: found on this machine, or installed from the system's packages where that may be. It listens on a free port,
// keeps its files in a folder of its own, and ends with whoever started it, whichever way that ends.

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findServer } from "./redis-binary.ts"

export interface TestServer {
  readonly port: number
  readonly url: string
  /** As it says itself. */
  readonly version: string
  readonly folder: string
  /** Ends it at once, as a crash does, and resolves when it is gone. Its files stay until `remove`. */
  kill(): Promise<void>
  remove(): Promise<void>
}

export interface StartOptions {
  readonly args?: readonly string[]
  /** Where and with which files one was before. */
  readonly like?: TestServer
  /** For its files: whoever names it removes it. */
  readonly folder?: string
}

/** The server ends when its guardian's input does: that is when this process has ended, be it by SIGKILL. */
const guardian = '"$@" & server=$!; read -r _; kill -9 $server; wait $server 2>/dev/null'
/** Below what systems give out by themselves; so are the ports of a cluster's bus, 10,000 above. */
const ports = { from: 12_000, count: 10_000 }
const mostTries = 30

let isAnnounced = false

export async function startRedis({ args = [], like, folder: given }: StartOptions = {}): Promise<TestServer> {
  const binary = findServer()
  const folder = given ?? like?.folder ?? mkdtempSync(join(tmpdir(), "sluice-redis-"))
  const isOurs = given === undefined
  for (let tries = 1; ; tries++) {
    const port = like?.port ?? ports.from + Math.floor(Math.random() * ports.count)
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--logfile", ""]
    const started = await startOnce(binary, [...own, ...args])
    if (typeof started !== "string") return serverOf(started, port, folder, isOurs, like !== undefined, binary)
    if (tries < mostTries && /in use|bind|listen/i.test(started)) continue
    if (isOurs) rmSync(folder, { recursive: true, force: true })
    throw new Error(`${binary}: expected a server that listens, but it ended:\n${started}`)
  }
}

interface Started {
  readonly child: ChildProcess
  readonly version: string
}

/** What it has said, where it has ended instead. */
async function startOnce(binary: string, args: readonly string[]): Promise<Started | string> {
  const child = spawn("sh", ["-c", guardian, "sh", binary, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  let said = ""
  const isReady = await new Promise<boolean>((resolve) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      if (/Ready to accept connections/.test(said)) resolve(true)
      if (/Failed listening|Could not create server|Fatal|FATAL|Bad directive|error in config/i.test(said)) resolve(false)
      if (said.length > 65_536) said = said.slice(-8_192)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("exit", () => resolve(false))
  })
  if (!isReady) {
    await end(child)
    return said
  }
  // It holds nobody back from ending.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref()
  return { child, version: /(?:version=|v=)([\d.]+)/.exec(said)?.[1] ?? "unknown" }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, "exit")
  child.stdin?.end()
  await ended
}

function serverOf(
  { child, version }: Started,
  port: number,
  folder: string,
  isOurs: boolean,
  isAgain: boolean,
  binary: string,
): TestServer {
  if (!isAnnounced) console.error(`# ${binary} ${version}`)
  isAnnounced = true
  const forget = () => isOurs && rmSync(folder, { recursive: true, force: true })
  // Who was there before it has said so already.
  if (isOurs && !isAgain) process.once("exit", forget)
  const kill = () => end(child)
  return {
    ...{ port, folder, version, kill, url: `redis://127.0.0.1:${port}` },
    remove: async () => {
      await kill()
      process.removeListener("exit", forget)
      forget()
    },
  }
}

let shared: Promise<string> | null = null

/** The server that all tests of a run share: each keeps to a namespace of its own. A test file that is run alone starts one. */
export function sharedRedis(): Promise<string> {
  const given = process.env.SLUICE_TEST_REDIS_URL
  shared ??= given ? Promise.resolve(given) : startRedis().then(({ url }) => url)
  return shared
}

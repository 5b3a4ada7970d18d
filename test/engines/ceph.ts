// A real S3 server for the tests: Ceph's gateway with its store of objects in memory. Found on this machine, or installed from the system's
// packages where that may be. It listens on free ports, keeps its files in a folder of its own, and ends with whoever started it,
// whichever way that ends. The gateway can be killed and started again; what was stored stays.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sleep, systemWorld } from "../../src/world/index.ts"
import { findCeph } from "./ceph-binary.ts"
import { type CephPorts, cephConfig } from "./ceph-config.ts"
import { makeBucket } from "./s3-bucket.ts"

export interface TestCeph {
  readonly port: number
  /** With a bucket that is there and the keys to it. */
  readonly url: string
  readonly version: string
  /** Ends the gateway as a crash does, and starts it again at the same place. */
  restartGateway(): Promise<void>
  remove(): Promise<void>
}

/** It ends when its guardian's input does: that is when this process has ended, be it by SIGKILL. The last to end removes the files. */
const guardian =
  'folder=$1; shift; "$@" </dev/null >>"$folder/said" 2>&1 & server=$!; read -r word; kill -9 $server; wait $server 2>/dev/null; if [ -z "$word" ]; then rm -rf "$folder"; fi'
const ports = { from: 24_000, count: 4_000 }
const mostTries = 10
const startMs = 60_000
const key = "sluice"
const secret = "sluice-secret"

let isAnnounced = false

export async function startCeph(): Promise<TestCeph> {
  const programs = findCeph()
  for (let tries = 1; ; tries++) {
    const folder = mkdtempSync(join(tmpdir(), "sluice-ceph-"))
    const monitor = ports.from + Math.floor(Math.random() * ports.count)
    const server = new Server(programs, folder, { monitor, gateway: monitor + ports.count })
    try {
      return await server.start()
    } catch (error) {
      await server.remove()
      if (tries >= mostTries || !/in use|bind/i.test(String(error))) throw error
    }
  }
}

class Server {
  private readonly programs: string
  private readonly folder: string
  private readonly ports: CephPorts
  private readonly daemons = new Map<string, ChildProcess>()
  private readonly forget = () => rmSync(this.folder, { recursive: true, force: true })

  constructor(programs: string, folder: string, ports: CephPorts) {
    this.programs = programs
    this.folder = folder
    this.ports = ports
    process.once("exit", this.forget)
  }

  async start(): Promise<TestCeph> {
    const { folder, ports } = this
    const [fsid, osd] = [randomUUID(), randomUUID()]
    for (const name of ["mon", "osd", "rgw"]) mkdirSync(join(folder, name))
    writeFileSync(join(folder, "ceph.conf"), cephConfig(folder, fsid, ports))
    const map = join(folder, "monmap")
    this.run("monmaptool", "--create", "--clobber", "--fsid", fsid, "--addv", "a", `[v2:127.0.0.1:${ports.monitor}]`, map)
    this.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", map)
    this.keep("ceph-mon", "-i", "a", "-f")
    this.run("ceph", "osd", "new", osd)
    this.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd)
    this.keep("ceph-osd", "-i", "0", "-f")
    const keys = ["--access-key", key, "--secret-key", secret]
    this.run("radosgw-admin", "user", "create", "--uid", "test", "--display-name", "test", ...keys)
    await this.startGateway()
    const version = /ceph version ([\d.]+)/.exec(this.run("radosgw", "--version"))?.[1] ?? "unknown"
    if (!isAnnounced) console.error(`# Ceph radosgw ${version}`)
    isAnnounced = true
    const url = `s3://${key}:${secret}@sluice-test?endpoint=http://127.0.0.1:${ports.gateway}`
    await makeBucket(url)
    const restartGateway = async () => {
      await this.end("radosgw")
      await this.startGateway()
    }
    return { url, version, port: ports.gateway, restartGateway, remove: () => this.remove() }
  }

  async remove(): Promise<void> {
    for (const name of [...this.daemons.keys()].reverse()) await this.end(name)
    process.removeListener("exit", this.forget)
    this.forget()
  }

  private async startGateway(): Promise<void> {
    const daemon = this.keep("radosgw", "-n", "client.rgw", "-f")
    for (const untilMs = performance.now() + startMs; performance.now() < untilMs; await sleep(systemWorld, 10)) {
      if (daemon.exitCode !== null) throw new Error(`radosgw: expected a gateway that listens, but it ended; see ${this.folder}`)
      const answer = await fetch(`http://127.0.0.1:${this.ports.gateway}/`).catch(() => null)
      if (answer?.status === 200) return
    }
    throw new Error(`radosgw: expected a gateway that listens within ${startMs} ms; see ${this.folder}`)
  }

  private run(program: string, ...args: readonly string[]): string {
    const { folder } = this
    const options = { cwd: folder, encoding: "utf8", timeout: startMs } as const
    const ran = spawnSync(join(this.programs, program), [...args, "-c", join(folder, "ceph.conf")], options)
    if (ran.status === 0) return ran.stdout
    throw new Error(
      `${program}: expected it to succeed, but it failed: ${ran.error?.message ?? ""}\n${ran.stdout ?? ""}${ran.stderr ?? ""}`,
    )
  }

  private keep(program: string, ...args: readonly string[]): ChildProcess {
    const { folder } = this
    const command = [join(this.programs, program), ...args, "-c", join(folder, "ceph.conf")]
    const child = spawn("sh", ["-c", guardian, "sh", folder, ...command], {
      cwd: folder,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    child.stdin?.on("error", () => {})
    child.unref()
    const input = child.stdin as unknown as { unref(): void }
    input.unref()
    this.daemons.set(program, child)
    return child
  }

  private async end(program: string): Promise<void> {
    const child = this.daemons.get(program)
    this.daemons.delete(program)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = once(child, "exit")
    child.stdin?.end("ended\n")
    await ended
  }
}

let shared: Promise<string> | null = null

/** The server that all tests of a run share: each keeps to a prefix of its own. A test file that is run alone starts one. */
export function sharedS3(): Promise<string> {
  const given = process.env.SLUICE_TEST_S3_URL
  shared ??= given ? Promise.resolve(given) : startCeph().then(({ url }) => url)
  return shared
}

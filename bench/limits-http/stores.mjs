// The stores that the cases run on, each case in a place of its own. Redis, Postgres and S3 are servers that end with the run; the first two
// sync before they answer.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { startServer } from "../s3/server.mjs"

/** Answers with `storeFor(name)`, the URL of a place for one case, and what ends it. */
export const stores = {
  async sqlite(folder) {
    let made = 0
    return { storeFor: (name) => `sqlite:${join(folder, `${name}-${made++}.db`)}`, end: () => {} }
  },
  async redis(folder) {
    const port = await freePort()
    const dir = join(folder, "redis")
    mkdirSync(dir)
    const args = ["--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always"]
    const server = spawn("redis-server", args.map(String), { stdio: ["ignore", "pipe", "inherit"] })
    process.once("exit", () => server.kill("SIGKILL"))
    await untilReady(server)
    let made = 0
    return { storeFor: (name) => `redis://127.0.0.1:${port}?prefix=${name}-${made++}`, end: () => server.kill("SIGKILL") }
  },
  async postgres(folder) {
    // Only where it is asked for: its client is installed with what the benchmarks compare with.
    const { startPostgres } = await import("../postgres/server.mjs")
    const server = await startPostgres(folder)
    let made = 0
    return { storeFor: (name) => `${server.url}?schema=${name.replaceAll("-", "_")}_${made++}`, end: () => server.stop() }
  },
  async s3() {
    const server = await startServer()
    let made = 0
    const storeFor = (name) => {
      const url = new URL(server.url)
      url.pathname = `/${name}-${made++}`
      return url.href
    }
    return { storeFor, end: () => server.stop() }
  },
}

async function untilReady(server) {
  let said = ""
  await new Promise((resolve, reject) => {
    server.once("error", () => reject(new Error("expected redis-server on the path; install it, or choose --store sqlite")))
    server.once("exit", (code) => reject(new Error(`redis-server: expected it to listen, but it ended with ${code}: ${said}`)))
    server.stdout.on("data", (chunk) => {
      said = (said + chunk).slice(-4_096)
      if (said.includes("Ready to accept connections")) resolve()
    })
  })
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

// A redis-server of the bench's own: on a free port, in a folder of its own, ended with the bench. Nothing is written to disk, which is
// how BullMQ and bee-queue measure themselves too.
import { spawn, spawnSync } from "node:child_process"
import { createClient } from "@redis/client"

const binary = () => ["redis-server", "valkey-server"].find((name) => spawnSync(name, ["--version"]).status === 0)

export async function startServer(folder) {
  const name = binary()
  if (!name)
    throw new Error("bench redis: expected redis-server or valkey-server on PATH, found neither; on Debian: apt-get install redis-server")
  for (let tries = 0; tries < 20; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"]
    const child = spawn(name, args, { stdio: ["ignore", "pipe", "inherit"] })
    const isReady = await new Promise((resolve) => {
      let said = ""
      child.stdout.on("data", (chunk) => {
        said += chunk
        if (/Ready to accept connections/.test(said)) resolve(true)
      })
      child.once("exit", () => resolve(false))
    })
    if (isReady) return serverOf(child, port)
  }
  throw new Error(`bench redis: ${name} found no free port`)
}

async function serverOf(child, port) {
  const url = `redis://127.0.0.1:${port}`
  const client = createClient({ url })
  await client.connect()
  const info = async (section, name) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(await client.info(section))?.[1] ?? ""
  return {
    port,
    url,
    version: await info("server", "redis_version"),
    usedMemory: async () => Number(await info("memory", "used_memory")),
    clear: () => client.flushAll(),
    stop: async () => {
      client.destroy()
      const isGone = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await isGone
    },
  }
}

// A server that ends as it lets somebody in: its last words come in the packet that says "ready", before anybody has taken the connection.

import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, connect as connectTo, createServer } from "node:net"
import { it } from "node:test"
import pg from "pg"
import { open } from "../../src/stores/postgres/index.ts"
import { systemWorld } from "../../src/world/index.ts"
import { sharedPostgres } from "../engines/postgres.ts"

const ready = Buffer.from("Z\0\0\0\u0005I", "latin1")
const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0", "latin1")
const lastWords = Buffer.concat([Buffer.from("E"), Buffer.from(new Uint32Array([fields.length + 4]).buffer).swap32(), fields])

async function dyingServer(to: string): Promise<{ url: string; close: () => Promise<void> }> {
  const url = new URL(to)
  const [host, port] = [url.hostname, Number(url.port)]
  const server = createServer((client) => {
    const line = connectTo(port, host)
    for (const socket of [client, line]) socket.on("error", () => {})
    client.on("close", () => line.destroy())
    client.pipe(line)
    line.on("data", (chunk) => {
      if (chunk.includes(ready)) client.end(Buffer.concat([chunk, lastWords]))
      else client.write(chunk)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    close: async () => {
      server.close()
      await once(server, "close")
    },
  }
}

for (const [whose, poolOf] of [
  ["its own", () => null],
  ["a user's", (url: string) => new pg.Pool({ connectionString: url }).on("error", () => {})],
] as const)
  it(`is told as a store out of reach, on a pool of ${whose}`, async (t) => {
    const { url, close } = await dyingServer(await sharedPostgres())
    const pool = poolOf(url)
    t.after(async () => {
      await pool?.end()
      await close()
    })
    const opening = open({ url, namespace: "default", world: systemWorld, ...(pool === null ? {} : { pool }) })
    await assert.rejects(opening, { code: "store_unavailable" })
  })

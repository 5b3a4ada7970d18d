// A Redis server of the test's own with a full store in it, which is put back before each run; and whether the server has lived through it.

import assert from "node:assert/strict"
import { after } from "node:test"
import { type Client, loadDriver } from "../../src/stores/redis/driver.ts"
import { open } from "../../src/stores/redis/index.ts"
import { parseLocation } from "../../src/stores/redis/location.ts"
import { baseOf } from "../../src/stores/redis/steps.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { sleep, systemWorld } from "../../src/world/index.ts"
import { startRedis } from "../engines/redis.ts"
import { type Contents, fill } from "./full-store.ts"

/** Not a measure of speed: whatever is still at it after this long would be so for hours. */
const longestMs = 20_000

export interface FullRedis extends Contents {
  readonly url: string
  readonly client: Client
  /** Of the namespace "default". */
  readonly base: string
  putBack(): Promise<void>
  /** What is done within a bounded time, on a server that is the same afterwards. */
  survives<T>(run: () => Promise<T>): Promise<T>
}

export async function makeFullRedis(): Promise<FullRedis> {
  const server = await startRedis()
  const location = parseLocation(server.url)
  const connect = await loadDriver(location)
  const client = await connect(location.hosts[0], () => {})
  after(async () => {
    client.destroy()
    await server.remove()
  })
  const world = new VirtualWorld()
  const store = await open({ url: server.url, namespace: "default", world })
  const other = await open({ url: server.url, namespace: "other", world })
  const contents = await fill(store, other, world)
  await other.close()
  await store.close()
  const keys = (await client.send(["KEYS", "*"])) as Buffer[]
  const dumps = await Promise.all(keys.map(async (key) => [key, (await client.send(["DUMP", key])) as Buffer] as const))
  const runId = () => client.send(["INFO", "server"]).then((info) => /run_id:(\w+)/.exec(String(info))?.[1])
  const first = await runId()
  return {
    ...contents,
    ...{ url: server.url, client, base: baseOf(location.prefix, "default") },
    putBack: async () => {
      await client.send(["FLUSHALL"])
      await Promise.all(dumps.map(([key, dump]) => client.send(["RESTORE", key, "0", dump])))
    },
    survives: async (run) => {
      const over = new AbortController()
      const late = sleep(systemWorld, longestMs, over.signal).then(async () => {
        if (over.signal.aborted) return
        await server.kill()
        assert.fail(`expected an end within ${longestMs} ms: a step goes on for ever`)
      })
      try {
        const done = await Promise.race([run(), late])
        assert.equal(await runId(), first, "expected the server that was there before")
        return done as Awaited<ReturnType<typeof run>>
      } finally {
        over.abort()
      }
    },
  }
}

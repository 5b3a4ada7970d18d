// Crash points within a write of Redis: its log ends anywhere within what a step has written, as a machine that stops leaves it. Whoever
// starts on it finds nothing of that step, and all of those before it.

import { equal, ok } from "node:assert/strict"
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { Dice } from "../../src/testing/dice.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { startRedis } from "../engines/redis.ts"
import { runs } from "../property/runs.ts"
import { durable } from "../redis/kit.ts"
import { shown } from "./process.ts"
import { contentOf, plainClient, putAt } from "./redis-keys.ts"
import { collectStops, type RedisStop, redisAt } from "./redis-stops.ts"

/** Where in the log a step stands. */
interface Written {
  readonly stop: RedisStop
  readonly from: number
  readonly to: number
}

describe("crash points within the log of Redis", () => {
  it("redis: a log that ends within a step has nothing of it, and all before it", async (test) => {
    const server = await startRedis({ args: durable })
    test.after(() => server.remove())
    const stops = await collectStops(server.url)
    const written = await madeOneByOne(server.url, server.folder, stops)
    await server.kill()
    const dice = new Dice(runs(1))
    const steps = written.filter(({ from, to }) => to > from)
    ok(steps.length > 50, `expected most calls to be written down, got ${steps.length}`)
    for (let n = 0; n < runs(16); n++) {
      const torn = dice.pick(steps)
      const at = dice.between(torn.from + 1, torn.to - 1)
      const folder = `${server.folder}-${n}`
      cpSync(server.folder, folder, { recursive: true })
      truncateSync(logIn(folder), at)
      const again = await startRedis({ args: durable, like: { ...server, folder } })
      try {
        await judgeTorn(
          again.url,
          written,
          torn,
          `${shown(torn.stop.call)}, its log cut after ${at - torn.from} of ${torn.to - torn.from} bytes`,
        )
      } finally {
        await again.remove()
        rmSync(folder, { recursive: true, force: true })
      }
    }
  })
})

const placeOf = ({ call }: RedisStop) => `call-${call.number}`

/** Each call on a place of its own. */
async function madeOneByOne(url: string, folder: string, stops: readonly RedisStop[]): Promise<Written[]> {
  const client = await plainClient(url)
  for (const stop of stops) await putAt(client, placeOf(stop), stop.copy)
  const written: Written[] = []
  for (const stop of stops) {
    const store = await redisAt(url, placeOf(stop)).open({ world: new VirtualWorld({ startMs: stop.atMs }) })
    const from = statSync(logIn(folder)).size
    await (store[stop.call.operation] as (request: unknown) => Promise<unknown>)(stop.call.request)
    written.push({ stop, from, to: statSync(logIn(folder)).size })
    await store.close()
  }
  client.destroy()
  return written
}

async function judgeTorn(url: string, written: readonly Written[], torn: Written, message: string): Promise<void> {
  const client = await plainClient(url)
  for (const { stop, from } of written) {
    const isThere = from < torn.from
    const found = await contentOf(client, placeOf(stop))
    equal(found, isThere ? stop.after : stop.before, `${message}: ${shown(stop.call)} is ${isThere ? "not there" : "there in part"}`)
  }
  client.destroy()
}

/** Before version 7 there was one file. */
function logIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".aof"))
  const name = names.find((one) => one.endsWith(".incr.aof")) ?? names[0]
  ok(name, `expected a log in ${folder}`)
  return join(folder, name)
}

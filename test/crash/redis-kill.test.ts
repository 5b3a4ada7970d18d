// Crash points of Redis itself, with `appendfsync always`: the server is killed with SIGKILL, and started again on its files. What was
// answered is there, what was not is there as a whole or not at all, and the work can be finished.

import { equal, ok } from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { isSluiceError } from "../../src/errors/index.ts"
import type { Store } from "../../src/store/index.ts"
import { Dice } from "../../src/testing/dice.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { startRedis, type TestServer } from "../engines/redis.ts"
import { runs } from "../property/runs.ts"
import { durable } from "../redis/kit.ts"
import { takeOver } from "./aftermath.ts"
import { shown } from "./process.ts"
import { contentOf, plainClient, putAt } from "./redis-keys.ts"
import { collectStops, type RedisStop, redisAt } from "./redis-stops.ts"
import { play } from "./script.ts"
import { otherName, Stage, victimName } from "./stage.ts"

const atOnce = 24

let server: TestServer
let stops: readonly RedisStop[] = []

before(async () => {
  server = await startRedis({ args: durable })
  stops = await collectStops(server.url)
})
after(() => server.remove())

async function restarted(): Promise<void> {
  server = await startRedis({ args: durable, like: server })
}

describe("crash points of Redis under SIGKILL", () => {
  it("redis: killed and started again after every call, it goes on as if nothing had happened", async () => {
    const prefix = "every-call"
    const stage = await Stage.open(async () => redisAt(server.url, prefix))
    const ends: string[] = []
    const watch = {
      async answered() {
        await server.kill()
        await restarted()
        const client = await plainClient(server.url)
        ends.push(await contentOf(client, prefix))
        client.destroy()
      },
    }
    try {
      const victim = await stage.start(victimName, watch)
      await play({ stage, victim, other: await stage.start(otherName) })
    } finally {
      await stage.close()
    }
    for (const [i, { call, after }] of stops.entries()) equal(ends[i], after, `${shown(call)}, and the server killed`)
  })

  it("redis: killed while every call of the script is under way at once, each has happened or has not", async (test) => {
    const seen = { answered: 0, lost: 0, missing: 0 }
    const dice = new Dice(runs(1))
    for (let round = 1; round <= runs(6); round++) {
      const placeOf = ({ call }: RedisStop) => `round-${round}-${call.number}`
      const acked = await killedAmid(placeOf, dice.between(0, stops.length - 1))
      const client = await plainClient(server.url)
      for (const stop of stops) {
        const message = `${shown(stop.call)}, in round ${round}`
        const found = await contentOf(client, placeOf(stop))
        if (acked.has(stop)) {
          equal(found, stop.after, `${message}: what was answered is not there`)
          seen.answered++
        } else if (found === stop.after) {
          // All of them are in one of two states that are known; that the work can be finished from there is seen on some.
          if (seen.lost++ % 6 === 0) await finished(stop, placeOf(stop))
        } else {
          equal(found, stop.before, `${message}: neither what was before the call nor what was after it`)
          seen.missing++
        }
      }
      await client.send(["FLUSHALL"])
      client.destroy()
    }
    test.diagnostic(`${seen.answered} answered, ${seen.lost} carried out and not answered, ${seen.missing} never carried out`)
    ok(seen.answered > 0 && seen.lost + seen.missing > 0, "expected some before the kill and some behind it")
  })
})

/** Makes each call on a place of its own, several at once, and kills the server once so many are answered. Those that were. */
async function killedAmid(placeOf: (stop: RedisStop) => string, afterAnswers: number): Promise<ReadonlySet<RedisStop>> {
  const client = await plainClient(server.url)
  for (const stop of stops) await putAt(client, placeOf(stop), stop.copy)
  client.destroy()
  const open = (stop: RedisStop) => redisAt(server.url, placeOf(stop)).open({ world: new VirtualWorld({ startMs: stop.atMs }) })
  const stores = await Promise.all(stops.map(open))
  const acked = new Set<RedisStop>()
  let next = 0
  let killed: Promise<void> | null = null
  const callOn = async () => {
    while (next < stops.length && !killed) {
      const at = next++
      const stop = stops[at] as RedisStop
      try {
        await asked(stores[at] as Store, stop)
        acked.add(stop)
      } catch (error) {
        if (!isSluiceError(error) || error.code !== "store_unavailable") throw error
      }
      if (acked.size > afterAnswers) killed ??= server.kill()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, callOn))
  await (killed ?? server.kill())
  await restarted()
  await Promise.all(stores.map((store) => store.close()))
  return acked
}

function asked(store: Store, { call }: RedisStop): Promise<unknown> {
  return (store[call.operation] as (request: unknown) => Promise<unknown>)(call.request)
}

async function finished({ call, atMs, known: events }: RedisStop, prefix: string): Promise<void> {
  await takeOver(redisAt(server.url, prefix), { atMs, events, underWay: call }, `${shown(call)}, and the server killed`)
}

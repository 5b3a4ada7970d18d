// Several who write at the same time, each at a number of its own: what one has written behind numbers that are still empty is carried out
// once they are filled, whoever fills them, and whatever became of the answers.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { type LogRecord, unpackRecord } from "../../src/stores/s3/record.ts"
import type { S3Store } from "../../src/stores/s3/store.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { Dice } from "../../src/testing/dice.ts"
import { systemWorld } from "../../src/world/index.ts"
import { bucketClient } from "../engines/s3-bucket.ts"
import { type Hook, type Place, place } from "./place.ts"

const broken = () => new TypeError("fetch failed: the line broke")
const answer = (status: number) => new Response("<Error></Error>", { status, headers: { date: new Date().toUTCString() } })

async function submitEach(store: S3Store, count: number): Promise<string[]> {
  const desk = new Desk(store, systemWorld as never)
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await desk.submit()).id)
  return ids
}

async function records(here: Place): Promise<LogRecord[]> {
  const client = bucketClient(here.url)
  const all: LogRecord[] = []
  for (const key of await here.names(here.keys.records)) all.push(await unpackRecord((await client.send({ method: "GET", key })).body))
  return all.sort((a, b) => a.head.number - b.head.number)
}

/**
 * The log has every number once, and every request once. Behind a number whose writer has not come through yet there is nothing but the records
 * of those who leave.
 */
async function soundLog(here: Place): Promise<LogRecord[]> {
  const all = await records(here)
  equal(new Set(all.map(({ head }) => head.number)).size, all.length)
  const hole = all.findIndex(({ head }, i) => head.number !== i + 1)
  const behind = hole < 0 ? [] : all.slice(hole)
  deepEqual(
    behind.filter(({ requests }) => requests.length > 0).map(({ head }) => head.number),
    [],
    "expected no request behind a number that is missing",
  )
  const requests = all.flatMap(({ requests }) => requests.map(({ id }) => id))
  equal(new Set(requests).size, requests.length, "expected every request to stand in the log once")
  return all
}

async function seenAlike(stores: readonly S3Store[], ids: readonly string[]): Promise<void> {
  const seen = await Promise.all(stores.map(async (store) => (await store.get({ ids })).tasks))
  for (const tasks of seen) deepEqual(tasks, seen[0])
  equal(
    seen[0]?.every((task) => task !== null && task.version === 1),
    true,
  )
  for (const store of stores) equal((await store.counts({ type: null })).byStatus.pending, ids.length)
}

it("one of several is gone when its number comes: the others fill it, and go on", async () => {
  const here = await place()
  let isGone = false
  const gone = await here.open({ hook: async (_method, _path, send) => (isGone ? Promise.reject(broken()) : send()), query: "&timeout=1s" })
  const others = [await here.open(), await here.open()]
  const ids = (await Promise.all([gone, ...others].map((store) => submitEach(store, 20)))).flat()
  // As a process that is killed in the middle of its writes: it has said that it goes on.
  const last = submitEach(gone, 5).then((more) => {
    isGone = true
    return more
  })
  const more = await Promise.all([last, ...others.map((store) => submitEach(store, 30))])
  ids.push(...more.flat())
  await seenAlike(others, ids)
  ok(
    (await soundLog(here)).some(({ head }) => head.again),
    "expected those who write at the same time to say that they go on",
  )
  for (const store of [...others, gone]) await store.close()
})

it("on bad lines nothing that was written beside others is lost or done twice", async () => {
  const here = await place()
  const seed = 11
  const dice = new Dice(seed)
  const hook: Hook = async (method, path, send) => {
    const roll = path.includes("/log/") ? dice.random() : 1
    if (roll < 0.05) return answer(503)
    if (roll < 0.09) throw broken()
    if (roll < 0.15) {
      await send()
      if (roll < 0.12 || method === "GET") throw broken()
      return answer(roll < 0.135 ? 500 : 409)
    }
    return send()
  }
  const stores = await Promise.all(Array.from({ length: 5 }, () => here.open({ hook })))
  const ids = (await Promise.all(stores.map((store) => submitEach(store, 20)))).flat()
  equal(new Set(ids).size, 100, `seed ${seed}`)
  await seenAlike(stores, ids)
  await soundLog(here)
  for (const store of stores) await store.close()
})

// Two versions of the program that would compute differently from the same record never go on beside each other: the layout in each record
// tells them apart. An older one refuses what a newer one has written; what an older one writes behind a newer one counts for nothing.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { it } from "node:test"
import { gzipSync } from "node:zlib"
import { layoutVersion, packRecord, unpackRecord } from "../../src/stores/s3/record.ts"
import { Replica } from "../../src/stores/s3/replica.ts"
import { capture } from "../../src/stores/s3/snapshot.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { systemWorld } from "../../src/world/index.ts"
import { bucketClient, expectStatus } from "../engines/s3-bucket.ts"
import { type Place, place } from "./place.ts"

const older = layoutVersion - 1
const newer = layoutVersion + 1
const deskOf = (store: ConstructorParameters<typeof Desk>[0]) => new Desk(store, systemWorld as never)
const tooNew = { code: "schema_too_new", message: /layout.*upgrade/ }

async function put({ url }: Place, key: string, body: Uint8Array): Promise<void> {
  expectStatus(await bucketClient(url).send({ method: "PUT", key, body }), 200)
}

async function records({ url, keys, names }: Place) {
  const found = []
  for (const key of await names(keys.records)) found.push(await unpackRecord((await bucketClient(url).send({ method: "GET", key })).body))
  return found
}

/** What a process of another version writes at a number: a task of this id. */
async function writeAs(here: Place, layout: number, number: number, id: string, template: Desk): Promise<void> {
  const request = { tasks: [template.newTask({ id })] }
  const head = { layout, number, writer: "other", attempt: number, atMs: Date.now(), errorMs: 0 }
  const line = JSON.stringify({ id: `other.${number}`, op: "submit", waitedMs: 0, request })
  await put(here, here.keys.record(number), await packRecord(head, [line]))
}

it("who meets a record of a newer layout refuses to go on, and to begin, and writes nothing more", async () => {
  const here = await place()
  const first = await here.open()
  const desk = deskOf(first)
  const task = await desk.submit()
  const { length } = await here.names(here.keys.records)
  await writeAs(here, newer, length + 1, "task_of_newer", desk)
  await rejects(desk.submit(), tooNew)
  await rejects(first.get({ ids: [task.id] }), tooNew)
  await rejects(desk.worker().claim(), tooNew)
  await rejects(here.open(), tooNew)
  deepEqual(
    (await records(here)).map(({ head }) => head.layout),
    [...Array.from({ length }, () => layoutVersion), newer],
  )
  await first.close()
})

it("who meets a snapshot of a newer layout refuses to begin", async () => {
  const here = await place()
  const first = await here.open()
  await deskOf(first).submit()
  await first.close()
  const { head, lines } = capture(new Replica())
  const text = [{ ...head, layout: newer, number: 1 }, ...lines].map((line) => JSON.stringify(line)).join("\n")
  await put(here, here.keys.snapshot(1, "newer"), gzipSync(text))
  await rejects(here.open(), tooNew)
})

it("what an older layout has written is read, and a record says from where on the newer one holds", async () => {
  const here = await place()
  const unused = await (await place()).open()
  await writeAs(here, older, 1, "task_of_older", deskOf(unused))
  const first = await here.open()
  equal((await first.get({ ids: ["task_of_older"] })).tasks[0]?.id, "task_of_older")
  const second = await here.open()
  deepEqual(
    (await records(here)).map(({ head, requests }) => [head.layout, requests.length]),
    [
      [older, 1],
      [layoutVersion, 0],
    ],
  )
  for (const store of [unused, first, second]) await store.close()
})

it("what an older process writes behind a newer one is not carried out, by whoever reads it", async () => {
  const here = await place()
  const first = await here.open()
  const desk = deskOf(first)
  const task = await desk.submit()
  const { length } = await here.names(here.keys.records)
  await writeAs(here, older, length + 1, "task_of_older", desk)
  const next = await desk.submit()
  const second = await here.open()
  for (const store of [first, second]) {
    const { tasks } = await store.get({ ids: [task.id, "task_of_older", next.id] })
    deepEqual(
      tasks.map((one) => one?.id),
      [task.id, undefined, next.id],
    )
  }
  await first.close()
  await second.close()
})

it("who begins while an older process writes is told to stop that first", async () => {
  const here = await place()
  const unused = await (await place()).open()
  const template = deskOf(unused)
  await writeAs(here, older, 1, "task_of_older", template)
  let isFirst = true
  const opening = here.open({
    hook: async (method, path, send) => {
      if (method === "PUT" && path.endsWith(here.keys.record(2)) && isFirst) {
        isFirst = false
        await writeAs(here, older, 2, "task_of_older_2", template)
      }
      return send()
    },
  })
  await rejects(opening, { code: "store_unfit", message: /older Sluice.*stop/ })
  ok(!isFirst)
  // It was stopped.
  const first = await here.open()
  equal((await first.get({ ids: ["task_of_older_2"] })).tasks[0]?.id, "task_of_older_2")
  await first.close()
  await unused.close()
})

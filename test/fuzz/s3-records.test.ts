// Objects of an S3 namespace that were damaged: whatever stands in them, whoever opens it is answered, or refused with an error that names
// what is damaged. Nothing crashes, nothing goes on for ever, and what was damaged is not written over.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { gunzipSync } from "node:zlib"
import fc from "fast-check"
import type { Store } from "../../src/store/contract.ts"
import { open } from "../../src/stores/s3/index.ts"
import { reach } from "../../src/stores/s3/reach.ts"
import { unpackRecord } from "../../src/stores/s3/record.ts"
import { Replica } from "../../src/stores/s3/replica.ts"
import { capture, saveSnapshot } from "../../src/stores/s3/snapshot.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { systemWorld } from "../../src/world/index.ts"
import { bucketClient, expectStatus } from "../engines/s3-bucket.ts"
import { s3Place } from "../engines/s3-place.ts"
import { runs } from "../property/runs.ts"
import { damagedJson, flippedBit } from "./damage.ts"
import { type Contents, fill } from "./full-store.ts"
import { assertRefusal } from "./refusal.ts"

/** Records behind the snapshot. */
const behind = 12

interface Stored {
  /** Within the namespace. */
  readonly name: string
  readonly body: Buffer
}

interface Full {
  readonly contents: Contents
  readonly objects: readonly Stored[]
}

/** A namespace with something of everything: a snapshot, and the last records. */
async function makeFull(): Promise<Full> {
  const { url } = await s3Place()
  const world = new VirtualWorld()
  const [store, other] = [await open({ url, namespace: "default", world }), await open({ url, namespace: "other", world })]
  const contents = await fill(store, other, world)
  await store.close()
  await other.close()
  const { objects, keys } = await reach({ url, namespace: "default", world: systemWorld })
  const records: Stored[] = []
  for (let number = 1; ; number++) {
    const { status, body } = await objects.read(keys.record(number))
    if (status === 404) break
    records.push({ name: keys.record(number).slice(keys.base.length), body: Buffer.from(body) })
  }
  const replica = new Replica()
  for (const { body } of records.slice(0, -behind)) replica.apply(await unpackRecord(body), () => {})
  await saveSnapshot(objects, keys, capture(replica), "test")
  const [snapshot] = (await objects.list(keys.snapshots)).objects
  assert.ok(snapshot)
  const { body } = await objects.read(snapshot.key)
  objects.close()
  return { contents, objects: [{ name: snapshot.key.slice(keys.base.length), body: Buffer.from(body) }, ...records.slice(-behind)] }
}

const damage = fc.record({
  object: fc.nat(1_000),
  how: fc.constantFrom("bit", "cut", "gone", "other", "line", "json", "json", "json"),
  pick: fc.nat(),
  with: fc.nat(1_000),
})

/** What is there instead; null for nothing at all. */
function damaged(
  body: Buffer,
  { how, pick, with: other }: Pick<typeof damage extends fc.Arbitrary<infer T> ? T : never, "how" | "pick" | "with">,
  all: readonly Stored[],
): Buffer | null {
  if (how === "gone") return null
  if (how === "bit") return flippedBit(body, pick)
  if (how === "cut") return body.subarray(0, pick % body.length)
  if (how === "other") return all[pick % all.length]?.body ?? null
  const lines = (body[0] === 0x1f ? gunzipSync(body) : body).toString("utf8").split("\n")
  const at = pick % lines.length
  const changed = how === "line" ? null : damagedJson(lines[at] ?? "", pick, other)
  if (changed) lines[at] = changed.toString("utf8")
  else lines.splice(at, 1)
  return Buffer.from(lines.join("\n"))
}

const full = await makeFull()

/** The same objects at a place of their own. */
async function laid(objects: readonly { readonly name: string; readonly body: Buffer | null }[]): Promise<string> {
  const { url, prefix } = await s3Place()
  const client = bucketClient(url)
  const key = (name: string) => `${prefix}/default/${name}`
  for (const { name, body } of objects) if (body) expectStatus(await client.send({ method: "PUT", key: key(name), body }), 200)
  return url
}

const codes = ["store_damaged", "schema_too_new", "data_lost"] as const

async function survive(url: string): Promise<"answered" | "refused"> {
  let store: Store | null = null
  try {
    store = await open({ url: `${url}&timeout=1s`, namespace: "default", world: new VirtualWorld({ startMs: full.contents.nowMs }) })
    await store.counts({ type: null })
    await store.list(everything)
    for (const id of full.contents.statuses.keys()) await store.explain({ id })
    await store.exchange({
      workerId: "w",
      leaseMs: 30_000,
      settles: [],
      heartbeats: [],
      claim: { number: 1, max: 5, types: [{ type: "mail", room: 5 }] },
    })
    return "answered"
  } catch (error) {
    assertRefusal(error, codes)
    return "refused"
  } finally {
    await store?.close()
  }
}

describe("fuzz: objects of S3", () => {
  it("that are sound are read, so that what follows means something", async () => {
    assert.equal(await survive(await laid(full.objects)), "answered")
  })

  it("of which one is damaged: an answer or a typed error", async () => {
    await fc.assert(
      fc.asyncProperty(damage, async (one) => {
        const at = one.object % full.objects.length
        const objects = full.objects.map((stored, i) => (i === at ? { ...stored, body: damaged(stored.body, one, full.objects) } : stored))
        try {
          await survive(await laid(objects))
        } catch (error) {
          throw new Error(`${full.objects[at]?.name}, ${JSON.stringify(one)}: ${(error as Error).message}`, { cause: error })
        }
      }),
      { numRuns: runs(40) },
    )
  })
})

// What this version makes of the records of its layout, it has always made of them: others have, and what they computed was answered. Where this
// fails, a step computes something else than before: raise layoutVersion, and let records of the layout before be computed as they were
// (docs/internals/s3.md, "Layouts"). Then record what is made of the new one, with SLUICE_RECORD_LAYOUT=1.

import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { it } from "node:test"
import { gunzipSync, gzipSync } from "node:zlib"
import { open } from "../../src/stores/s3/index.ts"
import { reach } from "../../src/stores/s3/reach.ts"
import { type LogRecord, layoutVersion, unpackRecord } from "../../src/stores/s3/record.ts"
import { Replica } from "../../src/stores/s3/replica.ts"
import { capture } from "../../src/stores/s3/snapshot.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { systemWorld } from "../../src/world/index.ts"
import { s3Place } from "../engines/s3-place.ts"
import { fill } from "../fuzz/full-store.ts"

const fixture = `test/s3/layouts/${layoutVersion}.json.gz`

interface Recorded {
  readonly records: readonly LogRecord[]
  /** Of what every request was answered, and of the state afterwards. */
  readonly answers: string
  readonly state: string
}

/** Whatever the order in which fields were written. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Error) return value.message
  if (value instanceof Map) return [...value].map(plain)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, plain(one)]))
}

const digest = (value: unknown) =>
  createHash("sha256")
    .update(JSON.stringify(plain(value)))
    .digest("hex")

function computed(records: readonly LogRecord[]): Omit<Recorded, "records"> {
  const replica = new Replica()
  const answers: unknown[] = []
  for (const record of records) replica.apply(record, (id, applied) => answers.push([id, applied]))
  const lines = capture(replica).lines.map(([kind, ...values]) =>
    kind === "finished" ? JSON.parse(values[0] as string) : [kind, ...values],
  )
  return { answers: digest(answers), state: digest(lines) }
}

/** Something of everything, as a store writes it. */
async function record(): Promise<readonly LogRecord[]> {
  const { url } = await s3Place()
  const world = new VirtualWorld()
  const [store, other] = [await open({ url, namespace: "default", world }), await open({ url, namespace: "other", world })]
  await fill(store, other, world)
  for (const one of [store, other]) await one.close()
  const { objects, keys } = await reach({ url, namespace: "default", world: systemWorld })
  const records: LogRecord[] = []
  for (let number = 1; ; number++) {
    const { status, body } = await objects.read(keys.record(number))
    if (status === 404) break
    records.push(await unpackRecord(body))
  }
  objects.close()
  return records
}

it("records of this layout lead to what they have always led to", async () => {
  if (process.env.SLUICE_RECORD_LAYOUT === "1") {
    const records = await record()
    writeFileSync(fixture, gzipSync(JSON.stringify({ records, ...computed(records) }), { level: 9 }))
  }
  assert.ok(existsSync(fixture), `expected what layout ${layoutVersion} has led to in ${fixture}: record it`)
  const { records, ...expected } = JSON.parse(gunzipSync(readFileSync(fixture)).toString("utf8")) as Recorded
  assert.ok(records.length > 50, `expected something of everything, got ${records.length} records`)
  assert.deepEqual(computed(records), expected)
})

// Snapshots: the state behind a record, so that nobody has to read the log from its beginning. JSON lines, the first about the snapshot,
// each further one a thing that is there; written in slices, so that the process goes on meanwhile.

import { createGunzip, createGzip } from "node:zlib"
import { SluiceError, shown } from "../../errors/index.ts"
import type { ClockState } from "../../store/clock.ts"
import { systemWorld } from "../../world/index.ts"
import { fromText, type ImageLine, toText } from "../memory/image.ts"
import { damaged } from "./errors.ts"
import { type Keys, numberIn } from "./layout.ts"
import type { Listed, Objects } from "./objects.ts"
import { layoutVersion } from "./record.ts"
import { Replica } from "./replica.ts"

interface SnapshotHead {
  readonly layout: number
  readonly number: number
  readonly clock: ClockState
}

export interface Loaded {
  /** When it was asked, by the server's clock and by this process's. */
  readonly dateMs: number
  readonly askedAtMs: number
  /** Null where there is none. */
  readonly replica: Replica | null
}

/** What was captured at once, to be written later. */
export interface Captured {
  readonly head: SnapshotHead
  readonly lines: readonly ImageLine[]
}

const linesPerSlice = 500
const mostTries = 5

export function capture({ number, clock, records }: Replica): Captured {
  return { head: { layout: layoutVersion, number, clock }, lines: records.image() }
}

export async function saveSnapshot(objects: Objects, keys: Keys, { head, lines }: Captured, id: string): Promise<void> {
  const zip = createGzip({ level: 1 })
  const parts: Buffer[] = []
  zip.on("data", (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve, reject) => zip.on("end", resolve).on("error", reject))
  zip.write(`${JSON.stringify(head)}\n`)
  for (let from = 0; from < lines.length; from += linesPerSlice) {
    const slice = lines.slice(from, from + linesPerSlice).map((line) => `${toText(line)}\n`)
    const isFull = !zip.write(slice.join(""))
    await new Promise<void>((resolve) => (isFull ? zip.once("drain", resolve) : systemWorld.turn(resolve)))
  }
  zip.end()
  await ended
  await objects.put(keys.snapshot(head.number, id), Buffer.concat(parts))
}

/** The newest there is. */
export async function loadSnapshot(objects: Objects, keys: Keys): Promise<Loaded> {
  for (let tries = 0; tries < mostTries; tries++) {
    const { dateMs, askedAtMs, objects: listed } = await objects.list(keys.snapshots)
    const newest = newestOf(listed)
    if (!newest) return { dateMs, askedAtMs, replica: null }
    const reply = await objects.read(newest.key)
    // A newer one has come, and this one was removed.
    if (reply.status === 200) return { dateMs, askedAtMs, replica: await restore(objects.place, newest.key, reply.body) }
  }
  throw new SluiceError("store_unavailable", `${objects.place}: expected a snapshot that stays until it is read; try again`)
}

export function newestOf(listed: readonly Listed[]): Listed | null {
  const number = ({ key }: Listed) => numberIn(key) ?? 0
  return listed.reduce<Listed | null>((newest, one) => (newest === null || number(one) > number(newest) ? one : newest), null)
}

async function restore(place: string, key: string, body: Uint8Array): Promise<Replica> {
  const replica = new Replica()
  try {
    const lines = linesOf(await expanded(body))
    const { layout, number, clock } = JSON.parse(lines.next().value ?? "") as SnapshotHead
    if (layout > layoutVersion)
      throw new SluiceError(
        "schema_too_new",
        `${place}: expected snapshots of layout ${layoutVersion} or older, got ${layout}; upgrade Sluice`,
      )
    replica.number = number
    replica.layout = layout
    replica.clock = clock
    replica.records.restore(imageOf(lines))
  } catch (error) {
    if (error instanceof SluiceError) throw error
    throw damaged(place, key, `expected a snapshot, got what cannot be read (${shown((error as Error).message)})`)
  }
  return replica
}

/** Part by part: as one text it might be too long for one. */
async function expanded(body: Uint8Array): Promise<readonly Buffer[]> {
  const unzip = createGunzip()
  const parts: Buffer[] = []
  unzip.end(body)
  for await (const part of unzip) parts.push(part as Buffer)
  return parts
}

function* linesOf(parts: readonly Buffer[]): Generator<string> {
  let rest: Buffer[] = []
  for (const part of parts) {
    let from = 0
    for (let end = part.indexOf(10); end !== -1; end = part.indexOf(10, from)) {
      if (rest.length === 0) yield part.toString("utf8", from, end)
      else {
        yield Buffer.concat([...rest, part.subarray(from, end)]).toString("utf8")
        rest = []
      }
      from = end + 1
    }
    if (from < part.length) rest.push(part.subarray(from))
  }
}

function* imageOf(lines: Iterable<string>): Generator<ImageLine> {
  for (const line of lines) yield fromText(line)
}

// Before the first record: does this server keep what everything rests on? Several creates of one key race, and exactly one may win. Writing
// twice, one after the other, would not do: there are servers that look first and write then.

import { SluiceError } from "../../errors/index.ts"
import { randomHex, type World } from "../../world/index.ts"
import type { Objects } from "./objects.ts"

const racers = 8
const rounds = 2

const sound = new Set<string>()

/** A server does not change its ways while a process lives: asked once. */
export async function probeOnce(objects: Objects, name: string, prefix: string, world: World): Promise<void> {
  if (sound.has(name)) return
  await probe(objects, prefix, world)
  sound.add(name)
}

async function probe(objects: Objects, prefix: string, world: World): Promise<void> {
  if (await objects.isVersioned()) {
    throw unfit(
      objects,
      "expected a bucket without versioning, where conditional writes are safe on every server; suspend it, or use another bucket",
    )
  }
  for (let round = 0; round < rounds; round++) {
    const key = `${prefix === "" ? "" : `${prefix}/`}probe/${process.pid.toString(36)}-${randomHex(world, 16)}`
    try {
      await race(objects, key)
    } finally {
      await objects.remove(key)
    }
  }
}

async function race(objects: Objects, key: string): Promise<void> {
  const bodies = Array.from({ length: racers }, (_, i) => Buffer.from(`racer ${i}`))
  const results = await Promise.all(bodies.map((body) => objects.create(key, body)))
  const winners = results.flatMap(({ kind }, i) => (kind === "created" ? [i] : []))
  const isUnclear = results.some(({ kind }) => kind === "unknown" || kind === "busy")
  const kept = Buffer.from((await objects.read(key)).body).toString("utf8")
  if (winners.length > 1)
    throw unfit(
      objects,
      `expected one of ${racers} racing creates (If-None-Match: *) to win, but ${winners.length} did: this server ignores the condition, and would lose tasks; use one that keeps it`,
    )
  const isFirstKept = winners.length === 1 ? kept === `racer ${winners[0]}` : isUnclear && /^racer \d$/.test(kept)
  if (!isFirstKept)
    throw unfit(objects, `expected what the first of ${racers} racing creates wrote, got ${JSON.stringify(kept.slice(0, 40))}`)
  const again = await objects.create(key, Buffer.from("late"))
  if (again.kind === "created") throw unfit(objects, "expected a create of what is there to be refused, but it was not")
}

function unfit({ place }: Objects, message: string): SluiceError {
  return new SluiceError("store_unfit", `${place}: ${message}`)
}

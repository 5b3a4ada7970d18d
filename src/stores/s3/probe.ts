// Before the first record: does this server keep what everything rests on? Several creates of one key race, and exactly one may win. Writing
// twice, one after the other, would not do: there are servers that look first and write then.

import { SluiceError } from "../../errors/index.ts"
import { randomHex, systemWorld, type World } from "../../world/index.ts"
import { type Objects, pause } from "./objects.ts"

const racers = 8
const rounds = 2

const sound = new Set<string>()

export interface ProbeOptions {
  readonly prefix: string
  readonly world: World
  /** How long a server may be too busy to take part. */
  readonly patienceMs: number
}

/** A server does not change its ways while a process lives: asked once. */
export async function probeOnce(objects: Objects, name: string, options: ProbeOptions): Promise<void> {
  if (sound.has(name)) return
  await probe(objects, options)
  sound.add(name)
}

async function probe(objects: Objects, { prefix, world, patienceMs }: ProbeOptions): Promise<void> {
  if (await objects.isVersioned()) {
    throw unfit(
      objects,
      "expected a bucket without versioning, where conditional writes are safe on every server; suspend it, or use another bucket",
    )
  }
  const untilMs = systemWorld.monotonicMs() + patienceMs
  for (let told = 0, tries = 0; told < rounds; tries++) {
    const key = `${prefix === "" ? "" : `${prefix}/`}probe/${process.pid.toString(36)}-${randomHex(world, 16)}`
    try {
      if (await race(objects, key)) told++
      else if (systemWorld.monotonicMs() >= untilMs) throw tooBusy(objects)
      else await pause(tries)
    } finally {
      await objects.remove(key)
    }
  }
}

/** False where nothing was written, and nobody knows why: a server that is busy, or starts again, has told nothing about itself. */
async function race(objects: Objects, key: string): Promise<boolean> {
  const bodies = Array.from({ length: racers }, (_, i) => Buffer.from(`racer ${i}`))
  const results = await Promise.all(bodies.map((body) => objects.create(key, body)))
  const winners = results.flatMap(({ kind }, i) => (kind === "created" ? [i] : []))
  if (winners.length > 1)
    throw unfit(
      objects,
      `expected one of ${racers} racing creates (If-None-Match: *) to win, but ${winners.length} did: this server ignores the condition, and would lose tasks; use one that keeps it`,
    )
  const isUnclear = results.some(({ kind }) => kind === "unknown" || kind === "busy")
  const { status, body } = await objects.read(key)
  if (status === 404 && winners.length === 0 && isUnclear) return false
  const kept = Buffer.from(body).toString("utf8")
  const isFirstKept = winners.length === 1 ? kept === `racer ${winners[0]}` : isUnclear && /^racer \d$/.test(kept)
  if (!isFirstKept)
    throw unfit(objects, `expected what the first of ${racers} racing creates wrote, got ${JSON.stringify(kept.slice(0, 40))}`)
  const again = await objects.create(key, Buffer.from("late"))
  if (again.kind === "created") throw unfit(objects, "expected a create of what is there to be refused, but it was not")
  return true
}

function tooBusy({ place }: Objects): SluiceError {
  return new SluiceError(
    "store_unavailable",
    `${place}: expected a create that is answered, but the server is busy or has stumbled; try again`,
  )
}

function unfit({ place }: Objects, message: string): SluiceError {
  return new SluiceError("store_unfit", `${place}: ${message}`)
}

// What is asked of the server while several write: nothing that is known already, and no numbers far behind the end.

import { deepEqual, equal } from "node:assert/strict"
import { it } from "node:test"
import { Committer } from "../../../src/stores/s3/committer.ts"
import { Keys } from "../../../src/stores/s3/layout.ts"
import { Log } from "../../../src/stores/s3/log.ts"
import type { Objects } from "../../../src/stores/s3/objects.ts"
import { packRecord } from "../../../src/stores/s3/record.ts"
import { Watcher } from "../../../src/stores/s3/watcher.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const keys = new Keys("", "default")
const head = (number: number) => ({ layout: 1, number, writer: "a", attempt: number, atMs: 1_000, errorMs: 0 })

/** A bucket in memory; tells which keys were read. */
class Bucket {
  readonly place = "s3://here"
  readonly read: Objects["read"]
  reads: string[] = []
  private readonly bodies = new Map<string, Uint8Array>()

  constructor() {
    this.read = async (key) => {
      this.reads.push(key)
      return this.reply(this.bodies.get(key))
    }
  }

  async put(number: number): Promise<void> {
    this.bodies.set(keys.record(number), await packRecord(head(number), []))
  }

  async create(key: string, body: Uint8Array) {
    this.bodies.set(key, body)
    return { kind: "created" as const, reply: this.reply(body) }
  }

  async list() {
    return { objects: [], dateMs: 1_000, askedAtMs: 0 }
  }

  private reply(body: Uint8Array | undefined) {
    const headers = { get: () => null }
    return { status: body ? 200 : 404, headers, body: body ?? new Uint8Array(), dateMs: 1_000, sentAtMs: 0, receivedAtMs: 0 }
  }
}

async function openLog(bucket: Bucket): Promise<Log> {
  const nothing = () => {}
  const log = new Log({
    ...{ objects: bucket as unknown as Objects, keys, recordsKeptMs: 3_600_000, applied: nothing, answered: nothing, lost: nothing },
  })
  await log.open()
  return log
}

it("whoever was far behind reads many at once, and after a record of its own no more than it waits for", async () => {
  const bucket = new Bucket()
  for (let number = 1; number <= 15; number++) await bucket.put(number)
  const log = await openLog(bucket)
  for (let looks = 1; looks <= 4; looks++) equal(await log.look(), "found")
  equal(log.replica.number, 15)
  bucket.reads = []
  equal(await log.write(head(17), []), "created")
  await log.look(17)
  deepEqual(bucket.reads, [keys.record(16)])
})

it("reads as many at once as a look that found all gives reason for, however many looked at the same time", async () => {
  const bucket = new Bucket()
  await bucket.put(1)
  const log = await openLog(bucket)
  deepEqual(await Promise.all([log.look(), log.look(), log.look()]), ["found", "found", "found"])
  bucket.reads = []
  equal(await log.look(), "end")
  deepEqual(bucket.reads, [keys.record(2), keys.record(3)])
})

it("whoever waits for work does not look for what the process has just read or written, and looks again when it does neither", async () => {
  const bucket = new Bucket()
  const log = await openLog(bucket)
  const world = new VirtualWorld()
  const longestPauseMs = 100
  const watcher = new Watcher(log, world, longestPauseMs)
  const ending = new AbortController()
  const waiting = watcher.wait(ending.signal)
  await world.advance(1_000)
  bucket.reads = []
  for (let i = 0; i < 50; i++) {
    await world.advance(longestPauseMs / 2)
    watcher.heard(false)
  }
  for (let i = 0; i < 50; i++) {
    await world.advance(longestPauseMs / 2)
    watcher.sawEnd()
  }
  deepEqual(bucket.reads, [])
  await world.advance(longestPauseMs + 1)
  equal(bucket.reads.length, 1)
  ending.abort()
  await waiting
  watcher.close()
  equal(world.armedTimers, 0)
})

it("whoever waits for the number of its record tells that it has looked, and found nothing new", async () => {
  let seen = 0
  let seenAtEnd = 0
  const done = () => {
    seenAtEnd = seen
    committer.answered(`${committer.writer}.1`, { kind: "answer", answer: "done" }, 0)
  }
  const committer = new Committer({
    ...{ world: new VirtualWorld(), place: "s3://here", patienceMs: 1_000, stamp: () => ({ atMs: 1_000, errorMs: 0 }) },
    sawEnd: () => {
      seen++
    },
  })
  // Somebody else has taken number 1. What is written further on then waits for a number that is still empty.
  const replica = { number: 0 }
  let looks = 0
  const look = async () => {
    replica.number = 1
    if (++looks === 3) done()
    return "end"
  }
  const written = ["exists", "created", "exists"]
  const log = { replica, pace: { tripMs: 0, hasLimits: false }, look, write: async () => written.shift() }
  const answer = await committer.run(log as unknown as Log, "submit", () => ({}))
  deepEqual(answer, { answer: "done", waitedMs: 0 })
  // The first look was for the number that it has lost, the third for one that it has tried to fill.
  equal(seenAtEnd, 1)
})

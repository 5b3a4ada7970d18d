// What is told as an age grows older while it waits for the lock: a refusal belongs to the episode in which its request was sent, however
// long another process keeps the file to itself.

import { deepEqual } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineLimit, defineTask, type Queue } from "../../../src/index.ts"
import type { Answer, SettleRequest } from "../../../src/store/index.ts"
import { openDatabase } from "../../../src/stores/sqlite/driver.ts"
import { completed, said, throttled } from "../../../src/testing/conformance/outcomes.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-waited-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const crawl = defineLimit("crawl", { adaptive: { preset: "linear", minDelay: 0 } })
const page = defineTask("page", { limits: [crawl], run: () => null })

/** Two that have started at once, at the time 0; and a lock that somebody else holds while the world moves on. */
async function started(name: string) {
  const path = join(folder, name)
  const world = new VirtualWorld()
  const queue = await connect(`sqlite:${path}`, { world })
  await queue.submitMany(page, [1, 2])
  const claim = { number: 1, types: [{ type: "page", room: 2 }], max: 2 }
  const asked = { workerId: "w", settles: [], heartbeats: [], leaseMs: 60_000, claim: null }
  const { claimed } = await queue.store.exchange({ ...asked, claim })
  const [first, second] = claimed
  if (!first || !second) throw new Error("expected two tasks")
  const settle = (settles: readonly SettleRequest[]) => queue.store.exchange({ ...asked, settles })
  const whileLocked = async <T>(ms: number, ask: () => Promise<T>): Promise<T> => {
    const other = await openDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    const answer = ask()
    await world.advance(ms)
    other.exec("COMMIT")
    other.close()
    // The lock is tried for again after a while of the world.
    let isAnswered = false
    const done = answer.finally(() => {
      isAnswered = true
    })
    await world.advanceUntil(() => isAnswered)
    return done
  }
  return { world, queue, first, second, settle, whileLocked }
}

async function learned(queue: Queue) {
  const view = (await queue.limits.gates("crawl")).gates[0]?.learned
  return [view?.adaptiveDelayMs, view?.errorStreak]
}

const refusal: Answer = {
  limit: null,
  kind: "refused",
  reason: "rate",
  retryAfterMs: null,
  quotas: [],
  sentAgoMs: 0,
  respondedAgoMs: 0,
  random: 0,
}

describe("a request that waited for the lock of a file", () => {
  it("tells of a refusal of the same episode: the gate reacts once", async () => {
    const { world, queue, first, second, settle, whileLocked } = await started("settle.db")
    await world.advance(100)
    await settle([said(first, throttled(), { sentAgoMs: 90 })])
    await world.advance(5)
    // Sent at 60, when nobody had reacted. It is heard of 50 ms later than it was told.
    await whileLocked(50, () => settle([said(second, throttled(), { sentAgoMs: 45 })]))
    deepEqual(await learned(queue), [1_000, 1])
    await queue.close()
  })

  it("tells so where the handler has gone on, too", async () => {
    const { world, queue, first, second, settle, whileLocked } = await started("heard.db")
    await world.advance(100)
    await settle([said(first, throttled(), { sentAgoMs: 90 })])
    await world.advance(5)
    const heard = [{ ...refusal, sentAgoMs: 45, respondedAgoMs: 1 }]
    await whileLocked(50, () => settle([said(second, completed(), { sentAgoMs: 45, heard })]))
    deepEqual(await learned(queue), [1_000, 1])
    await queue.close()
  })

  it("tells so with a permit, too", async () => {
    const { world, queue, first, second, settle, whileLocked } = await started("permit.db")
    await world.advance(100)
    await settle([said(first, throttled(), { sentAgoMs: 90 })])
    await world.advance(5)
    const heard = [{ ...refusal, sentAgoMs: 45, respondedAgoMs: 1 }]
    const { id, fence } = second
    await whileLocked(50, () => queue.store.permit({ id, fence, limit: "crawl", cost: 1, withinMs: 0, heard }))
    deepEqual(await learned(queue), [1_000, 1])
    await queue.close()
  })

  it("tells of another episode where it was sent after the reaction", async () => {
    const { world, queue, first, second, settle, whileLocked } = await started("news.db")
    await world.advance(100)
    await settle([said(first, throttled(), { sentAgoMs: 90 })])
    await world.advance(5)
    await whileLocked(50, () => settle([said(second, throttled(), { sentAgoMs: 3 })]))
    deepEqual(await learned(queue), [2_000, 2])
    await queue.close()
  })
})

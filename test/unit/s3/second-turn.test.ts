// A process that is about to charge gates watches the server's second turn, and is held up by that for no longer than a second or so.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { ServerClock } from "../../../src/store/server-clock.ts"
import { watchSecond } from "../../../src/stores/s3/second-turn.ts"

/** A server whose second turns so long after the process has asked it first, each request under way for so long. */
async function watched(turnsAfterMs: number, tripMs: number, { turns = true } = {}) {
  const clock = new ServerClock(1_000)
  let [now, looks] = [0, 0]
  const secondAt = (ms: number) => (turns ? Math.floor((ms - turnsAfterMs) / 1_000) * 1_000 : -1_000)
  const look = async () => {
    looks++
    const sentAtMs = now
    now += tripMs
    clock.hear({ sentAtMs, receivedAtMs: now, atMs: secondAt(sentAtMs + tripMs / 2) })
  }
  const openMs = () => {
    const bounds = clock.at(now)
    return bounds && bounds.toMs - bounds.fromMs
  }
  await look()
  const sleep = async (ms: number) => {
    now += ms
  }
  await watchSecond({ nowMs: () => now, openMs, look, sleep })
  return { openMs: openMs() ?? 0, now, looks }
}

it("knows the time to the distance of two looks, wherever in its second the server is", async () => {
  for (const tripMs of [2, 10, 50])
    for (let turnsAfterMs = 0; turnsAfterMs < 1_000; turnsAfterMs += 37) {
      const { openMs, now, looks } = await watched(turnsAfterMs, tripMs)
      ok(openMs <= 1.5 * (20 + 2 * tripMs), `${openMs} ms open, trips of ${tripMs}`)
      ok(now <= 1_150 && looks <= 60, `after ${now} ms and ${looks} looks`)
    }
})

it("ends after a second where nothing turns, and begins nothing where the server tells no time", async () => {
  const { now } = await watched(0, 5, { turns: false })
  ok(now < 1_300, `${now} ms`)
  const asked: string[] = []
  const look = async () => void asked.push("look")
  await watchSecond({ nowMs: () => 0, openMs: () => null, look, sleep: look })
  deepEqual(asked, [])
})

it("asks no more where the time is known", async () => {
  const asked: string[] = []
  const look = async () => void asked.push("look")
  await watchSecond({ nowMs: () => 0, openMs: () => 12, look, sleep: look })
  equal(asked.length, 0)
})

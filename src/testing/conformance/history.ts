// History: one entry for each version, in order, with what a reader needs to know; the first and the latest 99 are kept.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { completed, failed, released, rescheduled, throttled } from "./outcomes.ts"

export const historyTests = theme("history", {
  "a life from submission to completion": async (bench) => {
    const startMs = bench.world.wallMs()
    const task = await bench.submit()
    const worker = bench.worker("worker-1")
    const held = await worker.claimOne()
    await bench.world.advance(1_000)
    await worker.settle(held, rescheduled(60_000))
    await bench.world.advance(60_000)
    await worker.settle(await worker.claimOne(), completed())
    deepEqual(await bench.history(task), [
      { version: 1, atMs: startMs, status: "pending", event: "created" },
      { version: 2, atMs: startMs, status: "running", event: "claimed", workerId: "worker-1" },
      { version: 3, atMs: startMs + 1_000, status: "pending", event: "rescheduled", delayMs: 60_000, count: 1 },
      { version: 4, atMs: startMs + 61_000, status: "running", event: "claimed", workerId: "worker-1" },
      { version: 5, atMs: startMs + 61_000, status: "completed", event: "completed" },
    ])
    equal((await bench.get(task)).version, 5)
  },

  "a new task tells its delay and its expiry": async (bench) => {
    const nowMs = bench.world.wallMs()
    const task = await bench.submit({ schedule: { inMs: 5_000 }, expiry: { inMs: 9_000 } })
    deepEqual(await bench.history(task), [
      { version: 1, atMs: nowMs, status: "pending", event: "created", delayMs: 5_000, expiresAtMs: nowMs + 9_000 },
    ])
  },

  "whatever happens to a task is told": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    let held = await worker.claimOne()
    held = await worker.again(held, throttled(0))
    held = await worker.again(held, released("deploy"))
    await bench.move("cancel", held)
    await worker.settle(held, failed("too bad"))
    await bench.move("retry", task)
    await bench.move("expire", task)
    await bench.move("archive", task)
    const told = (await bench.history(task)).map(({ version, status, event }) => `${version} ${status} ${event}`)
    deepEqual(told, [
      "1 pending created",
      "2 running claimed",
      "3 pending throttled",
      "4 running claimed",
      "5 pending released",
      "6 running claimed",
      "7 running cancel_requested",
      "8 failed failed",
      "9 pending requeued",
      "10 expired expired",
      "11 archived archived",
    ])
    const entries = await bench.history(task)
    deepEqual([entries[4]?.reason, entries[7]?.error, entries[2]?.count], ["deploy", "too bad", 1])
  },

  "a long history keeps its beginning and its latest, with their numbers": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (let i = 0; i < 60; i++) held = await worker.again(held, rescheduled())
    const keepsItsEnds = async (version: number) => {
      const entries = await bench.history(task)
      deepEqual([entries[0]?.version, entries[0]?.event], [1, "created"])
      deepEqual(
        entries.slice(1).map((entry) => entry.version),
        Array.from({ length: 99 }, (_, i) => version - 98 + i),
      )
      equal(entries.at(-1)?.event, version % 2 === 0 ? "claimed" : "rescheduled")
    }
    await keepsItsEnds(122)
    await worker.settle(held, rescheduled())
    await keepsItsEnds(123)
    await worker.claimOne()
    await keepsItsEnds(124)
  },

  "what does not exist has none": async (bench) => {
    deepEqual(await bench.store.history({ id: "nobody" }), { entries: null })
  },
})

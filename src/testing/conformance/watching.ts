// What live views and metrics look at: who works, what waits the longest, what expires soon.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { TaskRecord } from "../../task/index.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"

const minute = 60_000
const livesMs = 90_000

export const watchingTests = theme("watching", {
  "a worker is listed with its types and how many tasks it runs": async (bench) => {
    await bench.submitMany(3, { type: "mail" })
    const held = await bench.worker("b").claim({ types: [{ type: "mail", room: 2 }], max: 2 })
    const seenAtMs = bench.world.wallMs()
    await bench.world.advance(1_000)
    await bench.store.hello({ workerId: "a", types: [{ type: "call", limits: [] }], limits: [] })
    const listed = async () => (await bench.store.workers({ limit: 10 })).workers
    const a = { id: "a", types: ["call"], seenAtMs: seenAtMs + 1_000, running: 0 }
    deepEqual(await listed(), [a, { id: "b", types: ["mail"], seenAtMs, running: 2 }])
    deepEqual((await bench.store.workers({ limit: 1 })).workers, [a])
    await bench.worker("b").settle(held[0] as (typeof held)[0], completed())
    equal((await listed())[1]?.running, 1)
  },

  "a worker that was not heard of for 90 seconds is not listed": async (bench) => {
    await bench.store.hello({ workerId: "a", types: [], limits: [] })
    await bench.world.advance(livesMs - 1)
    deepEqual(
      (await bench.store.workers({ limit: 10 })).workers.map(({ id }) => id),
      ["a"],
    )
    await bench.world.advance(1)
    deepEqual((await bench.store.workers({ limit: 10 })).workers, [])
  },

  "the first that waits is found, and where to go on from": async (bench) => {
    // A store may look at what others keep in the same place, so it may take several looks; each goes on from where the last one ended.
    const look = async (afterSeq: number): Promise<{ first: TaskRecord | null; nextAfterSeq: number }> => {
      const { first, nextAfterSeq, isEnd } = await bench.store.waiting({ afterSeq, expiringWithinMs: 0, limit: 0 })
      ok(nextAfterSeq >= afterSeq, `expected to go on from ${afterSeq} or later, got ${nextAfterSeq}`)
      if (first) ok(nextAfterSeq < first.seq, `expected to go on from before ${first.seq}, which waits, got ${nextAfterSeq}`)
      if (first || isEnd) return { first, nextAfterSeq }
      ok(nextAfterSeq > afterSeq, `expected to go on from later than ${afterSeq}, got it again`)
      return look(nextAfterSeq)
    }
    const start = await look(0)
    equal(start.first, null)
    const tasks = await bench.submitMany(3)
    ok(
      tasks.every(({ seq }) => seq > start.nextAfterSeq),
      "expected new ones behind what was looked at",
    )
    const found = await look(start.nextAfterSeq)
    deepEqual(found.first, tasks[0])
    const worker = bench.worker()
    const [held] = await worker.claim({ max: 1 })
    deepEqual((await look(found.nextAfterSeq)).first, tasks[1])
    if (held) await worker.settle(held, completed())
    await bench.move("cancel", tasks[1] as TaskRecord)
    const last = await look(found.nextAfterSeq)
    deepEqual(last.first, tasks[2])
    await bench.move("cancel", tasks[2] as TaskRecord)
    const end = await look(last.nextAfterSeq)
    equal(end.first, null)
    ok(end.nextAfterSeq >= (tasks[2]?.seq ?? 0), "expected not to look at what has ended again")
    equal((await look(0)).first, null)
  },

  "those that expire soon are counted by type, as long as they wait": async (bench) => {
    await bench.submitMany(2, { type: "mail", expiry: { inMs: 5 * minute } })
    await bench.submit({ type: "call", expiry: { inMs: minute } })
    await bench.submit({ type: "call", expiry: { inMs: 5 * minute + 1 } })
    await bench.submit({ type: "call" })
    const expiring = async (limit: number) => (await bench.store.waiting({ afterSeq: 0, expiringWithinMs: 5 * minute, limit })).expiring
    deepEqual(await expiring(10), [
      { type: "call", count: 1 },
      { type: "mail", count: 2 },
    ])
    deepEqual(await expiring(1), [{ type: "call", count: 1 }])
    await bench.worker().claim({ types: [{ type: "mail", room: 1 }], max: 1 })
    deepEqual(await expiring(10), [
      { type: "call", count: 1 },
      { type: "mail", count: 1 },
    ])
  },
})

// List: newest first by sequence. Pages neither skip nor repeat what is there all along, whatever happens meanwhile.

import { deepEqual, equal, ok } from "node:assert/strict"
import { ids, sameTasks } from "./assertions.ts"
import { everything } from "./desk.ts"
import { theme } from "./kit.ts"
import { completed, failed } from "./outcomes.ts"

export const listTests = theme("list", {
  "the newest comes first, and records are whole": async (bench) => {
    deepEqual(await bench.list(), [])
    const tasks = await bench.submitMany(3)
    deepEqual(await bench.list(), tasks.toReversed())
  },

  "pages neither skip nor repeat": async (bench) => {
    const tasks = await bench.submitMany(40)
    for (const limit of [1, 7, 10, 39, 40, 41]) sameTasks(await bench.list({ limit }), tasks.toReversed())
  },

  "a page is no longer than was asked for": async (bench) => {
    await bench.submitMany(10)
    for (const limit of [1, 3, 10, 50]) {
      const { tasks } = await bench.store.list({ ...everything, limit })
      ok(tasks.length <= limit, `expected at most ${limit}, got ${tasks.length}`)
    }
  },

  "pages hold still while tasks come, move and go": async (bench) => {
    const tasks = await bench.submitMany(30)
    const worker = bench.worker()
    const seen: string[] = []
    let beforeSeq: number | null = null
    do {
      const page: Awaited<ReturnType<typeof bench.store.list>> = await bench.store.list({ ...everything, beforeSeq, limit: 7 })
      seen.push(...ids(page.tasks))
      beforeSeq = page.nextBeforeSeq
      await bench.submit()
      for (const task of await worker.claim({ max: 5 })) await worker.settle(task, completed())
    } while (beforeSeq !== null && seen.length <= tasks.length)
    deepEqual(seen, ids(tasks).toReversed())
  },

  "`beforeSeq` means strictly older": async (bench) => {
    const [first, second, third] = await bench.submitMany(3)
    ok(first && second && third)
    sameTasks((await bench.store.list({ ...everything, beforeSeq: third.seq })).tasks, [second, first])
    sameTasks((await bench.store.list({ ...everything, beforeSeq: second.seq })).tasks, [first])
    sameTasks((await bench.store.list({ ...everything, beforeSeq: first.seq })).tasks, [])
    sameTasks((await bench.store.list({ ...everything, beforeSeq: third.seq + 1_000 })).tasks, [third, second, first])
  },

  "by status": async (bench) => {
    const worker = bench.worker()
    const done = await bench.submit()
    await worker.settle(await worker.claimOne(), completed())
    const broken = await bench.submit()
    await worker.settle(await worker.claimOne(), failed())
    const running = await bench.submit()
    await worker.claimOne()
    const waiting = await bench.submit()
    sameTasks(await bench.list({ statuses: ["failed"] }), [broken])
    sameTasks(await bench.list({ statuses: ["pending", "completed", "archived"] }), [waiting, done])
    sameTasks(await bench.list({ statuses: null }), [waiting, running, broken, done])
  },

  "by type": async (bench) => {
    const [mail] = await bench.submitAll([{ type: "mail" }, { type: "mai" }, { type: "Mail" }])
    ok(mail)
    sameTasks(await bench.list({ type: "mail" }), [mail])
    sameTasks(await bench.list({ type: "unknown" }), [])
  },

  "by tag, which is compared as a whole": async (bench) => {
    const [both, one] = await bench.submitAll([
      { tags: ["red", "green"] },
      { tags: ["green"] },
      { tags: ["greenish", "gree", "Green"] },
      { tags: ["red,green", '"green"', "%"] },
      {},
    ])
    ok(both && one)
    sameTasks(await bench.list({ tag: "green" }), [one, both])
    sameTasks(await bench.list({ tag: "red" }), [both])
    equal((await bench.list({ tag: "%" })).length, 1)
    equal((await bench.list({ tag: '"green"' })).length, 1)
  },

  "by time of creation: from one instant on, before another": async (bench) => {
    const startMs = bench.world.wallMs()
    const first = await bench.submit()
    await bench.world.advance(1_000)
    const second = await bench.submit()
    await bench.world.advance(1_000)
    const third = await bench.submit()
    sameTasks(await bench.list({ createdFromMs: startMs + 1_000 }), [third, second])
    sameTasks(await bench.list({ createdBeforeMs: startMs + 1_000 }), [first])
    sameTasks(await bench.list({ createdFromMs: startMs + 1, createdBeforeMs: startMs + 2_000 }), [second])
  },

  "all filters hold together, and rare finds are found page by page": async (bench) => {
    const rare = await bench.submit({ type: "resize", tags: ["blue"] })
    await bench.submitMany(50, { type: "resize" })
    const second = await bench.submit({ type: "resize", tags: ["blue"] })
    await bench.submitMany(50, { tags: ["blue"] })
    const filters = { type: "resize", tag: "blue", statuses: ["pending"], createdFromMs: rare.createdAtMs } as const
    for (const limit of [1, 2, 3]) sameTasks(await bench.list({ ...filters, limit }), [second, rare])
  },
})

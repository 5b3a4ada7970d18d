// One JSON object in, one JSON object out: whatever crosses the line is the same after it was text.

import { deepEqual } from "node:assert/strict"
import { everything } from "./desk.ts"
import { theme } from "./kit.ts"
import { completed, failed, said } from "./outcomes.ts"

function isJson(answer: unknown): void {
  deepEqual(answer, JSON.parse(JSON.stringify(answer)))
}

export const jsonTests = theme("json", {
  "answers are plain JSON": async (bench) => {
    const { store } = bench
    const tasks = [
      bench.newTask({ idempotencyKey: "k", gates: [{ limit: "l", key: "k", cost: 1 }] }),
      bench.newTask({ expiry: { inMs: 0 } }),
    ]
    isJson(await bench.declare("l"))
    isJson(await store.submit({ tasks }))
    isJson(await store.submit({ tasks: [bench.newTask({ idempotencyKey: "k", input: "2" })] }))
    isJson(await store.submit({ tasks: [bench.newTask({ schedule: { inMs: 2 }, expiry: { inMs: 1 } })] }))
    await bench.submit({ schedule: { inMs: 10 } })
    const worker = bench.worker()
    const answer = await worker.exchange({ claim: worker.nextClaim() })
    isJson(answer)
    const beats = answer.claimed.map(({ id, fence }) => ({ id, fence, progress: "1" }))
    const settles = answer.claimed.map((held) => said(held, failed()))
    isJson(await store.cancel({ ids: [...beats.map(({ id }) => id), "nobody"] }))
    isJson(await worker.exchange({ heartbeats: beats }))
    isJson(await worker.exchange({ settles: [...settles, said({ id: "nobody", fence: 1 }, completed())] }))
    const ids = tasks.map(({ id }) => id)
    for (const move of ["retry", "expire", "archive"] as const) isJson(await store[move]({ ids: [...ids, "nobody"] }))
    for (const id of [...ids, "nobody"]) isJson(await store.history({ id }))
    isJson(await store.get({ ids: [...ids, "nobody"] }))
    isJson(await store.list({ ...everything, limit: 1 }))
    isJson(await store.counts({ type: null }))
    isJson(await bench.sweep({ retentionMs: 0 }))
    isJson(await store.hello({ workerId: "w", types: [{ type: "report", limits: ["l"] }], limits: [] }))
    const [unrouted] = await bench.submitMany(2, { type: "report", gates: null })
    isJson(await store.unrouted({ types: ["report"], limit: 10 }))
    const routes = [{ id: unrouted?.id ?? "", gates: [{ limit: "l", key: "k", cost: 1 }], flow: null }]
    isJson(await store.route({ routes: [...routes, ...routes, { id: "nobody", error: "no" }] }))
    const types = [{ type: "report", room: 9 }]
    const { claimed: routed } = await worker.exchange({ claim: worker.nextClaim({ types }) })
    for (const { id, fence } of routed) isJson(await store.permit({ id, fence, limit: "l", cost: 1, withinMs: 0 }))
    isJson(await store.explain({ id: ids[0] ?? "" }))
    isJson(await store.limits({ names: null }))
    isJson(await store.gates({ limit: "l", keys: null, afterKey: null, count: 10 }))
    isJson(await store.changeLimit({ limit: "l", key: "", change: { kind: "pause" }, by: "me" }))
    isJson(await store.limitChanges({ limit: null, beforeNumber: null, count: 10 }))
    isJson(await store.forecastErrors({}))
    isJson(await store.workers({ limit: 10 }))
    isJson(await store.waiting({ afterSeq: 0, expiringWithinMs: 300_000, limit: 100 }))
    const { id: _id, idempotencyKey: _key, schedule: _schedule, ...template } = bench.newTask()
    const nightly = { name: "nightly", cron: "@daily", timezone: "UTC", catchUp: { all: 2 }, template }
    const nextAtMs = await bench.nowMs()
    isJson(await store.saveSchedule({ schedule: nightly, nextAtMs }))
    isJson(await store.dueSchedules({ count: 1 }))
    const runs = [{ id: bench.newTask().id, atMs: nextAtMs }]
    isJson(await store.fire({ fires: [{ name: "nightly", atMs: nextAtMs, version: 1, runs, nextAtMs: null }] }))
    isJson(await store.schedules({ names: null, afterName: null, count: 1 }))
    isJson(await store.changeSchedule({ name: "nightly", change: { kind: "pause" } }))
    isJson(await store.now({}))
    isJson(await store.describe({}))
  },

  "requests are not changed, and answers are nobody's to change": async (bench) => {
    const tasks = [bench.newTask({ tags: ["a"] })]
    const asked = structuredClone(tasks)
    await bench.store.submit({ tasks })
    deepEqual(tasks, asked)
    const before = await bench.list()
    const mine = structuredClone(before)
    await bench.worker().claim()
    deepEqual(before, mine)
  },
})

// Firing a schedule: once however many try, with nothing between its tasks and the next instant.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { Fire } from "../../store/schedules-contract.ts"
import { ids, only } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { slots, through } from "./policies.ts"
import { due, dueNow, fired, fireOf, found, hourMs, saved, schedule } from "./schedule-kit.ts"

export const schedulesFireTests = theme("schedules-fire", {
  "firing submits its tasks and moves it on, in one step": async (bench) => {
    const record = await dueNow(bench, "nightly", { input: '{"n":1}', flow: "f", expiry: { inMs: 5_000 }, priority: 3 })
    const nowMs = await bench.nowMs()
    const atMs = record.nextAtMs ?? 0
    const [first, second] = [bench.newTask().id, bench.newTask().id]
    const runs = [
      { id: first, atMs: atMs - hourMs },
      { id: second, atMs },
    ]
    const result = only(await fired(bench, fireOf(bench, record, { runs })))
    const stands = { atMs, id: second, created: true }
    deepEqual(result, { kind: "ok", tasks: [{ ...stands, id: first, atMs: atMs - hourMs }, stands], error: null })
    deepEqual(await found(bench, "nightly"), {
      ...record,
      nextAtMs: atMs + hourMs,
      lastAtMs: atMs,
      lastTaskId: second,
      version: 2,
      updatedAtMs: nowMs,
    })
    const claimed = await bench.worker().claim()
    deepEqual(ids(claimed), [first, second])
    const [, task] = claimed
    deepEqual([task?.input, task?.flow, task?.priority, task?.expiresAtMs], ['{"n":1}', "f", 3, nowMs + 5_000])
    equal(task?.idempotencyKey, `schedule:nightly:${new Date(atMs).toISOString().replace(".000Z", "Z")}`)
  },

  "of any number who fire one does, whoever they are": async (bench) => {
    const record = await dueNow(bench)
    const desks = [bench, await bench.connect(), await bench.connect()]
    const answers = await bench.together(desks.map((desk) => fired(desk, fireOf(desk, record))))
    deepEqual(answers.map((results) => only(results).kind).sort(), ["ok", "stale", "stale"])
    equal((await bench.list()).length, 1)
    deepEqual(await fired(bench, fireOf(bench, record)), [{ kind: "stale" }])
    equal((await bench.list()).length, 1)
  },

  "what is stale does nothing: another instant, another version, paused, removed, not there": async (bench) => {
    const record = await dueNow(bench)
    const atMs = record.nextAtMs ?? 0
    const stale = async (fields: Partial<Fire> = {}) => deepEqual(await fired(bench, fireOf(bench, record, fields)), [{ kind: "stale" }])
    await stale({ atMs: atMs - 1 })
    await stale({ atMs: atMs + 1 })
    await stale({ version: 2 })
    await stale({ name: "nobody" })
    deepEqual(await found(bench, "nightly"), record)
    await bench.store.changeSchedule({ name: "nightly", change: { kind: "pause" } })
    await stale()
    await stale({ version: 2 })
    await bench.store.changeSchedule({ name: "nightly", change: { kind: "remove" } })
    await stale()
    deepEqual(await bench.list(), [])
  },

  "an instant that has not come is not fired": async (bench) => {
    const record = await saved(bench, schedule(bench, "nightly"), (await bench.nowMs()) + 10)
    deepEqual(await fired(bench, fireOf(bench, record)), [{ kind: "stale" }])
    await bench.world.advance(10)
    equal(only(await fired(bench, fireOf(bench, record))).kind, "ok")
  },

  "several are fired at once, and one that is stale stops no other": async (bench) => {
    const [a, b, c] = [await dueNow(bench, "a"), await dueNow(bench, "b"), await dueNow(bench, "c")]
    await fired(bench, fireOf(bench, b))
    const results = await fired(bench, fireOf(bench, a), fireOf(bench, b), fireOf(bench, c))
    deepEqual(
      results.map(({ kind }) => kind),
      ["ok", "stale", "ok"],
    )
    equal((await bench.list()).length, 3)
    deepEqual(await due(bench), [])
  },

  "instants can be passed over, and one that has none left stands still": async (bench) => {
    const record = await dueNow(bench)
    deepEqual(await fired(bench, fireOf(bench, record, { runs: [], nextAtMs: null })), [{ kind: "ok", tasks: [], error: null }])
    const after = await found(bench, "nightly")
    deepEqual([after.nextAtMs, after.lastAtMs, after.lastTaskId, after.version], [null, null, null, 2])
    deepEqual([await bench.list(), await due(bench)], [[], []])
  },

  "an instant that has happened under this name does not happen again": async (bench) => {
    const record = await dueNow(bench)
    const result = only(await fired(bench, fireOf(bench, record)))
    const task = only(await bench.list())
    await bench.store.changeSchedule({ name: "nightly", change: { kind: "remove" } })
    for (const input of ["{}", '{"other":true}']) {
      const again = await saved(bench, schedule(bench, "nightly", {}, { input, inputDigest: input }), record.nextAtMs ?? 0)
      deepEqual(await fired(bench, fireOf(bench, again)), [{ ...result, tasks: [{ atMs: record.nextAtMs, id: task.id, created: false }] }])
      await bench.store.changeSchedule({ name: "nightly", change: { kind: "remove" } })
    }
    equal((await bench.list()).length, 1)
  },

  "its tasks pass gates, or wait to be routed, as any others": async (bench) => {
    await bench.declare("narrow", slots(1))
    const gated = await dueNow(bench, "gated", { gates: through("narrow") })
    const atMs = gated.nextAtMs ?? 0
    const runs = [1, 2].map((n) => ({ id: bench.newTask().id, atMs: atMs - n }))
    await fired(bench, fireOf(bench, gated, { runs }))
    equal((await bench.worker().claim()).length, 1)
    equal((await bench.gate("narrow")).waitingTasks, 1)
    const unrouted = await dueNow(bench, "unrouted", { type: "odd", gates: null })
    await fired(bench, fireOf(bench, unrouted))
    equal((await bench.store.unrouted({ types: ["odd"], limit: 9 })).tasks.length, 1)
  },

  "a task that can no longer be submitted is told, and the schedule goes on": async (bench) => {
    await bench.declare("narrow", slots(3))
    const record = await dueNow(bench, "gated", { gates: through("narrow", "", 3) })
    await bench.world.advance(200_000)
    await bench.declare("narrow", slots(1))
    const result = only(await fired(bench, fireOf(bench, record)))
    ok(result.kind === "ok" && result.error !== null && result.tasks.length === 0, `expected an error, got ${JSON.stringify(result)}`)
    const after = await found(bench, "gated")
    deepEqual([after.lastError, after.lastTaskId, after.nextAtMs], [result.error, null, (record.nextAtMs ?? 0) + hourMs])
    deepEqual(await bench.list(), [])
  },

  "retention takes its old tasks, and no instant comes back": async (bench) => {
    const record = await dueNow(bench)
    await fired(bench, fireOf(bench, record))
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(1_000)
    equal((await bench.sweep({ retentionMs: 0 })).removed, 1)
    deepEqual(await fired(bench, fireOf(bench, record)), [{ kind: "stale" }])
    deepEqual([await bench.list(), (await found(bench, "nightly")).version], [[], 2])
  },
})

// Submit: all of a batch or nothing, in sequence, with times counted from the store's clock.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { startJob } from "./job-kit.ts"
import { theme } from "./kit.ts"

const day = 86_400_000

export const submitTests = theme("submit", {
  "a new task is pending and holds what was asked for": async (bench) => {
    await bench.declare("vendor")
    const jobId = await startJob(bench, 0, { isOpen: true })
    const asked = bench.newTask({
      type: "resize",
      input: '{"width": 300}',
      priority: 7,
      tags: ["image", "urgent"],
      jobId,
      flow: "customer-3",
      gates: [{ limit: "vendor", key: "eu", cost: 2 }],
      schedule: { inMs: 5_000 },
      expiry: { inMs: day },
      maxRetries: 5,
      maxReschedules: 10,
      maxThrottles: 20,
      timeoutMs: 90_000,
      idempotencyKey: "order-1",
      inputDigest: "abc",
    })
    const answer = await bench.store.submit({ tasks: [asked] })
    const nowMs = bench.world.wallMs()
    const { schedule, expiry, ...fields } = asked
    const seq = answer.kind === "ok" ? answer.tasks[0]?.task.seq : undefined
    const task = {
      ...fields,
      seq,
      status: "pending",
      output: null,
      progress: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      availableAtMs: nowMs + 5_000,
      readyAtMs: nowMs + 5_000,
      expiresAtMs: nowMs + day,
      expiredAtMs: null,
      startedAtMs: null,
      completedAtMs: null,
      cancelRequestedAtMs: null,
      retryCount: 0,
      rescheduleCount: 0,
      throttleCount: 0,
      crashCount: 0,
      attempt: 0,
      fence: 0,
      version: 1,
      workerId: null,
      claimNumber: null,
      leaseExpiresAtMs: null,
      lastError: null,
      lastOutcome: null,
      forecastAtMs: nowMs + 5_000,
    }
    const forecast = { atMs: nowMs + 5_000, latestMs: nowMs + 5_000, basis: "schedule", gate: null }
    deepEqual(answer, { kind: "ok", nowMs, tasks: [{ task, created: true, forecast }] })
    deepEqual(await bench.get(asked), task)
  },

  "get answers in the order asked, with null for what is not there": async (bench) => {
    const [first, second] = [await bench.submit(), await bench.submit()]
    const { tasks } = await bench.store.get({ ids: [second.id, "nobody", first.id, second.id] })
    deepEqual(tasks, [second, null, first, second])
    deepEqual(await bench.store.get({ ids: [] }), { tasks: [], forecasts: [] })
  },

  "tasks are numbered in the order of submission, in a batch and across connections": async (bench) => {
    const other = await bench.connect()
    const tasks = [...(await bench.submitMany(3)), await other.submit(), ...(await bench.submitMany(2))]
    const numbers = tasks.map(({ seq }) => seq)
    deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    )
  },

  "a schedule is a duration on the store's clock or a time that was named": async (bench) => {
    const nowMs = bench.world.wallMs()
    equal((await bench.submit({ schedule: { inMs: 90_000 } })).availableAtMs, nowMs + 90_000)
    equal((await bench.submit({ schedule: { atMs: nowMs + day } })).availableAtMs, nowMs + day)
  },

  "a schedule in the past means now": async (bench) => {
    const task = await bench.submit({ schedule: { atMs: bench.world.wallMs() - day } })
    equal(task.availableAtMs, bench.world.wallMs())
    equal(task.readyAtMs, bench.world.wallMs())
    sameTasks(await bench.worker().claim(), [task])
  },

  "a task that is already past its expiry is stored expired and never claimed": async (bench) => {
    const nowMs = bench.world.wallMs()
    for (const expiry of [{ inMs: 0 }, { atMs: nowMs - 1 }]) {
      const task = await bench.submit({ expiry })
      equal(task.status, "expired")
      equal(task.expiredAtMs, nowMs)
      deepEqual(await bench.events(task), ["created", "expired"])
    }
    deepEqual(await bench.worker().claim(), [])
    deepEqual(await bench.counts(), { expired: 2 })
  },

  "a schedule after the expiry is refused, and nothing of the batch is stored": async (bench) => {
    const good = bench.newTask()
    const bad = bench.newTask({ schedule: { inMs: 60_000 }, expiry: { inMs: 30_000 } })
    const answer = await bench.store.submit({ tasks: [good, bad] })
    ok(answer.kind === "schedule_after_expiry")
    equal(answer.index, 1)
    match(answer.message, /expected a schedule before the expiry/)
    deepEqual(await bench.store.get({ ids: [good.id, bad.id] }), { tasks: [null, null], forecasts: [null, null] })
    deepEqual(await bench.counts(), {})
  },

  "a conflict in a batch stores none of it and takes none of its keys": async (bench) => {
    const first = await bench.submit({ idempotencyKey: "taken", input: "1" })
    const good = bench.newTask({ idempotencyKey: "free" })
    const bad = bench.newTask({ idempotencyKey: "taken", input: "2" })
    const answer = await bench.store.submit({ tasks: [good, bad, bench.newTask()] })
    deepEqual(answer, { kind: "conflict", index: 1, existing: first })
    deepEqual(await bench.counts(), { pending: 1 })
    const { id } = await bench.submit({ idempotencyKey: "free", input: "3" })
    sameTasks(await bench.worker().claim(), [first, { id }])
  },

  "a batch of nothing stores nothing": async (bench) => {
    deepEqual(await bench.store.submit({ tasks: [] }), { kind: "ok", nowMs: bench.world.wallMs(), tasks: [] })
    deepEqual(await bench.list(), [])
  },
})

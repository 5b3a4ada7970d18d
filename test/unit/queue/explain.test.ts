// Why a task has not started, in words.

import { deepEqual, doesNotMatch, equal, match, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask, type Queue, type SubmitOptions } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { openQueue } from "./kit.ts"

const run = () => new Promise<never>(() => {})
const api = defineLimit("api", { rate: "2/10s", provider: "sliding" })
const slots = defineLimit("slots", { concurrency: 2 })
const call = defineTask("call", { limits: () => [api("x")], run })
const noWorker = 'No live worker handles call: start one, for example with "sluice work".'
const minute = (options: SubmitOptions = {}) => ({ ttl: "1h", ...options })

async function lines(queue: Queue, id: string): Promise<string[]> {
  return (await queue.explain(id)).text.replaceAll(id, "ID").split("\n")
}

describe("explain", () => {
  it("tells of the gate that holds a task: its level, the place, the time", async () => {
    const queue = await openQueue()
    const tasks = await queue.submitMany(call, [1, 2, 3, 4, 5, 6])
    const last = tasks.at(-1)?.id ?? ""
    deepEqual(await lines(queue, last), [
      "Task ID (call) is pending.",
      "Gate api/x holds it: 0 of 2 in 10s; 5 pass before it; it opens for this task at 2026-01-28T12:00:20Z (in 20s).",
      "It is number 6 in its lane: 5 tasks of type call ahead of it.",
      noWorker,
      "It is expected to start at 2026-01-28T12:00:20Z (in 20s).",
    ])
    const explained = await queue.explain(last)
    const { heldBy, tasksAhead, position, liveWorkers, isUnrouted, expiresFirst, status, forecast, gates } = explained
    deepEqual(
      { heldBy, tasksAhead, position, liveWorkers, isUnrouted, expiresFirst, status },
      { heldBy: "api/x", tasksAhead: 5, position: 6, liveWorkers: 0, isUnrouted: false, expiresFirst: false, status: "pending" },
    )
    deepEqual(forecast, { at: new Date("2026-01-28T12:00:20Z"), latest: new Date("2026-01-28T12:00:20Z"), basis: "rate", gate: "api/x" })
    equal(explained.task.id, last)
    deepEqual(
      gates.map(({ gate, cost, aheadCost, opensForTaskAt, opensAt, waitingTasks }) => ({
        gate,
        cost,
        aheadCost,
        opensForTaskAt,
        opensAt,
        waitingTasks,
      })),
      [
        {
          gate: "api/x",
          cost: 1,
          aheadCost: 5,
          opensForTaskAt: new Date("2026-01-28T12:00:20Z"),
          opensAt: new Date("2026-01-28T12:00:00Z"),
          waitingTasks: 6,
        },
      ],
    )
  })

  it("tells of one that can start now", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit(call, 1)
    deepEqual(await lines(queue, id), [
      "Task ID (call) is pending.",
      "It is number 1 in its lane: no task of type call ahead of it.",
      noWorker,
      "It can start now, as soon as a worker has room.",
    ])
  })

  it("tells of a full gate, with a live worker", async () => {
    const queue = await testQueue([call], { worker: { concurrency: 100 } })
    const tasks = await queue.submitMany(call, [1, 2, 3])
    await queue.world.settle()
    deepEqual(await lines(queue, tasks[2]?.id ?? ""), [
      "Task ID (call) is pending.",
      "Gate api/x holds it: 2 of 2 in 10s; nothing passes before it; it opens for this task at 2026-01-28T12:00:10Z (in 10s).",
      "It is number 1 in its lane: no task of type call ahead of it.",
      "It is expected to start at 2026-01-28T12:00:10Z (in 10s).",
    ])
    deepEqual(await lines(queue, tasks[0]?.id ?? ""), [`Task ID (call) is running, for 0ms, on worker ${queue.ownWorker.id}.`])
    await queue.close()
  })

  it("tells of slots", async () => {
    const held = defineTask("held", { limits: [slots], cost: 2, run })
    const queue = await testQueue([held], { worker: { concurrency: 100 } })
    const tasks = await queue.submitMany(held, [1, 2])
    await queue.world.settle()
    const { text, gates } = await queue.explain(tasks[1]?.id ?? "")
    deepEqual(gates[0]?.slots, { held: 2, of: 2 })
    match(text, /Gate slots holds it, where it costs 2: 2 of 2 slots; nothing passes before it; it opens /)
    doesNotMatch(text, /can start now/)
    await queue.close()
  })

  it("tells of pauses, closings and cooldowns", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit(call, 1)
    await queue.limits.pause("api")
    deepEqual((await lines(queue, id)).slice(1, 2), [
      "Gate api/x holds it: 0 of 2 in 10s; nothing passes before it; it is paused until somebody resumes it.",
    ])
    deepEqual((await lines(queue, id)).slice(-1), ["When it starts cannot be said: somebody has to do something first."])
    await queue.limits.resume("api")
    await queue.limits.close("api", { until: "2026-01-28T12:05:00Z", key: "x" })
    deepEqual((await lines(queue, id)).slice(1, 2), [
      "Gate api/x holds it: 0 of 2 in 10s; nothing passes before it; it was closed by hand until 2026-01-28T12:05:00Z; it opens for this task at 2026-01-28T12:05:00Z (in 5m).",
    ])
  })

  it("tells of a task that is scheduled, and of one that will expire first", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit(call, 1, minute({ delay: "30m" }))
    deepEqual((await lines(queue, id)).slice(1), [
      "It is scheduled for 2026-01-28T12:30:00Z (in 30m).",
      noWorker,
      "It is expected to start at 2026-01-28T12:30:00Z (in 30m).",
    ])
    await queue.submitMany(call, [1, 2])
    const late = await queue.submit(call, 3, { ttl: "5s" })
    deepEqual((await lines(queue, late.id)).slice(-1), ["It will expire first: at 2026-01-28T12:00:05Z (in 5s)."])
  })

  it("tells of a task that is unrouted", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit("call", 1)
    deepEqual(await lines(queue, id), [
      "Task ID (call) is pending.",
      "It is unrouted: it was submitted without the code of call, and no worker that has it has said yet which gates it passes.",
      noWorker,
    ])
  })

  it("tells of a task that waits for nothing", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit(call, 1)
    await queue.cancel(id)
    deepEqual(await lines(queue, id), ["Task ID (call) is cancelled, since 2026-01-28T12:00:00Z. It waits for nothing."])
    const expired = await queue.submit(call, 1, { ttl: 0 })
    deepEqual(await lines(queue, expired.id), ["Task ID (call) is expired, since 2026-01-28T12:00:00Z. It waits for nothing."])
  })

  it("refuses an id that nobody has", async () => {
    const queue = await openQueue()
    await rejects(queue.explain("nobody"), { code: "not_found" })
  })
})

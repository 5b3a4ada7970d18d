// Schedules in code: what is taken, what is refused at once, and that saying the same again changes nothing.

import { deepEqual, equal, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { z } from "zod"
import { connect, defineLimit, defineTask, type Queue, type ScheduleOptions } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { openQueue } from "./kit.ts"

const report = defineTask("report", { input: z.object({ kind: z.string() }), maxRetries: 7, run: async () => {} })

function scheduled(queue: Queue, cron: unknown = "0 9 * * 1-5", options: unknown = { timezone: "Europe/Vienna" }) {
  return queue.schedule("morning", cron as string, options as ScheduleOptions, report, { kind: "short" })
}

describe("queue.schedule", () => {
  it("is there, with its first instant in its time zone", async () => {
    const queue = await openQueue()
    const { createdAt: at, ...schedule } = await scheduled(queue)
    deepEqual(schedule, {
      name: "morning",
      cron: "0 9 * * 1-5",
      timezone: "Europe/Vienna",
      catchUp: "last",
      type: "report",
      input: { kind: "short" },
      isPaused: false,
      nextAt: new Date("2026-01-29T08:00:00Z"),
      lastAt: null,
      lastTaskId: null,
      lastError: null,
      version: 1,
      updatedAt: at,
      change: "created",
    })
    const { change: _change, ...view } = await scheduled(queue)
    deepEqual(await queue.schedules.get("morning"), view)
    deepEqual(await queue.schedules.list(), [view])
    equal((await queue.list()).tasks.length, 0)
  })

  it("is in UTC unless it is told otherwise", async () => {
    const queue = await openQueue()
    const { timezone, nextAt } = await queue.schedule("morning", "0 9 * * *", undefined, report, { kind: "short" })
    deepEqual([timezone, nextAt], ["UTC", new Date("2026-01-29T09:00:00Z")])
  })

  it("the same again changes nothing, whatever the order of an input's properties", async () => {
    const world = new VirtualWorld()
    const queue = await connect("memory:", { world })
    const input = { a: 1, b: { c: 2, d: 3 } }
    const first = await queue.schedule("x", "@daily", {}, "job", input)
    await world.advance(3_600_000)
    const { change, ...again } = await queue.schedule("x", " @daily ", undefined, "job", input)
    deepEqual([change, again], ["unchanged", { ...again, version: 1, updatedAt: first.updatedAt, nextAt: first.nextAt }])
    equal((await queue.schedule("x", "@daily", {}, "job", { ...input, a: 2 })).change, "replaced")
  })

  it("many processes that start at once make one", async () => {
    const queues = await Promise.all(Array.from({ length: 5 }, () => connect("memory:schedules-at-once", { world: new VirtualWorld() })))
    const changes = await Promise.all(queues.map(async (queue) => (await scheduled(queue)).change))
    deepEqual(changes.sort(), ["created", "unchanged", "unchanged", "unchanged", "unchanged"])
  })

  it("keeps the definition's defaults, limits and flow in its tasks", async () => {
    const api = defineLimit("api", { concurrency: 1 })
    const call = defineTask("call", {
      limits: (input: { host: string }) => [api(input.host)],
      fairBy: ({ host }) => `flow ${host}`,
      timeout: "7s",
      priority: 3,
      run: async () => {},
    })
    const queue = await openQueue()
    await queue.schedule("calls", "@hourly", { ttl: "1h", tags: ["x"], maxRetries: 1 }, call, { host: "h" })
    const { schedules } = await queue.store.schedules({ names: ["calls"], afterName: null, count: 1 })
    const { gates, flow, timeoutMs, priority, expiry, tags, maxRetries } = schedules[0]?.template ?? {}
    deepEqual(gates, [{ limit: "api", key: "h", cost: 1 }])
    deepEqual([flow, timeoutMs, priority, expiry, tags, maxRetries], ["flow h", 7_000, 3, { inMs: 3_600_000 }, ["x"], 1])
    const task = await queue.schedules.trigger("calls")
    deepEqual([task.type, task.input, task.gates, task.tags, task.idempotencyKey], ["call", { host: "h" }, ["api/h"], ["x"], null])
  })

  it("refuses an input that does not fit, a cron, a zone or an option that is wrong, and stores nothing", async () => {
    const queue = await openQueue()
    const refused = async (call: Promise<unknown>, code: string, message: RegExp) => rejects(call, { code, message })
    await refused(queue.schedule("x", "@daily", {}, report, { kind: 7 } as never), "invalid_input", /^input of report: kind: /)
    await refused(scheduled(queue, "0 24 * * *"), "invalid_cron", /^schedule "morning": cron: expected hours as its second field/)
    await refused(scheduled(queue, "@daily", { timezone: "Vienna" }), "invalid_timezone", /^schedule "morning": timezone: expected/)
    await refused(scheduled(queue, "@daily", { timezon: "UTC" }), "invalid_option", /unknown option "timezon"; did you mean "timezone"\?/)
    await refused(scheduled(queue, "@daily", { delay: "1s" }), "invalid_option", /unknown option "delay"/)
    await refused(scheduled(queue, "@daily", { idempotencyKey: "k" }), "invalid_option", /unknown option "idempotencyKey"/)
    await refused(scheduled(queue, "@daily", { gates: ["api"] }), "invalid_option", /expected none beside a definition/)
    await refused(scheduled(queue, "@daily", { ttl: "1h", ttlSeconds: 5 }), "invalid_option", /expected only one of ttl, ttlSeconds/)
    for (const catchUp of ["all", { all: 0 }, { all: 1_001 }, {}, [], 3])
      await refused(scheduled(queue, "@daily", { catchUp }), "invalid_option", /^schedule "morning": catchUp/)
    await refused(queue.schedule("a b", "@daily", {}, "job", {}), "invalid_name", /^schedule: expected 1 to 128 letters/)
    await refused(queue.schedule("x", "@daily", { gates: ["nobody"] }, "job", {}), "unknown_limit", /^schedule "x": expected a limit/)
    await refused(queue.schedule("x", "@daily", {}, "job", undefined), "invalid_input", /^input: expected a JSON value, got undefined/)
    deepEqual(await queue.schedules.list(), [])
  })
})

describe("queue.schedules", () => {
  it("tells the next instants, and none while it is paused", async () => {
    const queue = await openQueue()
    await scheduled(queue)
    const days = async () => (await queue.schedules.upcoming("morning")).map((at) => at.toISOString().slice(0, 13))
    deepEqual(await days(), ["2026-01-29T08", "2026-01-30T08", "2026-02-02T08", "2026-02-03T08", "2026-02-04T08"])
    equal((await queue.schedules.pause("morning")).nextAt, null)
    deepEqual(await days(), [])
    equal((await scheduled(queue)).isPaused, true)
    deepEqual((await queue.schedules.resume("morning")).nextAt, new Date("2026-01-29T08:00:00Z"))
  })

  it("lists more than one page", async () => {
    const queue = await openQueue()
    const names = Array.from({ length: 230 }, (_, i) => `s${String(i).padStart(3, "0")}`)
    for (const name of names) await queue.schedule(name, "@daily", {}, "job", {})
    deepEqual(
      (await queue.schedules.list()).map(({ name }) => name),
      names,
    )
  })

  it("knows no other names", async () => {
    const queue = await openQueue()
    const message = (call: Promise<unknown>, expected: RegExp) => rejects(call, { code: "not_found", message: expected })
    await message(queue.schedules.get("morning"), /^schedule "morning": expected the name of a schedule, found none; there is none yet$/)
    await scheduled(queue)
    await message(queue.schedules.pause("mourning"), /did you mean "morning"\?$/)
    await message(queue.schedules.trigger("xyz"), /there are morning$/)
    equal((await queue.schedules.remove("morning")).name, "morning")
    await message(queue.schedules.remove("morning"), /there is none yet$/)
  })
})

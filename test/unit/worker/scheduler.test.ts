// Workers fire schedules: each instant once, at its time, without polling, and one that is out of order stops no other.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import type { ScheduleRecord } from "../../../src/task/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { Tap } from "./kit.ts"

const tick = defineTask("tick", { run: async () => {} })
/** For a worker that is there to fire. */
const aside = defineTask("aside", { run: async () => {} })

/** The instants of its tasks by their keys, oldest first, with how much later each was submitted. */
async function firedBy(queue: Awaited<ReturnType<typeof testQueue>>, name: string) {
  const { tasks } = await queue.list({ limit: 1_000 })
  return tasks.toReversed().flatMap(({ idempotencyKey, createdAt }) => {
    const iso = idempotencyKey?.startsWith(`schedule:${name}:`) ? idempotencyKey.slice(`schedule:${name}:`.length) : null
    return iso === null ? [] : [{ iso, lateMs: createdAt.getTime() - Date.parse(iso) }]
  })
}

describe("a worker with schedules", () => {
  it("runs a task at each instant, to the millisecond", async () => {
    const queue = await testQueue([tick])
    await queue.schedule("often", "*/10 * * * *", {}, tick, null)
    await queue.advance("35m")
    deepEqual(await firedBy(queue, "often"), [
      { iso: "2026-01-28T12:10:00Z", lateMs: 0 },
      { iso: "2026-01-28T12:20:00Z", lateMs: 0 },
      { iso: "2026-01-28T12:30:00Z", lateMs: 0 },
    ])
    const { lastAt, nextAt, lastTaskId } = await queue.schedules.get("often")
    deepEqual([lastAt, nextAt], [new Date("2026-01-28T12:30:00Z"), new Date("2026-01-28T12:40:00Z")])
    equal((await queue.get(lastTaskId ?? ""))?.status, "completed")
    await queue.close()
    equal(queue.world.armedTimers, 0)
  })

  it("asks nothing between two instants", async () => {
    const tap = new Tap()
    const queue = await testQueue([tick], { through: tap.through, worker: { sweep: "30d", hello: "30d" } })
    await queue.schedule("weekly", "0 0 * * 1", {}, tick, null)
    await queue.advance("1m")
    tap.calls.length = 0
    await queue.advance("4d")
    deepEqual(tap.calls, [])
    await queue.advance("1d")
    equal((await firedBy(queue, "weekly")).length, 1)
    await queue.close()
  })

  it("hears at once of an earlier instant, a pause, and being resumed", async () => {
    const queue = await testQueue([tick])
    await queue.schedule("far", "@yearly", {}, tick, null)
    await queue.advance("1h")
    await queue.schedule("near", "5 13 * * *", {}, tick, null)
    await queue.advance("10m")
    equal((await firedBy(queue, "near")).length, 1)
    await queue.schedule("often", "* * * * *", {}, tick, null)
    await queue.advance("3m")
    await queue.schedules.pause("often")
    await queue.advance("10m")
    equal((await firedBy(queue, "often")).length, 3)
    await queue.schedules.resume("often")
    await queue.advance("2m")
    const instants = (await firedBy(queue, "often")).map(({ iso }) => iso.slice(11, 16))
    deepEqual(instants, ["13:11", "13:12", "13:13", "13:24", "13:25"])
    await queue.close()
  })

  it("does so while all of its room is taken", async () => {
    const busy = defineTask("busy", {
      timeout: "2h",
      run: (_input: unknown, { signal }) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    })
    const queue = await testQueue([busy, tick], { worker: { concurrency: 1 } })
    await queue.submit(busy, null)
    await queue.advance("1s")
    await queue.schedule("often", "* * * * *", {}, tick, null)
    await queue.advance("5m")
    equal((await firedBy(queue, "often")).length, 5)
    await queue.close()
  })

  it("does not where it was told not to", async () => {
    const queue = await testQueue([tick], { worker: { schedules: false } })
    await queue.schedule("often", "* * * * *", {}, tick, null)
    await queue.advance("5m")
    deepEqual(await firedBy(queue, "often"), [])
    const other = queue.worker([aside])
    const works = other.run()
    await queue.advance("5m")
    equal((await firedBy(queue, "often")).length, 6)
    other.stop()
    await works
    await queue.close()
  })

  for (const [catchUp, expected] of [
    ["none", []],
    ["last", ["15:00"]],
    [{ all: 2 }, ["14:00", "15:00"]],
  ] as const) {
    it(`catches up on what was missed by ${JSON.stringify(catchUp)}`, async () => {
      const queue = await testQueue([tick], { worker: { schedules: false } })
      await queue.schedule("hourly", "@hourly", { catchUp }, tick, null)
      await queue.advance("210m")
      const worker = queue.worker([aside])
      const works = worker.run()
      await queue.advance("1m")
      const caughtUp = (await firedBy(queue, "hourly")).map(({ iso }) => iso.slice(11, 16))
      deepEqual(caughtUp, expected)
      await queue.advance("30m")
      deepEqual(
        (await firedBy(queue, "hourly")).map(({ iso }) => iso.slice(11, 16)),
        [...expected, "16:00"],
      )
      worker.stop()
      await works
      await queue.close()
    })
  }

  it("runs a thousand at once, and a thousand missed ones of one", async () => {
    const queue = await testQueue([tick], { worker: { schedules: false } })
    for (let i = 0; i < 1_000; i++) await queue.schedule(`s${i}`, "@daily", {}, "nobody", i)
    await queue.schedule("often", "* * * * * *", { catchUp: { all: 1_000 } }, "nobody", null)
    await queue.advance("1d")
    const worker = queue.worker([aside])
    const works = worker.run()
    await queue.world.settle()
    await queue.advance("500ms")
    for (const { lastAt } of await queue.schedules.list()) ok(lastAt)
    equal((await queue.counts({ type: "nobody" })).pending, 2_000)
    worker.stop()
    await works
    await queue.close()
  })

  it("fires the others beside one whose cron it cannot read, and looks for that one no more than once a second", async () => {
    const tap = new Tap()
    const queue = await testQueue([tick], { through: tap.through })
    const failed: string[] = []
    queue.ownWorker.on("schedule.failed", ({ name, error }) => failed.push(`${name}: ${error}`))
    await queue.schedule("often", "* * * * *", {}, tick, null)
    await saveOdd(queue, { cron: "at dawn" })
    await saveOdd(queue, { name: "elsewhere", timezone: "Moon/Tycho" })
    await queue.advance("10m")
    equal((await firedBy(queue, "often")).length, 10)
    equal(failed.length, 2)
    match(failed.sort().join("\n"), /^elsewhere: schedule "elsewhere": timezone: .*\nodd: schedule "odd": cron: expected five fields/)
    tap.calls.length = 0
    for (let i = 0; i < 100; i++) {
      await queue.submit(tick, null)
      await queue.advance("100ms")
    }
    const looks = tap.calls.filter(({ operation }) => operation === "dueSchedules").length
    ok(looks >= 1 && looks <= 12, `${looks} looks in 10 seconds`)
    await queue.close()
  })

  it("tells of an instant that could not be submitted, and goes on", async () => {
    const queue = await testQueue([tick])
    const failed: string[] = []
    queue.ownWorker.on("schedule.failed", ({ name }) => failed.push(name))
    const policy = (concurrency: number) => ({ rates: [], concurrency })
    const declare = (concurrency: number) =>
      queue.store.hello({ workerId: null, types: [], limits: [{ name: "narrow", policy: policy(concurrency) }] })
    await declare(5)
    await queue.schedule("costly", "*/5 * * * *", { gates: [{ limit: "narrow", cost: 3 }] }, "nobody", null)
    await queue.advance("6m")
    await declare(1)
    await queue.advance("5m")
    deepEqual(failed, ["costly"])
    const { lastError, nextAt } = await queue.schedules.get("costly")
    match(lastError ?? "", /a cost of 3 is more than gate narrow ever lets pass/)
    deepEqual(nextAt, new Date("2026-01-28T12:15:00Z"))
    await queue.close()
  })
})

/** As a store may hold it that was written by another version. */
async function saveOdd(queue: Awaited<ReturnType<typeof testQueue>>, fields: Partial<ScheduleRecord>): Promise<void> {
  const { schedules } = await queue.store.schedules({ names: ["often"], afterName: null, count: 1 })
  const [record] = schedules
  ok(record)
  const { name, cron, timezone, catchUp, template } = { ...record, name: "odd", ...fields }
  await queue.store.saveSchedule({ schedule: { name, cron, timezone, catchUp, template }, nextAtMs: record.nextAtMs })
}

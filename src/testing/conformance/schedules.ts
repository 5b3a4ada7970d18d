// Schedules: saved once however often it is said, listed, paused, resumed, removed; and those who wait hear of their instants.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { ScheduleRecord } from "../../task/index.ts"
import { only } from "./assertions.ts"
import { theme } from "./kit.ts"
import { slots, through } from "./policies.ts"
import { due, dueNow, fired, fireOf, found, hourMs, saved, schedule } from "./schedule-kit.ts"

export const schedulesTests = theme("schedules", {
  "one that is saved is there, with the instant that it stands at": async (bench) => {
    const nowMs = await bench.nowMs()
    const asked = schedule(bench, "nightly", { catchUp: { all: 3 } }, { input: '{"n":1}', tags: ["a"], priority: 2 })
    const answer = await bench.store.saveSchedule({ schedule: asked, nextAtMs: nowMs + 5 })
    const expected: ScheduleRecord = {
      ...asked,
      isPaused: false,
      nextAtMs: nowMs + 5,
      lastAtMs: null,
      lastTaskId: null,
      lastError: null,
      version: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    deepEqual(answer, { kind: "ok", nowMs, schedule: expected, change: "created" })
    deepEqual(await found(await bench.connect(), "nightly"), expected)
    deepEqual(await bench.list(), [])
  },

  "the same again changes nothing, not even where it stands": async (bench) => {
    const nowMs = await bench.nowMs()
    const first = await saved(bench, schedule(bench, "nightly"), nowMs + 5)
    await bench.world.advance(1_000)
    const other = await bench.connect()
    const answer = await other.store.saveSchedule({ schedule: schedule(other, "nightly"), nextAtMs: nowMs + hourMs })
    deepEqual(answer, { kind: "ok", nowMs: nowMs + 1_000, schedule: first, change: "unchanged" })
    deepEqual(await found(bench, "nightly"), first)
  },

  "another task replaces it and leaves it where it stands; another cron moves it": async (bench) => {
    const nowMs = await bench.nowMs()
    const first = await saved(bench, schedule(bench, "nightly"), nowMs + 5)
    const task = await saved(bench, schedule(bench, "nightly", {}, { input: "2" }), nowMs + 7)
    deepEqual([task.nextAtMs, task.version, task.template.input], [nowMs + 5, 2, "2"])
    const cron = await saved(bench, schedule(bench, "nightly", { cron: "1 * * * *" }), nowMs + 7)
    deepEqual([cron.nextAtMs, cron.version, cron.cron], [nowMs + 7, 3, "1 * * * *"])
    const zone = await saved(bench, schedule(bench, "nightly", { cron: "1 * * * *", timezone: "Asia/Tokyo" }), nowMs + 9)
    deepEqual([zone.nextAtMs, zone.createdAtMs], [nowMs + 9, first.createdAtMs])
  },

  "an unknown limit, or a cost that never passes, is refused": async (bench) => {
    const gated = (limit: string, cost: number) => schedule(bench, "gated", {}, { gates: through(limit, "k", cost) })
    const unknown = await bench.store.saveSchedule({ schedule: gated("nobody", 1), nextAtMs: 1 })
    deepEqual(unknown, { kind: "unknown_limit", limit: "nobody" })
    await bench.declare("narrow", slots(2))
    const costly = await bench.store.saveSchedule({ schedule: gated("narrow", 3), nextAtMs: 1 })
    equal(costly.kind, "cost_above_limit")
    deepEqual(await bench.store.schedules({ names: ["gated"], afterName: null, count: 1 }), {
      nowMs: await bench.nowMs(),
      schedules: [],
      nextAfterName: null,
    })
  },

  "they are listed by name, page by page": async (bench) => {
    for (const name of ["c", "a", "e", "b", "d"]) await saved(bench, schedule(bench, name), (await bench.nowMs()) + 5)
    const names: string[] = []
    let afterName: string | null = null
    do {
      const page: Awaited<ReturnType<typeof bench.store.schedules>> = await bench.store.schedules({ names: null, afterName, count: 2 })
      ok(page.schedules.length <= 2)
      names.push(...page.schedules.map(({ name }) => name))
      afterName = page.nextAfterName
    } while (afterName !== null)
    deepEqual(names, ["a", "b", "c", "d", "e"])
    const some = await bench.store.schedules({ names: ["d", "nobody", "a"], afterName: null, count: 9 })
    deepEqual(
      some.schedules.map(({ name }) => name),
      ["d", "a"],
    )
  },

  "those whose instant has come are due, the longest first": async (bench) => {
    const nowMs = await bench.nowMs()
    const offsets = { late: 20, now: 10, soon: 30, early: 5 }
    for (const [name, inMs] of Object.entries(offsets)) await saved(bench, schedule(bench, name), nowMs + inMs)
    deepEqual(await bench.store.dueSchedules({ count: 9 }), { nowMs, schedules: [], nextAtMs: nowMs + 5 })
    await bench.world.advance(20)
    const answer = await bench.store.dueSchedules({ count: 9 })
    deepEqual([answer.schedules.map(({ name }) => name), answer.nextAtMs], [["early", "now", "late"], nowMs + 30])
    equal((await bench.store.dueSchedules({ count: 2 })).schedules.length, 2)
    await bench.world.advance(10)
    deepEqual((await bench.store.dueSchedules({ count: 9 })).nextAtMs, null)
  },

  "while it is paused nothing is due, and it is resumed at the instant that is given": async (bench) => {
    const record = await dueNow(bench)
    const nowMs = await bench.nowMs()
    const change = async (how: Parameters<typeof bench.store.changeSchedule>[0]["change"]) => {
      const answer = await bench.store.changeSchedule({ name: "nightly", change: how })
      ok(answer.kind === "ok")
      return answer.schedule
    }
    const paused = await change({ kind: "pause" })
    deepEqual(paused, { ...record, isPaused: true, nextAtMs: null, version: 2 })
    deepEqual(await change({ kind: "pause" }), paused)
    deepEqual(await due(bench), [])
    const again = await saved(bench, schedule(bench, "nightly", { cron: "5 * * * *" }), nowMs)
    deepEqual([again.isPaused, again.nextAtMs], [true, null])
    const resumed = await change({ kind: "resume", nextAtMs: nowMs + 50 })
    deepEqual([resumed.isPaused, resumed.nextAtMs], [false, nowMs + 50])
    deepEqual(await change({ kind: "resume", nextAtMs: nowMs + 99 }), resumed)
    await bench.world.advance(50)
    deepEqual(await due(bench), ["nightly"])
  },

  "one that is removed is gone, and its tasks stay": async (bench) => {
    const record = await dueNow(bench)
    await fired(bench, fireOf(bench, record))
    const last = await found(bench, "nightly")
    const removed = await bench.store.changeSchedule({ name: "nightly", change: { kind: "remove" } })
    deepEqual(removed, { kind: "ok", nowMs: await bench.nowMs(), schedule: last })
    deepEqual(await bench.store.changeSchedule({ name: "nightly", change: { kind: "remove" } }), { kind: "missing" })
    deepEqual(await bench.store.changeSchedule({ name: "nightly", change: { kind: "pause" } }), { kind: "missing" })
    equal((await bench.list()).length, 1)
  },

  "an exchange tells of the earliest instant, and of none where there is none": async (bench) => {
    const worker = bench.worker()
    const told = async () => {
      const answer = await worker.exchange({ claim: worker.nextClaim() })
      return "scheduleAtMs" in answer ? answer.scheduleAtMs : "none"
    }
    equal(await told(), "none")
    const nowMs = await bench.nowMs()
    await saved(bench, schedule(bench, "b"), nowMs + 20)
    equal(await told(), nowMs + 20)
    await saved(bench, schedule(bench, "a"), nowMs + 10)
    equal(await told(), nowMs + 10)
    equal((await worker.exchange({})).scheduleAtMs, nowMs + 10)
    await bench.store.changeSchedule({ name: "a", change: { kind: "pause" } })
    equal(await told(), nowMs + 20)
    await bench.store.changeSchedule({ name: "b", change: { kind: "remove" } })
    equal(await told(), "none")
  },

  "an instant that is new or earlier wakes whoever waits, and so does firing": async (bench) => {
    const other = await bench.connect()
    const wakes = async (what: string, make: () => Promise<unknown>) => {
      const woken = bench.store.wait({ workerId: "waiting" }, new AbortController().signal)
      await make()
      await bench.until(woken, `to be woken by ${what}`)
    }
    const nowMs = await bench.nowMs()
    await wakes("a new schedule", () => saved(other, schedule(other, "nightly"), nowMs + hourMs))
    await wakes("an earlier instant", () => saved(other, schedule(other, "nightly", { cron: "1 * * * *" }), nowMs + 60_000))
    await other.store.changeSchedule({ name: "nightly", change: { kind: "pause" } })
    await wakes("a resumed one", () => other.store.changeSchedule({ name: "nightly", change: { kind: "resume", nextAtMs: nowMs } }))
    const record = await found(other, "nightly")
    await wakes("its task", () => fired(other, fireOf(other, record)))
  },

  "namespaces share none": async (bench) => {
    const other = await bench.connect({ namespace: "other" })
    const mine = await dueNow(bench)
    const theirs = await dueNow(other, "nightly", { input: "2" })
    await fired(other, fireOf(other, theirs))
    deepEqual(await found(bench, "nightly"), mine)
    deepEqual([await bench.list(), (await other.list()).length], [[], 1])
    await other.store.changeSchedule({ name: "nightly", change: { kind: "remove" } })
    deepEqual([await due(bench), await due(other)], [["nightly"], []])
  },

  "it is there after closing and opening again": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    const record = await dueNow(first)
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    deepEqual(await found(second, "nightly"), record)
    equal(only(await fired(second, fireOf(second, record))).kind, "ok")
  },
})

// The script: what two workers do in a day, so that every operation of the contract is called in a state in which it matters. The
// first is the one that is stopped; the second is there to be taken over from, and to take over. It decides nothing by chance:
// the same calls come in the same order on every store.

import { deepEqual } from "node:assert/strict"
import type { LimitChange } from "../../src/store/index.ts"
import { defaultBackoff } from "../../src/task/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { cancelled, completed, failed, released, rescheduled, retried, said, throttled } from "../../src/testing/conformance/outcomes.ts"
import { rate, rates } from "../../src/testing/conformance/policies.ts"
import { calling } from "./calls.ts"
import { changingJobs, grouping } from "./jobs.ts"
import { leaseMs, type ScriptedProcess } from "./process.ts"
import { fireOf, newSchedule } from "./schedules.ts"
import { otherName, type Stage, victimName } from "./stage.ts"
import { api, hello, idOf, nameOf, newTask, press, types, vendor } from "./tasks.ts"

export interface Cast {
  readonly stage: Stage
  readonly victim: ScriptedProcess
  readonly other: ScriptedProcess
}

export async function play(cast: Cast): Promise<void> {
  await yesterday(cast)
  await submitting(cast)
  await routing(cast)
  await asking(cast)
  await scheduling(cast)
  await working(cast)
  await grouping(cast)
  await changingJobs(cast)
  await moving(cast)
  await firing(cast)
  await changing(cast)
  await calling(cast)
  await losing(cast)
  await sweeping(cast)
}

const names = (tasks: readonly { readonly id: string }[]): string[] => tasks.map(({ id }) => nameOf(id)).sort()
const sweep = { backoff: defaultBackoff, random: 0.5, retentionMs: null }

/** Done long ago, by a worker that is gone, and submitted by somebody whose log nobody reads: what retention may take. */
async function yesterday({ stage }: Cast): Promise<void> {
  const stranger = await stage.connect()
  const gone = stage.startOn(stranger, "worker-z")
  await stranger.submit({ tasks: [newTask("old-1"), newTask("old-2")] })
  await gone.exchange("claim", { rooms: { old: 2 } })
  await gone.exchange("settle", { settles: [gone.settle("old-1", completed()), gone.settle("old-2", failed())] })
  await stage.world.advance(25 * 3_600_000)
}

async function submitting({ victim, other }: Cast): Promise<void> {
  await victim.call("describe", "what it is", {})
  await victim.call("now", "what time it is", {})
  const early = Object.keys(types).filter((type) => type !== "late")
  await victim.call("hello", "all types but one", hello(victim.name, early))
  await other.call("hello", "the same", hello(other.name, early))
  const keyed = { idempotencyKey: "welcome", inputDigest: "a" }
  await victim.call("submit", "a batch with a key twice, and a large input", {
    tasks: [
      newTask("mail-1", keyed),
      newTask("mail-2"),
      newTask("mail-3", keyed),
      newTask("mail-4", { input: JSON.stringify("x".repeat(5_000)) }),
    ],
  })
  const again = await victim.call("submit", "a known key", { tasks: [newTask("mail-5", keyed)] })
  deepEqual(again.kind === "ok" && again.tasks.map(({ task, created }) => [nameOf(task.id), created]), [["mail-1", false]])
  const conflict = await victim.call("submit", "a known key with another input", {
    tasks: [newTask("mail-6"), newTask("mail-7", { ...keyed, inputDigest: "b" })],
  })
  deepEqual(conflict.kind, "conflict")
  await victim.call("submit", "scheduled, expiring and expired", {
    tasks: [
      newTask("mail-8", { schedule: { inMs: 5_000 }, tags: ["later"] }),
      newTask("mail-9", { schedule: { inMs: 70_000 } }),
      newTask("idle-1", { expiry: { inMs: 30_000 } }),
      newTask("idle-2", { expiry: { inMs: 0 } }),
    ],
  })
  await victim.call("submit", "through gates, in flows of their own", {
    tasks: [
      ...["call-1", "call-2", "call-3", "call-4"].map((name, i) => newTask(name, { gates: api, flow: `flow-${i % 2}`, priority: i })),
      ...["sync-1", "sync-2", "sync-3"].map((name) => newTask(name, { gates: vendor("acme") })),
      newTask("sync-4", { gates: vendor("zeta") }),
      ...["page-1", "page-2", "page-3"].map((name, i) => newTask(name, { gates: press(i === 1 ? 2 : 1) })),
    ],
  })
  const tooMuch = await victim.call("submit", "a cost above the limit", { tasks: [newTask("page-4", { gates: press(3) })] })
  deepEqual(tooMuch.kind, "cost_above_limit")
  await victim.call("submit", "without the code", { tasks: ["late-1", "late-2", "late-3"].map((name) => newTask(name, { gates: null })) })
}

async function routing({ victim }: Cast): Promise<void> {
  const { tasks } = await victim.call("unrouted", "of one type", { types: ["late"], limit: 10 })
  deepEqual(names(tasks), ["late-1", "late-2", "late-3"])
  await victim.call("hello", "one type more", hello(victim.name))
  const { results } = await victim.call("route", "gates, a reason to fail, one that is no longer waiting, an unknown limit", {
    routes: [
      { id: idOf("late-1"), gates: api, flow: "routed" },
      { id: idOf("late-2"), error: "its input is not what the code expects" },
      { id: idOf("mail-1"), gates: [], flow: null },
      { id: idOf("late-3"), gates: [{ limit: "nobody", key: "", cost: 1 }], flow: null },
    ],
  })
  deepEqual([results[2]?.kind, results[3]?.kind], ["stale", "unknown_limit"])
}

async function asking({ victim }: Cast): Promise<void> {
  await victim.call("get", "some, and one that is not there", { ids: ["mail-1", "call-4", "mail-7"].map(idOf) })
  await victim.call("list", "one page", { ...everything, limit: 5 })
  await victim.call("history", "of a task", { id: idOf("mail-1") })
  await victim.call("counts", "of all", { type: null })
  await victim.call("explain", "one that waits", { id: idOf("call-1") })
  await victim.call("limits", "all", { names: null })
  await victim.call("gates", "of one limit", { limit: "vendor", keys: null, afterKey: null, count: 10 })
  await victim.call("limitChanges", "of all", { limit: null, beforeNumber: null, count: 10 })
  await victim.call("forecastErrors", "of all", {})
  await victim.call("workers", "all", { limit: 10 })
  await victim.call("waiting", "the first", { afterSeq: 0, expiringWithinMs: 300_000, limit: 100 })
}

/** One that has missed an instant, and one that somebody has second thoughts about. */
async function scheduling({ stage, victim }: Cast): Promise<void> {
  const nowMs = stage.world.wallMs()
  const ticking = newSchedule("ticking", [nowMs - 60_000, nowMs, nowMs + 5_000, nowMs + 9_000])
  await victim.call("saveSchedule", "a new one", { schedule: ticking, nextAtMs: nowMs - 60_000 })
  await victim.call("saveSchedule", "another", { schedule: newSchedule("doubtful", [nowMs], "none"), nextAtMs: nowMs })
  await victim.call("schedules", "all", { names: null, afterName: null, count: 10 })
  const again = await victim.call("saveSchedule", "the same again", { schedule: ticking, nextAtMs: nowMs + 5_000 })
  deepEqual(again.kind === "ok" && again.change, "unchanged")
  await victim.call("changeSchedule", "pause", { name: "doubtful", change: { kind: "pause" } })
  const { schedules } = await victim.call("dueSchedules", "what is due", { count: 10 })
  deepEqual(
    schedules.map(({ name }) => name),
    ["ticking"],
  )
  const fires = schedules.map((record) => fireOf(record, nowMs, "one-"))
  const { results } = await victim.call("fire", "two instants, one of them missed, and one that is paused", {
    fires: [...fires, { name: "doubtful", atMs: nowMs, version: 1, runs: [{ id: idOf("cron-9"), atMs: nowMs }], nextAtMs: null }],
  })
  deepEqual(results[1], { kind: "stale" })
  await victim.call("changeSchedule", "resume", { name: "doubtful", change: { kind: "resume", nextAtMs: nowMs + 60_000 } })
  await victim.call("changeSchedule", "remove", { name: "doubtful", change: { kind: "remove" } })
  await victim.call("saveSchedule", "with another task", {
    schedule: { ...ticking, template: { ...ticking.template, priority: 1 } },
    nextAtMs: nowMs + 60_000,
  })
}

/** The other one is faster. */
async function firing({ stage, victim, other }: Cast): Promise<void> {
  const nowMs = stage.world.wallMs()
  const { schedules } = await victim.call("dueSchedules", "what is due", { count: 10 })
  const fires = (prefix: string) => ({ fires: schedules.map((record) => fireOf(record, nowMs, prefix)) })
  await other.call("fire", "one instant", fires("two-"))
  const late = await victim.call("fire", "what another has fired", fires("els-"))
  deepEqual(late.results, [{ kind: "stale" }])
}

async function working({ stage, victim, other }: Cast): Promise<void> {
  const first = await victim.exchange("claim", { rooms: { mail: 2 } })
  deepEqual(names(first.claimed), ["mail-1", "mail-2"])
  // Held until its lease is lost, and then taken over.
  deepEqual(names((await other.exchange("claim", { rooms: { mail: 1 } })).claimed), ["mail-4"])
  await victim.exchange("renew with progress", { renew: ["mail-1", "mail-2"] })
  const calls = await victim.exchange("settle completed, claim as many as there are slots", {
    settles: [victim.settle("mail-1", completed('{"sent":true}'))],
    rooms: { call: 5 },
  })
  deepEqual(names(calls.claimed), ["call-2", "call-3", "call-4"])
  await victim.call("permit", "one more request", permit(victim, "call-2", 1, 0))
  const later = await victim.call("permit", "more than fits now", permit(victim, "call-3", 6, 0))
  deepEqual(later.kind, "later")
  await victim.exchange("settle failed", { settles: [victim.settle("mail-2", failed())] })
  await victim.exchange("settle retried", { settles: [victim.settle("call-2", retried(1_000))] })
  await victim.exchange("settle rescheduled", { settles: [victim.settle("call-3", rescheduled(2_000, 0, "not yet"))] })
  await victim.exchange("settle released", { settles: [victim.settle("call-4", released())] })
  const syncs = await victim.exchange("claim through two gates", { rooms: { sync: 2, mail: 1 } })
  deepEqual(names(syncs.claimed), ["sync-1", "sync-2"])
  await stage.world.advance(400)
  await victim.exchange("settle throttled, which closes a gate, and claim past another", {
    settles: [victim.settle("sync-1", throttled(0, 429, { limit: "vendor", retryAfterMs: 3_000 }), { sentAgoMs: 300 })],
    rooms: { sync: 5 },
  })
  await victim.exchange("settle completed with what was spent", {
    settles: [
      victim.settle("sync-2", completed(), { spent: [{ limit: "quota", actual: 1 }], sentAgoMs: 390, respondedAgoMs: 100, rttMs: 200 }),
    ],
  })
  const pages = await victim.exchange("claim slots", { rooms: { page: 5 } })
  deepEqual(names(pages.claimed), ["page-1"])
}

const permit = (process: ScriptedProcess, name: string, cost: number, withinMs: number) => {
  return { id: idOf(name), fence: process.fenceOf(name), limit: "api", cost, withinMs }
}

async function moving({ stage, victim }: Cast): Promise<void> {
  await victim.call("cancel", "one that waits at a gate", { ids: [idOf("sync-3")] })
  await victim.call("cancel", "one that runs, and one that is not there", { ids: [idOf("page-1"), idOf("mail-7")] })
  const told = await victim.exchange("told to stop", { renew: ["page-1"] })
  deepEqual(names(told.cancelled), ["page-1"])
  const freed = await victim.exchange("settle cancelled, claim the slots that it frees", {
    settles: [victim.settle("page-1", cancelled)],
    rooms: { page: 5 },
  })
  deepEqual(names(freed.claimed), ["page-2"])
  await victim.call("retry", "failed, cancelled, and one that did not fail", { ids: ["mail-2", "sync-3", "mail-1"].map(idOf) })
  await victim.call("archive", "a finished one", { ids: [idOf("mail-1")] })
  await victim.call("expire", "one that is scheduled, and one that runs", { ids: [idOf("mail-9"), idOf("page-2")] })
  await stage.world.advance(5_000)
  const due = await victim.exchange("claim what has become due", { rooms: { mail: 3, call: 3, late: 3 } })
  deepEqual(names(due.claimed), ["call-2", "call-3", "call-4", "mail-2", "mail-8"])
}

async function changing({ stage, victim, other }: Cast): Promise<void> {
  const change = (note: string, limit: string, key: string, how: LimitChange) =>
    victim.call("changeLimit", note, { limit, key, change: how, by: "somebody" })
  await change("set", "api", "", { kind: "set", override: { concurrency: 1 }, untilMs: null })
  await change("set one key for a while", "vendor", "zeta", {
    kind: "set",
    override: { rates: rates(rate(1, 5_000)).rates },
    untilMs: stage.world.wallMs() + 60_000,
  })
  await change("pause", "vendor", "", { kind: "pause" })
  const paused = await victim.exchange("claim at a paused limit", { rooms: { sync: 5 } })
  deepEqual(paused.claimed, [])
  await change("resume", "vendor", "", { kind: "resume" })
  await change("close", "press", "", { kind: "close", untilMs: stage.world.wallMs() + 8_000 })
  await change("reset, which ends a cooldown", "vendor", "acme", { kind: "reset" })
  const taught = { learned: { version: 0, changedAtUs: 0 }, everyUs: 2_000, slots: null }
  await change("teach", "vendor", "zeta", { kind: "teach", version: 0, taught })
  const conflict = await change("teach what has learned meanwhile", "vendor", "zeta", { kind: "teach", version: 0, taught })
  deepEqual(conflict, { kind: "conflict", version: 1 })
  const unknown = await change("of an unknown limit", "nobody", "", { kind: "pause" })
  deepEqual(unknown.kind, "unknown_limit")
  await other.exchange("claim", { rooms: { sync: 1 } })
  await change("reset", "api", "", { kind: "reset" })
  await victim.call("hello", "another policy", {
    ...hello(victim.name),
    limits: [{ name: "spare", policy: rates(rate(5, 60_000, { provider: "fixed" })) }],
  })
}

/** Both workers stand still for longer than a lease: what they hold is lost, unless they settle before anybody looks. */
async function losing({ stage, victim, other }: Cast): Promise<void> {
  const page = { id: idOf("page-2"), fence: victim.fenceOf("page-2") }
  await stage.pause([victimName, otherName], leaseMs + 1_000)
  const late = await victim.exchange("renew too late", { renew: ["page-2"] })
  deepEqual(late.kept, ["stale"])
  await victim.exchange("settle late, before anybody has looked", { settles: [victim.settle("mail-8", completed())] })
  await victim.call("sweep", "lost leases, overdue tasks", { ...sweep })
  await other.exchange("settle too late", { settles: [other.settle("mail-4", completed())] })
  await stage.world.advance(2_000)
  deepEqual(names((await other.exchange("claim", { rooms: { page: 5 } })).claimed), ["page-3"])
  const taken = await other.exchange("settle and claim", { settles: [other.settle("page-3", completed())], rooms: { page: 5 } })
  deepEqual(names(taken.claimed), ["page-2"])
  const refused = await victim.exchange("settle what another has, claim what another had", {
    settles: [said(page, completed())],
    rooms: { mail: 5 },
  })
  deepEqual([refused.settled, names(refused.claimed)], [[{ kind: "stale" }], ["mail-2", "mail-4"]])
  await victim.exchange("settle what was taken over", {
    settles: [victim.settle("mail-4", completed()), victim.settle("mail-2", retried(500))],
    rooms: { call: 5, late: 5 },
  })
}

async function sweeping({ stage, victim }: Cast): Promise<void> {
  await victim.call("sweep", "what is old, workers and lanes that nobody needs", { ...sweep, retentionMs: 3_600_000 })
  await stage.world.advance(1_000)
  await victim.exchange("claim what has come back", { rooms: { mail: 5, sync: 5, page: 5 } })
  const again = await victim.exchange("settle released, and claim it again in the same step", {
    settles: [victim.settle("call-4", released())],
    rooms: { call: 1 },
  })
  deepEqual(names(again.claimed), ["call-4"])
}

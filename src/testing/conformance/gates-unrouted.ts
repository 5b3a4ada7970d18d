// Unrouted tasks were submitted by somebody who does not know their gates. They never run ungated: they are out of every claim's reach until
// somebody who has the code has said which gates they pass.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { ids, only, sameTasks } from "./assertions.ts"
import { type Bench, theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { rolling, slots, through } from "./policies.ts"

const unrouted = { gates: null }

async function waiting(bench: Bench, ...types: readonly string[]): Promise<string[]> {
  return ids((await bench.store.unrouted({ types, limit: 100 })).tasks)
}

async function route(bench: Bench, task: { readonly id: string }, gates = through("vendor"), flow: string | null = null) {
  return only((await bench.store.route({ routes: [{ id: task.id, gates, flow }] })).results)
}

export const gatesUnroutedTests = theme("gates-unrouted", {
  "a task whose gates nobody knows is out of reach until it is routed, and then passes them": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const tasks = await bench.submitMany(2, unrouted)
    const worker = bench.worker()
    const before = await worker.look()
    deepEqual([before.claimed, before.nextAtMs, before.unrouted], [[], null, ["mail"]])
    deepEqual(await waiting(bench, "mail"), ids(tasks))
    for (const task of tasks) deepEqual(await route(bench, task), { kind: "ok" })
    const { claimed, unrouted: left, nextAtMs } = await worker.look()
    sameTasks(claimed, tasks.slice(0, 1))
    deepEqual([left, nextAtMs], [[], bench.world.wallMs() + 10_000])
    deepEqual(claimed[0]?.gates, through("vendor"))
    const [, second] = tasks
    ok(second)
    deepEqual(await bench.get(second), { ...second, gates: through("vendor"), forecastAtMs: bench.world.wallMs() + 10_000 })
    deepEqual(await bench.events(second), ["created"])
  },

  "a claim names the types that have unrouted tasks, of those that it asks for": async (bench) => {
    await bench.submitAll([{ type: "mail", ...unrouted }, { type: "resize" }, { type: "report", ...unrouted }])
    const worker = bench.worker()
    const look = async (...types: readonly string[]) => (await worker.look({ types: types.map((type) => ({ type, room: 1 })) })).unrouted
    deepEqual(await look("resize", "mail"), ["mail"])
    deepEqual(await look("resize"), [])
    deepEqual((await look("report", "mail")).toSorted(), ["mail", "report"])
  },

  "they are read by type, in the order of submission, as many as asked for": async (bench) => {
    const tasks = await bench.submitAll(["b", "a", "b", "c"].map((type) => ({ type, ...unrouted })))
    const found = async (types: readonly string[], limit: number) => ids((await bench.store.unrouted({ types, limit })).tasks)
    deepEqual(await found(["a", "b"], 100), ids(tasks).slice(0, 3))
    deepEqual(await found(["b", "a"], 2), ids(tasks).slice(0, 2))
    deepEqual(await found(["d"], 100), [])
  },

  "a type that is known to pass no gates needs no route": async (bench) => {
    await bench.store.hello({ workerId: null, types: [{ type: "mail", limits: [] }], limits: [] })
    const task = await bench.submit(unrouted)
    deepEqual(task.gates, [])
    const { claimed, unrouted: left } = await bench.worker().look()
    sameTasks(claimed, [task])
    deepEqual(left, [])
  },

  "a type that is known to pass gates needs a route for each task": async (bench) => {
    const limits = [{ name: "vendor", policy: slots(1) }]
    await bench.store.hello({ workerId: null, types: [{ type: "mail", limits: ["vendor"] }], limits })
    const task = await bench.submit(unrouted)
    deepEqual([task.gates, await bench.worker().claim()], [null, []])
    deepEqual(await route(bench, task, []), { kind: "ok" })
    sameTasks(await bench.worker("other").claim(), [task])
  },

  "the last hello decides what a type passes": async (bench) => {
    const limits = [{ name: "vendor", policy: slots(1) }]
    await bench.store.hello({ workerId: null, types: [{ type: "mail", limits: [] }], limits })
    await bench.store.hello({ workerId: null, types: [{ type: "mail", limits: ["vendor"] }], limits: [] })
    deepEqual((await bench.submit(unrouted)).gates, null)
  },

  "a route may say which flow the task belongs to": async (bench) => {
    await bench.declare("vendor", slots(9))
    const [own, other] = await bench.submitMany(2, { ...unrouted, flow: "before" })
    ok(own && other)
    await route(bench, own, through("vendor"), "after")
    await route(bench, other)
    deepEqual([(await bench.get(own)).flow, (await bench.get(other)).flow], ["after", "before"])
    equal((await bench.worker().claim()).length, 2)
  },

  "a task that cannot be routed fails with what was said": async (bench) => {
    const task = await bench.submit(unrouted)
    const { results } = await bench.store.route({ routes: [{ id: task.id, error: "limits of mail: no host in the input" }] })
    deepEqual(results, [{ kind: "ok" }])
    const { status, lastError } = await bench.get(task)
    deepEqual([status, lastError], ["failed", "limits of mail: no host in the input"])
    deepEqual(await waiting(bench, "mail"), [])
    await bench.move("retry", task)
    deepEqual(await waiting(bench, "mail"), [task.id])
    deepEqual(await bench.worker().claim(), [])
  },

  "a route that comes twice, or too late, or for nobody, is stale and changes nothing": async (bench) => {
    await bench.declare("vendor", slots(9))
    await bench.declare("other", slots(9))
    const [once, stopped] = await bench.submitMany(2, unrouted)
    ok(once && stopped)
    await bench.move("cancel", stopped)
    const again = { id: once.id, gates: through("other"), flow: null }
    const routes = [{ id: once.id, gates: through("vendor"), flow: null }, again, { ...again, id: stopped.id }, { ...again, id: "nobody" }]
    const { results } = await bench.store.route({ routes })
    deepEqual(
      results.map(({ kind }) => kind),
      ["ok", "stale", "stale", "stale"],
    )
    deepEqual(await route(bench, once, through("other")), { kind: "stale" })
    deepEqual((await bench.get(once)).gates, through("vendor"))
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    deepEqual(await route(bench, once), { kind: "stale" })
  },

  "a route through a limit that nobody knows, or that the cost exceeds, is refused and leaves the task as it is": async (bench) => {
    await bench.declare("vendor", rolling(5, 1_000))
    const task = await bench.submit(unrouted)
    deepEqual(await route(bench, task, through("nobody")), { kind: "unknown_limit", limit: "nobody" })
    const above = { kind: "cost_above_limit", gate: "vendor/k", cost: 6, largest: 5 }
    deepEqual(await route(bench, task, through("vendor", "k", 6)), above)
    deepEqual(await bench.get(task), task)
    deepEqual(await route(bench, task, through("vendor", "k", 5)), { kind: "ok" })
  },

  "a scheduled task can be routed early, and starts when it is due": async (bench) => {
    await bench.declare("vendor", slots(9))
    const [early, late] = await bench.submitMany(2, { ...unrouted, schedule: { inMs: 5_000 } })
    ok(early && late)
    const worker = bench.worker()
    equal((await worker.look()).nextAtMs, null)
    await route(bench, early)
    equal((await worker.look()).nextAtMs, bench.world.wallMs() + 5_000)
    await bench.world.advance(5_000)
    sameTasks(await worker.claim(), [early])
    await route(bench, late)
    sameTasks(await worker.claim(), [late])
  },

  "they expire and can be cancelled like any other": async (bench) => {
    const [late, stopped, named] = await bench.submitAll([{ ...unrouted, expiry: { inMs: 1_000 } }, unrouted, unrouted])
    ok(late && stopped && named)
    equal((await bench.move("cancel", stopped)).kind, "ok")
    equal((await bench.move("expire", named)).kind, "ok")
    await bench.world.advance(1_000)
    equal((await bench.sweep()).expired, 1)
    deepEqual(await bench.counts(), { expired: 2, cancelled: 1 })
    deepEqual([await waiting(bench, "mail"), (await bench.worker().look()).unrouted], [[], []])
  },

  "a batch of routes is bounded, and so is what is read of them": async (bench) => {
    await bench.submitMany(130, unrouted)
    const { tasks } = await bench.store.unrouted({ types: ["mail"], limit: 10_000 })
    ok(tasks.length <= 100, `expected 100 at most, got ${tasks.length}`)
    const { results } = await bench.store.route({ routes: tasks.map(({ id }) => ({ id, gates: [], flow: null })) })
    match(results.map(({ kind }) => kind).join(" "), /^ok( ok)*$/)
    equal((await bench.worker().claim()).length, tasks.length)
  },
})

// The API as somebody uses it: every route is called, every answer has the shape that its schema and the OpenAPI document say.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import type { LogLine } from "../../src/http/index.ts"
import type { Route } from "../../src/http/route.ts"
import { routes } from "../../src/http/routes/index.ts"
import { defineLimit, defineTask } from "../../src/queue/index.ts"
import type { TaskDocument } from "../../src/store/index.ts"
import { operations } from "../../src/store/index.ts"
import { type Answer, type Asking, type Stage, stage } from "./kit.ts"

const asked = new Set<Route>()
const lines: LogLine[] = []

/** Those of workers are not: what they do stands in the histories of their tasks. */
const isChange = ({ method, tag }: Route) => method !== "get" && tag !== "workers"

/** Asks, and holds the answer against the schema of its route, and the log against what was asked for. */
async function checked(server: Stage, path: string, asking: Asking = {}): Promise<Answer> {
  lines.length = 0
  const answer = await server.ask(path, asking)
  const method = (asking.method ?? (asking.body === undefined ? "GET" : "POST")).toLowerCase()
  const route = routeOf(method, path.split("?")[0] ?? "")
  asked.add(route)
  assert.equal(answer.status, route.status ?? 200, `${method} ${path}: ${answer.text}`)
  assert.deepEqual(
    lines.map(({ event, fields }) => [event, fields.operation, fields.result]),
    isChange(route) ? [["audit", `${method.toUpperCase()} ${route.path}`, "ok"]] : [],
  )
  if (route.answer) {
    const result = route.answer.safeParse(answer.json())
    assert.ok(result.success, `${method} ${path}: ${result.error?.message}`)
  }
  return answer
}

function routeOf(method: string, path: string): Route {
  const parts = path.split("/")
  const found = routes.find((route) => {
    const own = route.path.split("/")
    return route.method === method && own.length === parts.length && own.every((part, i) => part.startsWith("{") || part === parts[i])
  })
  assert.ok(found, `expected a route for ${method} ${path}`)
  return found
}

const vendor = defineLimit("vendor", { rate: "2/1h", concurrency: 5 })
const learning = defineLimit("learning", { adaptive: "linear" })
const call = defineTask("call", { limits: [vendor("host-1")], run: () => "done" })
const learn = defineTask("learn", { limits: [learning], run: () => "done" })

describe("the API", () => {
  let server: Stage
  const get = async <T = Record<string, never>>(path: string) => (await checked(server, path)).json<T>()
  const post = async <T = Record<string, never>>(path: string, body: unknown = {}) => (await checked(server, path, { body })).json<T>()

  before(async () => {
    server = await stage({ log: (line) => lines.push(line) })
    await server.queue.submit(call, {})
    await server.queue.submit(learn, {})
  })
  after(() => server.close())

  it("submits, lists, shows, explains, forecasts and tells the history of tasks", async () => {
    await post("/api/v1/hello", { worker_id: "postman", task_types: ["mail"] })
    const one = await post<TaskDocument & { warning: string | null }>("/api/v1/tasks", {
      task_type: "mail",
      input: { to: "ada" },
      ttl: "1h",
      tags: ["x"],
      max_retries: 1,
    })
    assert.deepEqual([one.status, one.input, one.tags, one.max_retries, one.warning], ["pending", { to: "ada" }, ["x"], 1, null])
    const shown = await get<TaskDocument>(`/api/v1/tasks/${one.id}`)
    assert.deepEqual({ ...shown, estimated_start_at: null, warning: null }, { ...one, estimated_start_at: null })
    const page = await get<{ tasks: TaskDocument[] }>("/api/v1/tasks?status=pending&task_type=mail&tag=x&limit=5&forecast=true")
    assert.deepEqual(
      page.tasks.map(({ id }) => id),
      [one.id],
    )
    assert.equal(
      (await get<{ history: { text: string }[] }>(`/api/v1/tasks/${one.id}/history`)).history[0]?.text.startsWith(
        "Version 1: pending (created",
      ),
      true,
    )
    assert.match((await get<{ text: string }>(`/api/v1/tasks/${one.id}/explain`)).text, /is pending/)
    const { forecast } = await get<{ forecast: { basis: string } }>(`/api/v1/tasks/${one.id}/forecast`)
    assert.equal(forecast.basis, "now")
  })

  it("submits a batch of any types, all or none", async () => {
    const { tasks } = await post<{ tasks: TaskDocument[] }>("/api/v1/tasks/batch", {
      tasks: [{ task_type: "a" }, { task_type: "b", input: [1], priority: 5 }],
    })
    assert.deepEqual(
      tasks.map(({ task_type, input, priority }) => [task_type, input, priority]),
      [
        ["a", {}, 0],
        ["b", [1], 5],
      ],
    )
    const refused = await server.ask("/api/v1/tasks/batch", {
      body: { tasks: [{ task_type: "c" }, { task_type: "d", gates: ["nobody/k"] }] },
    })
    assert.deepEqual([refused.status, refused.json<{ error: { code: string } }>().error.code], [404, "unknown_limit"])
    assert.deepEqual((await get<{ tasks: unknown[] }>("/api/v1/tasks?task_type=c")).tasks, [])
  })

  it("cancels, retries, archives and expires tasks, one by one and in bulk", async () => {
    const ids = (
      await post<{ tasks: TaskDocument[] }>("/api/v1/tasks/batch", { tasks: Array.from({ length: 4 }, () => ({ task_type: "bulk" })) })
    ).tasks.map(({ id }) => id)
    assert.equal((await post<TaskDocument>(`/api/v1/tasks/${ids[0]}/cancel`)).status, "cancelled")
    assert.equal((await post<TaskDocument>(`/api/v1/tasks/${ids[0]}/retry`)).status, "pending")
    assert.equal((await post<TaskDocument>(`/api/v1/tasks/${ids[1]}/expire`)).status, "expired")
    assert.equal((await post<TaskDocument>(`/api/v1/tasks/${ids[1]}/archive`)).status, "archived")
    interface Bulk {
      results: { id: string; kind: string; status: string | null }[]
      changed: number
      cursor: string | null
    }
    const some = await post<Bulk>("/api/v1/tasks/cancel", { ids: [ids[2], "nobody", ids[1]] })
    assert.deepEqual(
      some.results.map(({ kind, status }) => [kind, status]),
      [
        ["ok", "cancelled"],
        ["missing", null],
        ["illegal", "archived"],
      ],
    )
    assert.equal((await post<Bulk>("/api/v1/tasks/cancel", { filter: { task_type: "bulk" } })).changed, 2)
    assert.equal((await post<Bulk>("/api/v1/tasks/retry", { filter: { task_type: "bulk", status: "cancelled" } })).changed, 3)
    const neither = await server.ask("/api/v1/tasks/cancel", { body: {} })
    assert.deepEqual(
      [neither.status, neither.json<{ error: { message: string } }>().error.message],
      [400, "tasks/cancel: expected ids or filter, got neither"],
    )
  })

  it("submits, watches, adds to, bounds, closes and cancels jobs", async () => {
    const job = await post<{ id: string }>("/api/v1/jobs", {
      name: "import",
      tasks: [{ task_type: "step" }],
      concurrency: 2,
      open: true,
      on_complete: { task_type: "report" },
    })
    await post(`/api/v1/jobs/${job.id}/tasks`, { tasks: [{ task_type: "step" }] })
    assert.equal((await post<{ concurrency: number }>(`/api/v1/jobs/${job.id}/concurrency`, { concurrency: 3 })).concurrency, 3)
    const detail = await get<{ total: number; slots: unknown }>(`/api/v1/jobs/${job.id}`)
    assert.deepEqual([detail.total, detail.slots], [2, { held: 0, of: 3 }])
    assert.equal((await get<{ jobs: unknown[] }>("/api/v1/jobs?status=running&name=import&limit=1")).jobs.length, 1)
    assert.equal((await post<{ is_open: boolean }>(`/api/v1/jobs/${job.id}/close`)).is_open, false)
    assert.equal((await post<{ status: string }>(`/api/v1/jobs/${job.id}/cancel`, { reason: "enough" })).status, "cancelled")
  })

  it("shows limits and gates, and changes them at once", async () => {
    assert.deepEqual(
      (await get<{ limits: { name: string }[] }>("/api/v1/limits")).limits.map(({ name }) => name),
      ["learning", "vendor"],
    )
    interface Shown {
      gate: { policy_text: string; is_paused: boolean; closed_until: string | null }
      settings: Record<string, unknown>
    }
    const set = await post<Shown>("/api/v1/limits/vendor/set", { rate: "5/10s", concurrency: 3, until: "1h" })
    assert.match(set.gate.policy_text, /^5\/10s .*3 at once$/)
    assert.equal((await post<Shown>("/api/v1/limits/vendor/pause", { key: "host-1" })).gate.is_paused, false)
    const { gates } = await get<{ gates: { key: string; is_paused: boolean; waiting_tasks: number }[] }>(
      "/api/v1/limits/vendor/gates?limit=10",
    )
    assert.deepEqual(
      gates.map(({ key, is_paused, waiting_tasks }) => ({ key, is_paused, waiting_tasks })),
      [{ key: "host-1", is_paused: true, waiting_tasks: 1 }],
    )
    await post("/api/v1/limits/vendor/resume", { key: "host-1" })
    assert.notEqual((await post<Shown>("/api/v1/limits/vendor/close", { until: "10m" })).gate.closed_until, null)
    assert.equal((await post<Shown>("/api/v1/limits/vendor/reset")).gate.closed_until, null)
    await post("/api/v1/limits/learning/teach", { delay: "2s" })
    const taught = await get<{ gates: { learned: { every_ms: number } }[] }>("/api/v1/limits/learning/gates?key=")
    assert.equal(taught.gates[0]?.learned.every_ms, 2_000)
    await post("/api/v1/limits/learning/forget")
    await get("/api/v1/limits/vendor")
    const { changes } = await get<{ changes: { text: string; by: string }[] }>("/api/v1/limits/changes?limit=vendor&count=2")
    assert.deepEqual(
      changes.map(({ text }) => text.split(",")[0]),
      ["vendor: back to what the code says", changes[1]?.text.split(",")[0]],
    )
    assert.equal(changes[0]?.by, "http (admin)")
  })

  it("makes, shows, pauses, resumes, triggers and removes schedules", async () => {
    const path = "/api/v1/schedules/nightly"
    const saved = (
      await checked(server, path, {
        method: "PUT",
        body: { cron: "0 3 * * *", timezone: "Europe/Vienna", task_type: "report", catch_up: { all: 3 } },
      })
    ).json<{ change: string }>()
    assert.equal(saved.change, "created")
    assert.equal((await get<{ upcoming: string[] }>(`${path}?count=3`)).upcoming.length, 3)
    assert.equal((await get<{ schedules: unknown[] }>("/api/v1/schedules")).schedules.length, 1)
    assert.equal((await post<{ is_paused: boolean }>(`${path}/pause`)).is_paused, true)
    assert.equal((await post<{ is_paused: boolean }>(`${path}/resume`)).is_paused, false)
    assert.equal((await post<TaskDocument>(`${path}/trigger`)).task_type, "report")
    await checked(server, path, { method: "DELETE" })
    assert.equal((await server.ask(path)).status, 404)
  })

  it("lets a worker in any language live: hello, claim, keep alive, settle", async () => {
    const { id } = await post<TaskDocument>("/api/v1/tasks", { task_type: "resize", input: { n: 1 } })
    assert.equal((await get<{ tasks: TaskDocument[] }>("/api/v1/unrouted?task_type=resize")).tasks[0]?.id, id)
    assert.equal((await post<{ routed: number }>("/api/v1/hello", { worker_id: "shell-1", task_types: ["resize"] })).routed, 1)
    interface Exchanged {
      claimed: TaskDocument[]
      settled: { kind: string; status?: string }[]
      kept: string[]
    }
    const claimed = await post<Exchanged>("/api/v1/exchange", { worker_id: "shell-1", claim: { task_types: ["resize"], number: 1 } })
    const fence = claimed.claimed[0]?.fence
    assert.deepEqual([claimed.claimed[0]?.id, fence], [id, 1])
    const again = await post<Exchanged>("/api/v1/exchange", { worker_id: "shell-1", claim: { task_types: ["resize"], number: 1 } })
    assert.deepEqual(
      again.claimed.map((task) => task.id),
      [id],
      "a claim whose answer was lost is asked again",
    )
    const { workers } = await get<{ workers: { id: string; running: number }[] }>("/api/v1/workers")
    assert.deepEqual(
      workers.map((worker) => [worker.id, worker.running]),
      [
        ["postman", 0],
        ["shell-1", 1],
      ],
    )
    const kept = await post<Exchanged>("/api/v1/exchange", { worker_id: "shell-1", heartbeats: [{ id, fence, progress: { done: 0.5 } }] })
    assert.deepEqual(kept.kept, ["ok"])
    assert.deepEqual((await get<TaskDocument>(`/api/v1/tasks/${id}`)).progress, { done: 0.5 })
    const settle = { id, fence, outcome: { kind: "completed", output: { ok: true } } }
    assert.deepEqual((await post<Exchanged>("/api/v1/exchange", { worker_id: "shell-1", settles: [settle] })).settled, [
      { kind: "ok", status: "completed" },
    ])
    const stale = { ...settle, outcome: { kind: "failed", error: "late" } }
    assert.deepEqual((await post<Exchanged>("/api/v1/exchange", { worker_id: "shell-1", settles: [stale] })).settled, [{ kind: "stale" }])
    assert.deepEqual((await get<TaskDocument>(`/api/v1/tasks/${id}`)).output, { ok: true })
  })

  it("an exchange takes every outcome", async () => {
    const outcomes = [
      [{ kind: "retried", error: "broken", delay: "1s" }, "pending"],
      [{ kind: "failed", error: "never", status: 404 }, "failed"],
      [{ kind: "rescheduled", delay_seconds: 60, extend_expiration: "1m", reason: "later" }, "pending"],
      [{ kind: "throttled", retry_after: "2s", status: 429 }, "pending"],
      [{ kind: "released" }, "pending"],
      [{ kind: "cancelled" }, "cancelled"],
    ] as const
    await post("/api/v1/hello", { worker_id: "w", task_types: [{ task_type: "each" }], limits: [{ name: "said", rate: "5/1s" }] })
    for (const [outcome, status] of outcomes) {
      await post("/api/v1/tasks", { task_type: "each" })
      const { claimed } = await post<{ claimed: TaskDocument[] }>("/api/v1/exchange", {
        worker_id: "w",
        claim: { task_types: ["each"], max: 1 },
      })
      const [task] = claimed
      const { settled } = await post<{ settled: unknown[] }>("/api/v1/exchange", {
        worker_id: "w",
        settles: [{ id: task?.id, fence: task?.fence, outcome }],
      })
      assert.deepEqual(settled, [{ kind: "ok", status }], outcome.kind)
      if (status === "pending") await server.queue.cancel(task?.id ?? "")
    }
  })

  it("routes tasks to gates for a worker that knows them", async () => {
    const { id } = await post<TaskDocument>("/api/v1/tasks", { task_type: "gated" })
    const { results } = await post<{ results: unknown[] }>("/api/v1/routes", {
      routes: [
        { id, gates: ["vendor/host-2"] },
        { id: "nobody", error: "no such" },
      ],
    })
    assert.deepEqual(results, [
      { id, kind: "ok" },
      { id: "nobody", kind: "stale" },
    ])
    assert.deepEqual((await get<TaskDocument>(`/api/v1/tasks/${id}`)).gates, ["vendor/host-2"])
  })

  it("tells counts, the overview, where tasks wait, and what the store is", async () => {
    assert.equal((await get<Record<string, number>>("/api/v1/counts?task_type=learn")).pending, 1)
    const overview = await get<{
      counts: { pending: number }
      waiting_by_reason: Record<string, number>
      oldest_waiting: { task_type: string }
    }>("/api/v1/overview")
    assert.equal(
      Object.values(overview.waiting_by_reason).reduce((sum, count) => sum + count, 0),
      overview.counts.pending,
    )
    assert.equal(overview.oldest_waiting.task_type, "call")
    const forecast = await get<{ limits: { name: string }[] }>("/api/v1/forecast?limit=5")
    assert.deepEqual(
      forecast.limits.map(({ name }) => name),
      ["learning", "vendor"],
    )
    await get("/api/v1/describe")
    await get("/api/v1/session")
    await get("/healthz")
    await get("/openapi.json")
    assert.match((await checked(server, "/metrics")).text, /^# HELP sluice_/)
  })

  it("has been asked by these tests for everything but the store's operations and the stream", () => {
    const left = routes.filter((route) => !asked.has(route) && route.tag !== "store").map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(left, ["get /api/v1/events"])
  })

  it("has every operation of the contract", () => {
    const own = routes.filter(({ tag }) => tag === "store").map(({ path }) => path.split("/").at(-1))
    assert.deepEqual(own, [...operations, "wait"])
  })
})

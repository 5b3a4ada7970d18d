// A scrape parses, has every metric of the catalogue, and those of the seeds move.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { catalogue, type MetricName } from "../../src/http/metrics/catalogue.ts"
import { Metrics } from "../../src/http/metrics/index.ts"
import { startMetricsServer } from "../../src/http/metrics/server.ts"
import { connect, defineLimit, defineTask, type Queue } from "../../src/queue/index.ts"
import { RateLimitError, RescheduleError } from "../../src/task/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { parseExposition, type Scrape } from "./exposition.ts"
import { ask, stage } from "./kit.ts"

const vendor = defineLimit("vendor", { rate: "100/1s", concurrency: 4, adaptive: { preset: "linear", slotEvery: "1s" } })

/** Tasks that make every counter of a process move. */
const tasks = [
  defineTask("later", {
    run: (_input: unknown, ctx) => {
      if (ctx.task.rescheduleCount === 0) throw new RescheduleError({ delaySeconds: 60 })
      return "done"
    },
  }),
  defineTask("broken", {
    maxRetries: 1,
    run: () => {
      throw new Error("broken")
    },
  }),
  defineTask("refused", {
    limits: [vendor("host")],
    maxThrottles: 2,
    run: () => {
      throw new RateLimitError({ retryAfter: "1s", limit: "vendor" })
    },
  }),
  defineTask("fine", { run: () => "done" }),
]

async function worked(): Promise<{ queue: Queue; world: VirtualWorld; metrics: Metrics; before: Scrape; after: Scrape; expiring: Scrape }> {
  const world = new VirtualWorld()
  const queue = await connect("memory:", { world })
  const metrics = new Metrics(queue)
  const scrape = async () => {
    await world.advance(1_000)
    return parseExposition(await metrics.text())
  }
  const before = await scrape()
  for (const task of tasks) await queue.submit(task as (typeof tasks)[3], {}, { ttl: "1h" })
  await queue.submit("late", {}, { ttl: "4m" })
  await queue.submit("late", {}, { ttl: "6m" })
  await queue.cancel((await queue.submit(tasks[3] as never, {}, { delay: "10s" })).id)
  const expiring = await scrape()
  await queue.submit(tasks[3] as never, {}, { delay: "10s" })
  const stop = new AbortController()
  const running = queue.worker(tasks, { id: "w" }).run({ signal: stop.signal })
  await world.advance(10 * 60_000)
  const after = await scrape()
  stop.abort()
  await world.advance(1_000)
  await running
  return { queue, world, metrics, before, after, expiring }
}

describe("metrics", () => {
  it("parse, have every name of the catalogue, and those of the seeds move", async () => {
    const { before, after, expiring, queue } = await worked()
    const silent: MetricName[] = [
      ...(["sluice_lease_losses_total", "sluice_stale_settles_total", "sluice_overruns_total"] as const),
      ...(["sluice_store_unavailable_total", "sluice_limit_detached_total"] as const),
    ]
    for (const name of Object.keys(catalogue)) assert.ok(after.types.has(name), `expected ${name}`)
    for (const name of silent) assert.equal(after.types.get(name), "counter")
    const value = (scrape: Scrape, name: string, labels: Record<string, string> = {}) => scrape.value(name, labels) ?? 0
    const moved: readonly (readonly [string, Record<string, string>, number])[] = [
      ["sluice_tasks_submitted_total", { task_type: "fine" }, 3],
      ["sluice_tasks_rescheduled_total", { task_type: "later" }, 1],
      ["sluice_reschedule_delay_seconds_sum", { task_type: "later" }, 60],
      ["sluice_task_ttl_seconds_sum", { task_type: "late" }, 600],
      ["sluice_tasks_expired_total", { task_type: "late" }, 2],
      ["sluice_tasks_cancelled_total", { task_type: "fine" }, 1],
      ["sluice_tasks_retried_total", { task_type: "broken" }, 2],
      ["sluice_rate_limited_total", { task_type: "refused", limit: "vendor" }, 3],
      ["sluice_cooldowns_total", { limit: "vendor" }, 3],
      ["sluice_tasks_claimed_total", { task_type: "fine" }, 2],
      ["sluice_task_wait_seconds_sum", { task_type: "fine", reason: "schedule" }, 10],
      ["sluice_tasks_settled_total", { task_type: "fine", outcome: "completed" }, 2],
      ["sluice_workers", {}, 1],
      ["sluice_tasks", { status: "completed" }, 3],
    ]
    for (const [name, labels, expected] of moved) {
      assert.equal(value(before, name, labels), 0, name)
      assert.equal(value(after, name, labels), expected, name)
    }
    assert.equal(value(expiring, "sluice_tasks_near_expiration", { task_type: "late" }), 1)
    assert.equal(value(after, "sluice_tasks_near_expiration", { task_type: "late" }), 0)
    assert.ok(value(after, "sluice_concurrency_overrides_total", { limit: "vendor" }) > 0)
    assert.ok(value(after, "sluice_pace_changes_total", { limit: "vendor" }) > 0)
    assert.ok(value(after, "sluice_claim_seconds_count") > 0)
    assert.ok(value(after, "sluice_gate_delay_seconds", { limit: "vendor" }) > 0)
    assert.equal(value(after, "sluice_gates_overridden", { limit: "vendor" }), 1)
    assert.equal(value(after, "sluice_forecast_error_seconds_count", { task_type: "fine" }), 2)
    await queue.close()
  })

  it("of a server count what workers in any language do, each run once", async (t) => {
    const world = new VirtualWorld()
    const server = await stage({}, { world })
    t.after(server.close)
    const post = async <T>(path: string, body: unknown) => (await server.ask(path, { body })).json<T>()
    const scrape = async () => {
      await world.advance(1_000)
      const { status, text, headers } = await server.ask("/metrics")
      assert.deepEqual([status, headers["content-type"]], [200, "text/plain; version=0.0.4; charset=utf-8"])
      return parseExposition(text)
    }
    const outcomes = [
      { kind: "rescheduled", delay_seconds: 60 },
      { kind: "retried", error: "broken", delay: "1s" },
      { kind: "throttled", retry_after: "2s", limit: "vendor" },
      { kind: "completed" },
    ]
    await post("/api/v1/hello", { worker_id: "shell", task_types: ["shell"] })
    await post("/api/v1/tasks/batch", { tasks: outcomes.map(() => ({ task_type: "shell", ttl: "1h" })) })
    const claim = { worker_id: "shell", claim: { task_types: ["shell"], number: 1, max: 10 } }
    const { claimed } = await post<{ claimed: { id: string; fence: number }[] }>("/api/v1/exchange", claim)
    await post("/api/v1/exchange", claim)
    const settles = claimed.map(({ id, fence }, i) => ({ id, fence, outcome: outcomes[i] }))
    await world.advance(3_000)
    await post("/api/v1/exchange", { worker_id: "shell", settles })
    await post("/api/v1/exchange", { worker_id: "shell", settles })
    const after = await scrape()
    const expected: readonly (readonly [string, Record<string, string>, number])[] = [
      ["sluice_tasks_submitted_total", { task_type: "shell" }, 4],
      ["sluice_tasks_claimed_total", { task_type: "shell" }, 4],
      ["sluice_tasks_rescheduled_total", { task_type: "shell" }, 1],
      ["sluice_reschedule_delay_seconds_sum", { task_type: "shell" }, 60],
      ["sluice_tasks_retried_total", { task_type: "shell" }, 1],
      ["sluice_rate_limited_total", { task_type: "shell", limit: "vendor" }, 1],
      ["sluice_tasks_settled_total", { task_type: "shell", outcome: "completed" }, 1],
      ["sluice_task_run_seconds_sum", { task_type: "shell", outcome: "completed" }, 3],
      ["sluice_claim_seconds_count", {}, 2],
    ]
    for (const [name, labels, value] of expected) assert.equal(after.value(name, labels), value, name)
  })

  it("have keys as labels on request alone", async () => {
    const { queue, world } = await worked()
    const text = async (keys: boolean) => {
      await world.advance(2_000)
      return new Metrics(queue, { keys }).text()
    }
    assert.doesNotMatch(await text(false), /key=/)
    assert.match(await text(true), /sluice_gate_utilisation\{limit="vendor",key="host"\}/)
    await queue.close()
  })

  it("a counter of the store goes on where retention has removed tasks", async () => {
    const world = new VirtualWorld()
    const queue = await connect("memory:", { world })
    const metrics = new Metrics(queue)
    const expired = async () => {
      await world.advance(2_000)
      return parseExposition(await metrics.text()).value("sluice_tasks_expired_total", { task_type: "late" })
    }
    await queue.store.hello({ workerId: "w", types: [{ type: "late", limits: [] }], limits: [] })
    await queue.submit("late", {}, { ttl: 0 })
    assert.equal(await expired(), 1)
    await queue.store.sweep({ backoff: { baseMs: 1, factor: 1, capMs: 1 }, random: 0, retentionMs: 0 })
    assert.equal(await expired(), 1)
    await queue.submit("late", {}, { ttl: 0 })
    assert.equal(await expired(), 2)
    await queue.close()
  })

  it("leave out what is the store's while it is away, and nearly nothing is asked twice in a second", async () => {
    const world = new VirtualWorld()
    const queue = await connect("memory:", { world })
    const metrics = new Metrics(queue)
    assert.match(await metrics.text(), /^sluice_tasks\{/m)
    queue.store.counts = () => Promise.reject(new Error("away"))
    assert.match(await metrics.text(), /^sluice_tasks\{/m)
    await world.advance(1_000)
    const text = await metrics.text()
    assert.doesNotMatch(text, /^sluice_tasks\{/m)
    assert.match(text, /^# TYPE sluice_tasks_submitted_total counter$/m)
  })

  it("are served to this machine by a worker's own port", async (t) => {
    const queue = await connect("memory:")
    const server = await startMetricsServer(new Metrics(queue), 0)
    t.after(server.close)
    const port = Number(new URL(server.url).port)
    const answer = await ask(port, "/metrics")
    assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "text/plain; version=0.0.4; charset=utf-8"])
    parseExposition(answer.text)
    assert.equal((await ask(port, "/metrics", { headers: { host: "evil.test" } })).status, 421)
    assert.equal((await ask(port, "/")).status, 404)
  })
})

describe("the Grafana dashboard", () => {
  it("uses metrics that there are", () => {
    // Compiled tests run in .build/test/http.
    const board = readFileSync(new URL("../../../docs/grafana/sluice.json", import.meta.url), "utf8")
    const used = new Set([...board.matchAll(/sluice_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, "")))
    const known = new Set(Object.keys(catalogue).map((name) => name.replace(/_(bucket|sum|count)$/, "")))
    assert.ok(used.size >= 15, `expected a dashboard, got ${used.size} metrics`)
    for (const name of used) assert.ok(known.has(name), name)
  })

  it("and the reference name the same metrics", () => {
    const page = readFileSync(new URL("../../../docs/reference/metrics.md", import.meta.url), "utf8")
    const rows = [...page.matchAll(/^\| `(sluice_\w+)` \| (process|store) \|/gm)].map(([, name, source]) => `${name} ${source}`)
    assert.deepEqual(
      rows.sort(),
      Object.entries(catalogue)
        .map(([name, { source }]) => `${name} ${source}`)
        .sort(),
    )
  })
})

// A database of the first schema opens with today's: everything in it is still there, and still works.

import { deepEqual, equal, ok } from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { openDatabase } from "../../../src/stores/sqlite/driver.ts"
import { open } from "../../../src/stores/sqlite/index.ts"
import { migrations } from "../../../src/stores/sqlite/migrate.ts"
import { Desk } from "../../../src/testing/conformance/desk.ts"
import { completed } from "../../../src/testing/conformance/outcomes.ts"
import { slots, through } from "../../../src/testing/conformance/policies.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-migration-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let made = 0

async function oldDatabase(): Promise<string> {
  const path = join(folder, `q${made++}.db`)
  const database = await openDatabase(path)
  database.exec(readFileSync("src/stores/sqlite/migrations/001_tasks.sql", "utf8"))
  database.exec(readFileSync("test/integration/sqlite/tasks-001.sql", "utf8"))
  database.close()
  return path
}

async function openDesk(path: string, world = new VirtualWorld(), namespace = "default"): Promise<Desk> {
  return new Desk(await open({ url: `sqlite:${path}`, namespace, world }), world)
}

const ids = (tasks: readonly { readonly id: string }[]) => tasks.map(({ id }) => id)

async function schema(path: string): Promise<unknown> {
  const database = await openDatabase(path)
  const rows = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").rows()
  database.close()
  return rows
}

describe("a database of the first schema", () => {
  it("has the schema of a new one after it was opened, at the newest version", async () => {
    const [old, fresh] = [await oldDatabase(), join(folder, "fresh.db")]
    for (const path of [old, fresh]) {
      const desk = await openDesk(path)
      equal((await desk.store.describe({})).facts.schema, migrations().at(-1)?.number)
      await desk.store.close()
    }
    deepEqual(await schema(old), await schema(fresh))
  })

  it("keeps every task, in its status and with its history", async () => {
    const desk = await openDesk(await oldDatabase())
    const tasks = await desk.list()
    deepEqual(Object.fromEntries(tasks.map(({ id, status }) => [id, status])), {
      done: "completed",
      broken: "failed",
      stopped: "cancelled",
      late: "expired",
      "put-away": "archived",
      running: "running",
      stopping: "running",
      lost: "running",
      retried: "pending",
      rescheduled: "pending",
      scheduled: "pending",
      expiring: "pending",
      "big-1": "pending",
      "big-2": "pending",
      "small-1": "pending",
      urgent: "pending",
    })
    deepEqual(await desk.counts(), { pending: 8, running: 3, completed: 1, failed: 1, cancelled: 1, expired: 1, archived: 1 })
    for (const task of tasks) {
      deepEqual([task.gates, task.forecastAtMs], [[], null])
      equal((await desk.history(task)).length, task.version)
    }
    equal((await desk.get({ id: "small-1" })).input.length, 2_002)
    deepEqual((await desk.get({ id: "big-2" })).tags, ["x", "y"])
    await desk.store.close()
  })

  it("runs what waited, in its order, and what comes due later", async () => {
    const desk = await openDesk(await oldDatabase())
    const worker = desk.worker("worker-2")
    const { claimed, nextAtMs, unrouted } = await worker.look()
    deepEqual(ids(claimed), ["urgent", "small-1", "big-1", "big-2"])
    deepEqual([nextAtMs, unrouted], [desk.world.wallMs() + 30_000, []])
    for (const task of claimed) deepEqual(await worker.settle(task, completed()), { kind: "ok", status: "completed" })
    for (const [waitMs, id] of [
      [30_000, "scheduled"],
      [10_000, "rescheduled"],
      [10_000, "retried"],
    ] as const) {
      await desk.world.advance(waitMs)
      deepEqual(ids(await worker.claim()), [id])
    }
    await desk.store.close()
  })

  it("goes on with what ran: fences, leases, requests to stop and claim numbers hold", async () => {
    const desk = await openDesk(await oldDatabase())
    const worker = desk.worker("worker-1")
    deepEqual(await worker.cancelled(), [{ id: "stopping", fence: 1 }])
    equal(await worker.heartbeat({ id: "stopping", fence: 1 }), "ok")
    deepEqual(await worker.settle({ id: "running", fence: 9 }, completed()), { kind: "stale" })
    deepEqual(await worker.settle({ id: "running", fence: 1 }, completed()), { kind: "ok", status: "completed" })
    deepEqual(ids(await worker.claim({ number: 6 })), ["lost"], "expected a claim that was made before the upgrade to be answered again")
    await desk.world.advance(20_000)
    const { rescued, expired } = await desk.sweep()
    deepEqual([rescued, expired], [1, 1])
    deepEqual([await desk.status({ id: "lost" }), await desk.status({ id: "expiring" })], ["pending", "expired"])
    await desk.store.close()
  })

  it("knows its keys, and lets finished tasks be moved and removed", async () => {
    const desk = await openDesk(await oldDatabase())
    equal((await desk.submit({ idempotencyKey: "order-1", input: '{"n":1}' })).id, "done")
    equal((await desk.move("retry", { id: "broken" })).kind, "ok")
    equal((await desk.move("retry", { id: "late" })).kind, "illegal")
    equal((await desk.sweep({ retentionMs: 0 })).removed, 3)
    deepEqual(await desk.status({ id: "put-away" }), "archived")
    await desk.store.close()
  })

  it("has gates from then on, for new tasks and beside the old ones", async () => {
    const desk = await openDesk(await oldDatabase())
    await desk.declare("vendor", slots(1))
    await desk.submitMany(2, { gates: through("vendor"), priority: 9 })
    const worker = desk.worker("worker-2")
    const claimed = await worker.claim()
    equal(claimed.length, 5)
    const [gated] = claimed
    ok(gated)
    equal((await worker.again(gated, completed())).gates?.[0]?.limit, "vendor")
    await desk.store.close()
  })

  it("keeps its namespaces apart", async () => {
    const path = await oldDatabase()
    const [desk, other] = [await openDesk(path), await openDesk(path, new VirtualWorld(), "other")]
    deepEqual(ids(await other.list()), ["elsewhere"])
    deepEqual(ids(await other.worker("worker-1").claim()), ["elsewhere"])
    deepEqual(await desk.counts("report"), { pending: 1 })
    await Promise.all([desk.store.close(), other.store.close()])
  })
})

// The stream of what changes: whole documents, at once and when they change, one look at the store for all, and no more streams than allowed.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../src/queue/index.ts"
import { adminToken, readToken, stage } from "./kit.ts"
import { Listener } from "./listener.ts"

const vendor = defineLimit("vendor", { concurrency: 2 })
const call = defineTask("call", { limits: [vendor], run: () => "done" })

describe("the stream", () => {
  it("tells counts, tasks, gates and jobs as they are and whenever they change", async (t) => {
    const server = await stage()
    t.after(server.close)
    const task = await server.queue.submit(call, {})
    const job = await server.queue.submitJob("import", [{ task: "step", input: {} }])
    const query = `topics=counts,limits,jobs,workers,schedules,overview&tasks=${task.id},nobody&jobs=${job.id}&limits=vendor`
    const stream = await Listener.open(server, query)
    t.after(() => stream.close())
    await stream.until("counts", (counts: { pending: number }) => counts.pending === 2)
    await stream.until("task", (told: { id: string; value: unknown }) => told.id === "nobody" && told.value === null)
    await server.queue.limits.pause("vendor")
    await stream.until(
      "gates",
      (told: { id: string; value: { gates: { is_paused: boolean }[] } }) => told.value.gates[0]?.is_paused === true,
    )
    await server.queue.limits.resume("vendor")
    const stop = new AbortController()
    const running = server.queue.worker([call]).run({ signal: stop.signal })
    await stream.until(
      "task",
      (told: { id: string; value: { status: string } | null }) => told.id === task.id && told.value?.status === "completed",
    )
    await stream.until("counts", (counts: { completed: number }) => counts.completed === 1)
    stop.abort()
    await running
    await server.queue.jobs.cancel(job.id)
    await stream.until("job", (told: { id: string; value: { status: string } }) => told.value.status === "cancelled")
  })

  it("looks at the store once for all who watch", async (t) => {
    const server = await stage()
    t.after(server.close)
    let looks = 0
    const counts = server.queue.store.counts.bind(server.queue.store)
    server.queue.store.counts = (request) => {
      looks++
      return counts(request)
    }
    const streams = await Promise.all(Array.from({ length: 20 }, () => Listener.open(server, "topics=counts")))
    t.after(() => streams.map((stream) => stream.close()))
    await Promise.all(streams.map((stream) => stream.until("counts", () => true)))
    looks = 0
    await server.queue.submit("a", {})
    await Promise.all(streams.map((stream) => stream.until("counts", (told: { pending: number }) => told.pending === 1)))
    assert.ok(looks <= 5, `expected a look or two for twenty streams, got ${looks}`)
  })

  it("is guarded like every route, and bounded in number; one that ends makes room", async (t) => {
    const server = await stage({ token: adminToken, readToken, maxStreams: 2 })
    t.after(server.close)
    const headers = { authorization: `Bearer ${readToken}` }
    assert.equal((await server.ask("/api/v1/events")).status, 401)
    const [one, two] = await Promise.all([Listener.open(server, "", headers), Listener.open(server, "", headers)])
    t.after(() => two.close())
    const refused = await server.ask("/api/v1/events", { headers })
    assert.deepEqual(
      [refused.status, refused.headers["retry-after"], refused.json<{ error: { code: string } }>().error.code],
      [429, "5", "too_many_requests"],
    )
    one.close()
    while (server.server.app.openStreams > 1) await new Promise<void>((resolve) => setImmediate(resolve))
    const three = await Listener.open(server, "", headers)
    t.after(() => three.close())
  })

  it("refuses topics that it does not know", async (t) => {
    const server = await stage()
    t.after(server.close)
    const { status, text } = await server.ask("/api/v1/events?topics=count")
    assert.equal(status, 400)
    assert.match(text, /expected counts, overview, .*workers, got/)
  })

  it("shows nothing that is to be redacted, also in errors that quote it", async (t) => {
    const server = await stage({ redact: ["input.password", "output.users.*.token"] })
    t.after(server.close)
    const bad = defineTask("bad", {
      maxRetries: 0,
      run: (input: { password: string }) => {
        throw new Error(`refused ${input.password}`)
      },
    })
    const task = await server.queue.submit(bad, { password: "hunter22" })
    const stop = new AbortController()
    const running = server.queue.worker([bad]).run({ signal: stop.signal })
    const stream = await Listener.open(server, `tasks=${task.id}`)
    t.after(() => stream.close())
    const told = await stream.until("task", (one: { value: { status: string } }) => one.value.status === "failed")
    stop.abort()
    await running
    for (const path of [
      `/api/v1/tasks/${task.id}`,
      "/api/v1/tasks",
      `/api/v1/tasks/${task.id}/explain`,
      `/api/v1/tasks/${task.id}/history`,
    ]) {
      const { text } = await server.ask(path)
      assert.ok(!text.includes("hunter22"), path)
    }
    assert.ok(!JSON.stringify(told).includes("hunter22"))
    assert.equal((told as { value: { input: { password: string } } }).value.input.password, "[redacted]")
  })
})

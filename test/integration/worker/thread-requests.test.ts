// ctx.fetch and ctx.observe of tasks with isolate: "thread": the thread asks, and what it hears goes to the gates by message.

import { deepEqual, equal, ok } from "node:assert/strict"
import { afterEach, describe, it } from "node:test"
import { connect, type Task, type WorkerEvents } from "../../../src/index.ts"
import type { SettleRequest, Store } from "../../../src/store/index.ts"
import { answering, type HttpSide, httpSide, type Respond } from "../http-side.ts"
import { asking } from "./modules/isolated-requests.ts"

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function other(respond: Respond): Promise<HttpSide> {
  const side = await httpSide(respond)
  stops.push(() => side.close())
  return side
}

/** A worker, its settles as they reach the store, and a promise for the first of them. */
async function start() {
  const queue = await connect("memory:")
  const settles: SettleRequest[] = []
  const exchange: Store["exchange"] = queue.store.exchange.bind(queue.store)
  Object.assign(queue.store, {
    exchange: (request: Parameters<Store["exchange"]>[0]) => {
      settles.push(...request.settles)
      return exchange(request)
    },
  })
  const worker = queue.worker([asking], { grace: "50ms", lease: "3s", heartbeat: "50ms" })
  const settled = new Promise<WorkerEvents["task.settled"]>((resolve) => worker.on("task.settled", resolve))
  const running = worker.run()
  stops.push(async () => {
    worker.stop()
    worker.stop()
    await running
    await queue.close()
  })
  return { queue, settles, settled }
}

/** Runs one task once. */
async function outcome(way: string, { url }: HttpSide) {
  const { queue, settles, settled } = await start()
  const { id } = await queue.submit(asking, { way, url })
  await settled
  const [gate] = (await queue.limits.gates("api")).gates
  return { task: (await queue.get(id)) as Task, used: gate?.levels[0]?.used, cooldown: gate?.cooldown ?? null, settle: settles[0] }
}

describe("a task in a thread", () => {
  it("fetches, and the times of its request are told", async () => {
    const { task, settle } = await outcome("fetch", await other(answering(200, {}, { n: 1 })))
    deepEqual([task.status, task.output, settle?.heard?.map(({ kind }) => kind)], ["completed", { n: 1 }, ["served"]])
    // The first request of a thread takes some milliseconds: it loads what it asks with.
    const { sentAgoMs, respondedAgoMs } = settle ?? {}
    ok(
      sentAgoMs != null && respondedAgoMs != null && sentAgoMs > respondedAgoMs,
      `expected an answer after it was sent, got ages of ${sentAgoMs} and ${respondedAgoMs} ms`,
    )
  })

  it("is charged for a further request", async () => {
    const { task, used } = await outcome("twice", await other(answering(200)))
    deepEqual([task.output, used], [[200, 200], 3])
  })

  it("is throttled by a 429, and the gate is closed for Retry-After", async () => {
    const { task, cooldown } = await outcome("fetch", await other(answering(429, { "retry-after": "90" })))
    deepEqual([task.status, task.throttleCount, task.retryCount, cooldown?.count], ["pending", 1, 0, 1])
    ok((cooldown?.until.getTime() ?? 0) - task.updatedAt.getTime() >= 90_000)
  })

  it("is blocked by a bare 403, and no gate is closed", async () => {
    const { task, cooldown, settle } = await outcome("fetch", await other(answering(403)))
    deepEqual([task.status, task.throttleCount, cooldown], ["pending", 1, null])
    ok(settle?.outcome.kind === "throttled")
    deepEqual([settle.outcome.scope, settle.outcome.cap], ["task", 3])
  })

  it("may catch a refusal: completed, and the gate has learned all the same", async () => {
    const { task, cooldown } = await outcome("caught", await other(answering(429, { "retry-after": "90" })))
    deepEqual([task.status, task.output, cooldown?.count], ["completed", ["rate_limited", 90_000], 1])
  })

  it("observes", async () => {
    const { task, cooldown } = await outcome("observe", await other(answering(200, { "retry-after": "90" })))
    deepEqual([task.output, cooldown !== null], [{ isRefused: false, status: 200, retryAfterMs: 90_000 }, true])
  })

  it("is refused a limit that it does not pass", async () => {
    const { task } = await outcome("wrong", await other(answering(200)))
    equal(task.lastError, 'task asking: ctx.fetch: expected a limit that the task passes (api), got "other"')
  })

  it("that is cancelled leaves its connection", async () => {
    const side = await other(() => {})
    const { queue, settled } = await start()
    const [arrived, abandoned] = [side.arrived(), side.abandoned()]
    const { id } = await queue.submit(asking, { way: "fetch", url: side.url })
    await arrived
    await queue.cancel(id)
    await abandoned
    await settled
    equal((await queue.get(id))?.status, "cancelled")
  })
})

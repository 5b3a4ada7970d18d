// ctx.fetch over real sockets, on every store: time is virtual, the network is not.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { afterEach, it } from "node:test"
import { defineLimit, defineTask } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { onEveryStore } from "../seeds/stores.ts"
import { answering, type HttpSide, httpSide, inTurn, type Respond } from "./http-side.ts"

const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

const sides: HttpSide[] = []
afterEach(() => Promise.all(sides.splice(0).map((side) => side.close())))

async function other(respond: Respond): Promise<HttpSide> {
  const side = await httpSide(respond)
  sides.push(side)
  return side
}

/** Reads all of the answer. */
const read = defineTask("read", {
  limits: [api],
  timeout: "1m",
  run: async (url: string, context) => (await context.fetch(url)).text(),
})

const silent: Respond = () => {}
const endless =
  (status: number): Respond =>
  (_request, response) => {
    response.writeHead(status, { "retry-after": "30" })
    response.write("a beginning")
  }

async function taskOf(queue: TestQueue, { id }: { readonly id: string }) {
  const task = await queue.get(id)
  ok(task)
  return task
}

onEveryStore("ctx.fetch over HTTP", (open) => {
  it("sends what it is given, and gives what comes back", async () => {
    const side = await other((request, response) =>
      response.writeHead(200, { "x-kind": "echo" }).end(`${request.method} ${request.url} ${request.headers["x-key"]}`),
    )
    const echo = defineTask("echo", {
      limits: [api],
      run: async (url: string, context) => {
        const response = await context.fetch(`${url}/orders?n=1`, { method: "POST", headers: { "x-key": "secret" }, body: "{}" })
        return [response.headers.get("x-kind"), await response.text()]
      },
    })
    const queue = await open([echo])
    const task = await queue.submit(echo, side.url)
    await queue.drain()
    deepEqual((await taskOf(queue, task)).output, ["echo", "POST /orders?n=1 secret"])
  })

  it("a 429 throttles the task, closes the gate for Retry-After, and the task completes later", async () => {
    const side = await other(inTurn(answering(429, { "retry-after": "30" }), answering(200)))
    const queue = await open([read], { worker: { concurrency: 1 } })
    const [first] = await queue.submitMany(read, [`${side.url}/first`, `${side.url}/second`])
    ok(first)
    await queue.drain()
    const task = await taskOf(queue, first)
    deepEqual([task.status, task.throttleCount, task.retryCount], ["pending", 1, 0])
    deepEqual(side.paths, ["/first"])
    await queue.advance("34s")
    await queue.drain()
    deepEqual([(await queue.counts()).completed, side.paths], [2, ["/first", "/first", "/second"]])
  })

  for (const [name, stop] of [
    ["a timeout", (queue: TestQueue) => queue.advance("61s")],
    ["a cancellation", async (queue: TestQueue, id: string) => void (await queue.cancel(id))],
  ] as const) {
    for (const [when, respond] of [
      ["before the answer", silent],
      ["in the middle of the answer", endless(200)],
    ] as const) {
      it(`${name} ${when} closes the connection: the server sees it`, async () => {
        const side = await other(respond)
        const queue = await open([read])
        const [arrived, abandoned] = [side.arrived(), side.abandoned()]
        const { id } = await queue.submit(read, side.url, { maxRetries: 0 })
        await arrived
        await stop(queue, id)
        await abandoned
        await queue.world.settle()
        const task = await taskOf(queue, { id })
        deepEqual([task.status, task.throttleCount], [name === "a timeout" ? "failed" : "cancelled", 0])
      })
    }
  }

  it("the handler's own signal closes the connection, and the run goes on", async () => {
    const side = await other(silent)
    const own = defineTask("own", {
      limits: [api],
      run: async (url: string, context) => {
        const controller = new AbortController()
        const [arrived, abandoned] = [side.arrived(), side.abandoned()]
        const asked = context.fetch(url, { signal: controller.signal }).catch((error: Error) => error.name)
        await arrived
        controller.abort()
        await abandoned
        return asked
      },
    })
    const queue = await open([own])
    const task = await queue.submit(own, side.url)
    await queue.drain()
    equal((await taskOf(queue, task)).output, "AbortError")
  })

  it("a refusal whose body never ends is not waited for: its connection is closed", async () => {
    const side = await other(endless(429))
    const queue = await open([read])
    const abandoned = side.abandoned()
    const task = await queue.submit(read, side.url)
    await abandoned
    await queue.drain()
    deepEqual([(await taskOf(queue, task)).status, (await taskOf(queue, task)).throttleCount], ["pending", 1])
  })

  it("a connection that breaks is a failure like any other: it costs a retry, and no gate is closed", async () => {
    const side = await other((request) => request.socket.destroy())
    const queue = await open([read], { worker: { backoff: { base: "1h", cap: "1h" } } })
    const task = await queue.submit(read, side.url)
    await queue.drain()
    const { status, retryCount, throttleCount, lastError } = await taskOf(queue, task)
    deepEqual([status, retryCount, throttleCount], ["pending", 1, 0])
    match(lastError ?? "", /fetch failed/)
    equal((await queue.limits.gates("api")).gates[0]?.cooldown, null)
  })

  it("headers of more than the platform takes are a failure; a Retry-After of 8 KB is none", async () => {
    const side = await other(
      inTurn(answering(429, { "x-long": "x".repeat(100_000) }), answering(200, { "retry-after": "9".repeat(8_000) })),
    )
    const queue = await open([read], { worker: { backoff: { base: "1s", cap: "1s" } } })
    const task = await queue.submit(read, side.url)
    await queue.drain()
    deepEqual([(await taskOf(queue, task)).retryCount, (await taskOf(queue, task)).throttleCount], [1, 0])
    await queue.advance("5s")
    await queue.drain()
    deepEqual([(await taskOf(queue, task)).status, (await queue.limits.gates("api")).gates[0]?.cooldown], ["completed", null])
  })
})

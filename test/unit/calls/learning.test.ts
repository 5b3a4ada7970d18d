// What calls outside the queue hear from the other side is told to the gate, as of tasks.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, isSluiceError, type Queue, RateLimitError } from "../../../src/index.ts"
import { callsSettings } from "../../../src/queue/calls/index.ts"
import { Queue as QueueClass } from "../../../src/queue/index.ts"
import { open } from "../../../src/stores/memory/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const api = defineLimit("vendor-api", { concurrency: 5 })

async function opened(answers: (() => Response)[] = []): Promise<{ world: VirtualWorld; queue: Queue }> {
  const world = new VirtualWorld({ fetch: async () => answers.shift()?.() ?? new Response("ok") })
  const store = await open({ url: "memory:", namespace: "default", world })
  return { world, queue: new QueueClass(store, world, 1_000_000, callsSettings({ fallback: "refuse" }, {})) }
}

const refusal = (headers: Record<string, string> = {}) => new Response(null, { status: 429, headers })
const gateOf = async (queue: Queue, limit = api) => (await queue.limits.gates(limit.name)).gates[0]

describe("a call outside the queue", () => {
  it("closes the gate for as long as a 429 asks, and rejects", async () => {
    const { world, queue } = await opened([() => refusal({ "retry-after": "7" })])
    await assert.rejects(
      queue.limit(api).run(({ fetch }) => fetch("http://api.example.com/")),
      (error) => isSluiceError(error) && error.code === "rate_limited" && (error as RateLimitError).status === 429,
    )
    await world.settle()
    const gate = await gateOf(queue)
    assert.equal(gate?.cooldown?.count, 1)
    assert.ok((gate?.cooldown?.until.getTime() ?? 0) >= world.wallMs() + 7_000)
    assert.equal(await queue.limit(api).tryAcquire(), null)
    await world.advance(8_000)
    assert.equal(await (await queue.limit(api).run(({ fetch }) => fetch("http://api.example.com/"))).text(), "ok")
    await queue.close()
  })

  it("does the same for the answer of another client, and for a RateLimitError of the function's own", async () => {
    for (const work of [
      ({ observe }: { observe: (answer: unknown) => unknown }) => observe({ status: 429, headers: { "retry-after": "3" } }),
      () => Promise.reject(new RateLimitError({ retryAfter: "3s" })),
    ]) {
      const { world, queue } = await opened()
      await assert.rejects(queue.limit(api).run("acme", work), /the other side answered 429/)
      await world.settle()
      assert.equal((await gateOf(queue))?.cooldown?.count, 1)
      await queue.close()
    }
  })

  it("closes nothing where the refusal was the queue's own, or is about the request", async () => {
    const { world, queue } = await opened()
    for (const error of [new RateLimitError({ scope: "task" }), new Error("no")])
      await assert.rejects(queue.limit(api).run(() => Promise.reject(error)))
    await world.settle()
    assert.equal((await gateOf(queue))?.cooldown, null)
    await queue.close()
  })

  it("corrects what was charged to what was spent", async () => {
    const { world, queue } = await opened()
    const tokens = defineLimit("tokens", { rate: { limit: 1_000, per: "1m", provider: "sliding" } })
    await queue.limit(tokens).run(({ spent }) => spent(50), { cost: 800 })
    await world.settle()
    assert.equal((await gateOf(queue, tokens))?.levels[0]?.used, 50)
    await assert.rejects(
      queue.limit(tokens).run(({ spent }) => spent(-1)),
      /spent: expected a whole number, 0 or more, got -1/,
    )
    await queue.close()
  })

  it("waits for a permit before its second request", async () => {
    const { world, queue } = await opened()
    const rated = defineLimit("rated", { rate: { limit: 1, per: "10s", provider: "sliding" } })
    const sentAtMs: number[] = []
    const run = queue.limit(rated).run(async ({ fetch }) => {
      for (let n = 0; n < 3; n++) {
        await fetch("http://api.example.com/")
        sentAtMs.push(world.monotonicMs())
      }
    })
    await world.advance(25_000)
    await run
    assert.deepEqual(sentAtMs, [0, 10_000, 20_000])
    await queue.close()
  })
})

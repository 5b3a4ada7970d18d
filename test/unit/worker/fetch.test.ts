// ctx.fetch: whose signal it has, what it is charged, and what the times of a request tell the gate.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { type Context, defineLimit, defineTask, RateLimitError } from "../../../src/index.ts"
import type { SettleRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found, Tap, takes } from "./kit.ts"
import { type Answering, OtherSide } from "./other-side.ts"

const url = "http://other.test/"
const api = defineLimit("api", { rate: "2/10s", provider: "sliding" })
const tokens = defineLimit("tokens", { rate: "100/10s", provider: "sliding" })

const settlesOf = (tap: Tap): SettleRequest[] => tap.exchanges.flatMap(({ settles }) => settles)
const used = async (queue: Context["queue"], limit: string) => (await queue.limits.gates(limit)).gates[0]?.levels[0]?.used

describe("ctx.fetch", () => {
  it("asks as the platform's fetch does, and gives its response", async () => {
    const other = new OtherSide({ status: 201, body: '{"n":1}', headers: { "x-kind": "made" } })
    const call = defineTask("call", {
      run: async (_input: null, context) => {
        const response = await context.fetch(new URL("/orders", url), { method: "POST", body: "order" })
        return [response.status, response.headers.get("x-kind"), await response.json()]
      },
    })
    const queue = await testQueue([call], { world: other.world })
    const task = await queue.submit(call, null)
    await queue.drain()
    deepEqual((await found(queue, task)).output, [201, "made", { n: 1 }])
    deepEqual([other.paths, other.asked[0]?.init?.method, other.asked[0]?.init?.body], [["/orders"], "POST", "order"])
    await queue.close()
  })

  it("sends the first request on the claim's charge, and waits for a permit before each further one", async () => {
    const other = new OtherSide({})
    const call = defineTask("call", {
      limits: [api],
      run: async (_input: null, context) => {
        for (let i = 0; i < 5; i++) await context.fetch(url)
      },
    })
    const queue = await testQueue([call], { world: other.world })
    const task = await queue.submit(call, null)
    await queue.advance("21s")
    deepEqual(other.times, [0, 0, 10_000, 10_000, 20_000])
    equal((await found(queue, task)).status, "completed")
    await queue.close()
  })

  it("sends those that start at once no faster", async () => {
    const other = new OtherSide({})
    const call = defineTask("call", {
      limits: [api],
      run: (_input: null, context) => Promise.all([1, 2, 3, 4].map((i) => context.fetch(`${url}${i}`))).then(() => null),
    })
    const queue = await testQueue([call], { world: other.world })
    await queue.submit(call, null)
    await queue.advance("11s")
    deepEqual(other.times, [0, 0, 10_000, 10_000])
    await queue.close()
  })

  it("counts a request that another client has made before it", async () => {
    const other = new OtherSide({})
    const one = defineLimit("one", { rate: "1/10s", provider: "sliding" })
    const call = defineTask("call", {
      limits: [one],
      run: async (_input: null, context) => {
        context.observe(new Response("{}"))
        await context.fetch(url)
      },
    })
    const queue = await testQueue([call], { world: other.world })
    await queue.submit(call, null)
    await queue.advance("11s")
    deepEqual(other.times, [10_000])
    await queue.close()
  })

  it("charges a further request at every gate as much as the first, or the cost that is given, or the one limit that is named", async () => {
    const charges: Readonly<Record<string, readonly [Parameters<Context["fetch"]>[2], readonly [number, number]]>> = {
      "as the first": [undefined, [2, 60]],
      "a cost": [{ cost: 1 }, [2, 31]],
      "one limit": [{ limit: tokens }, [1, 60]],
      "one limit by its name, and a cost": [{ limit: "tokens", cost: 7 }, [1, 37]],
    }
    for (const [name, [options, expected]] of Object.entries(charges)) {
      const other = new OtherSide({})
      const call = defineTask("call", {
        limits: () => [api("a"), tokens("t", { cost: 30 })],
        run: async (_input: null, context) => {
          await context.fetch(url)
          await context.fetch(url, undefined, options)
        },
      })
      const queue = await testQueue([call], { world: other.world })
      await queue.submit(call, null)
      await queue.drain()
      deepEqual([await used(queue, "api"), await used(queue, "tokens")], expected, name)
      await queue.close()
    }
  })

  it("does not wait at gates that have slots alone: the task holds its slot already", async () => {
    const other = new OtherSide({})
    const slots = defineLimit("slots", { concurrency: 1 })
    const call = defineTask("call", {
      limits: [slots],
      run: async (_input: null, context) => {
        await context.fetch(url)
        await context.fetch(url)
      },
    })
    const queue = await testQueue([call], { world: other.world })
    await queue.submit(call, null)
    await queue.drain()
    deepEqual(other.times, [0, 0])
    await queue.close()
  })

  for (const [reason, stop] of [
    ["timeout", "wait"],
    ["cancelled", "cancel"],
  ] as const) {
    it(`ends the request when the run is asked to stop: ${reason}`, async () => {
      const other = new OtherSide(null)
      const thrown: unknown[] = []
      const call = defineTask("call", {
        timeout: "1m",
        run: async (_input: null, context) => {
          await context.fetch(url).catch((error) => {
            thrown.push(error === context.signal.reason, (error as { code: string }).code)
            throw error
          })
        },
      })
      const queue = await testQueue([call], { world: other.world })
      const { id } = await queue.submit(call, null)
      await queue.world.settle()
      if (stop === "cancel") await queue.cancel(id)
      await queue.advance("61s")
      deepEqual(thrown, [true, reason])
      equal(other.asked[0]?.init?.signal?.aborted, true)
      await queue.close()
    })
  }

  it("sends nothing in a run that was asked to stop", async () => {
    const other = new OtherSide({})
    const call = defineTask("call", {
      timeout: "1s",
      maxRetries: 0,
      run: async (_input: null, context) => {
        await takes(context, 2_000).catch(() => {})
        await context.fetch(url)
      },
    })
    const queue = await testQueue([call], { world: other.world })
    const task = await queue.submit(call, null)
    await queue.advance("3s")
    deepEqual([other.asked.length, (await found(queue, task)).lastError], [0, "timeout"])
    await queue.close()
  })

  it("heeds the handler's own signal, and goes on", async () => {
    const other = new OtherSide(null, {})
    const call = defineTask("call", {
      run: async (_input: null, context) => {
        const own = new AbortController()
        const asked = context.fetch(url, { signal: own.signal }).catch((error: Error) => error.message)
        own.abort(new Error("enough"))
        return [await asked, (await context.fetch(url)).status, context.signal.aborted]
      },
    })
    const queue = await testQueue([call], { world: other.world })
    const task = await queue.submit(call, null)
    await queue.drain()
    deepEqual((await found(queue, task)).output, ["enough", 200, false])
    await queue.close()
  })

  it("has both signals where the handler gives its own", async () => {
    const other = new OtherSide(null)
    const call = defineTask("call", {
      timeout: "1s",
      maxRetries: 0,
      run: (_input: null, context) => context.fetch(url, { signal: new AbortController().signal }).then(() => null),
    })
    const queue = await testQueue([call], { world: other.world })
    const task = await queue.submit(call, null)
    await queue.advance("2s")
    deepEqual([(await found(queue, task)).lastError, other.asked[0]?.init?.signal?.aborted], ["timeout", true])
    await queue.close()
  })

  const kinds: readonly (readonly [Answering, string])[] = [
    [{ status: 200 }, "served"],
    [{ status: 404 }, "served"],
    [{ status: 429 }, "refused"],
    [{ status: 403, headers: { "retry-after": "1" } }, "refused"],
    [{ status: 403 }, "told"],
    [{ status: 500 }, "told"],
    [{ status: 503 }, "told"],
    [{ status: 529 }, "told"],
  ]
  for (const [answer, kind] of kinds) {
    it(`tells a ${answer.status}${answer.headers ? " with a Retry-After" : ""} as ${kind}`, async () => {
      const tap = new Tap()
      const call = defineTask("call", { limits: [api], run: (_input: null, context) => context.fetch(url).then(() => null) })
      const queue = await testQueue([call], { world: new OtherSide(answer).world, through: tap.through })
      await queue.submit(call, null)
      await queue.world.settle()
      deepEqual(
        settlesOf(tap)[0]?.heard?.map((one) => one.kind),
        [kind],
      )
      await queue.close()
    })
  }

  it("gives up the body of a refusal: nobody will read it, and unread it holds its connection", async () => {
    let cancels = 0
    const body = () => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)), cancel: () => void cancels++ })
    const call = defineTask("call", {
      run: (path: string, context) =>
        context.fetch(url + path, undefined, { onRefusal: path === "kept" ? "return" : "throw" }).then(() => null),
    })
    const other = new OtherSide((path) => ({ status: path === "/served" ? 200 : 429, body: body() }))
    const queue = await testQueue([call], { world: other.world })
    await queue.submitMany(call, ["served", "kept"])
    await queue.world.settle()
    equal(cancels, 0)
    await queue.submit(call, "refused")
    await queue.world.settle()
    equal(cancels, 1)
    await queue.close()
  })

  it("leaves what a handler makes of an answer to the handler: its own RateLimitError is about its latest request", async () => {
    // Closed and opened again between the two requests: a refusal of the first would be no news.
    const other = new OtherSide({})
    const call = defineTask("call", {
      limits: [api],
      run: async (_input: null, context) => {
        await context.fetch(url)
        await context.queue.store.permit({
          id: context.task.id,
          fence: context.fence,
          limit: "api",
          cost: 1,
          withinMs: 0,
          heard: [
            { limit: null, kind: "refused", reason: "rate", retryAfterMs: 1_000, quotas: [], sentAgoMs: 0, respondedAgoMs: 0, random: 0 },
          ],
        })
        await takes(context, 5_000)
        await context.fetch(url)
        await takes(context, 10)
        throw new RateLimitError({ retryAfter: "1h" })
      },
    })
    const queue = await testQueue([call], { world: other.world })
    await queue.submit(call, null)
    await queue.advance("30s")
    equal(other.asked.length, 2)
    const [gate] = (await queue.limits.gates("api")).gates
    ok((gate?.cooldown?.until.getTime() ?? 0) - queue.world.wallMs() > 3_000_000, "expected the gate to be closed for an hour")
    await queue.close()
  })

  it("leaves a request without an answer to the retries: no gate hears of it", async () => {
    const tap = new Tap()
    const other = new OtherSide({})
    const call = defineTask("call", {
      limits: [api],
      run: (_input: null, context) => context.fetch("nowhere").then(() => null),
    })
    const queue = await testQueue([call], { world: other.world, through: tap.through, worker: { backoff: { base: "1h", cap: "1h" } } })
    const task = await queue.submit(call, null)
    await queue.world.settle()
    deepEqual([(await found(queue, task)).retryCount, (await found(queue, task)).throttleCount], [1, 0])
    deepEqual(settlesOf(tap)[0]?.heard, undefined)
    await queue.close()
  })
})

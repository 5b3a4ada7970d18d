// ctx.fetch: whose signal it has, what it is charged, and what the times of a request tell the gate.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { type Context, defineLimit, defineTask } from "../../../src/index.ts"
import type { SettleRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found, Tap, takes } from "./kit.ts"
import { OtherSide } from "./other-side.ts"

const url = "http://other.test/"
const api = defineLimit("api", { rate: "2/10s", provider: "sliding" })
const tokens = defineLimit("tokens", { rate: "100/10s", provider: "sliding" })

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

const settlesOf = (tap: Tap): SettleRequest[] => tap.exchanges.flatMap(({ settles }) => settles)

describe("the times of a request", () => {
  /** A request of a tenth of a second, and a handler that goes on for longer. */
  const slow = defineLimit("slow", { rate: "1/10s", slack: "500ms" })
  const watched = defineTask("watched", {
    limits: [slow],
    run: async (_input: null, context) => {
      await takes(context, 30)
      await context.fetch(url)
      await takes(context, 370)
    },
  })

  it("are told with the settle, as ages, with how long it took", async () => {
    const tap = new Tap()
    const other = new OtherSide({ afterMs: 100, headers: { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59" } })
    const queue = await testQueue([watched], { world: other.world, through: tap.through })
    await queue.submit(watched, null)
    await queue.advance("1s")
    const [settle] = settlesOf(tap)
    deepEqual([settle?.sentAgoMs, settle?.respondedAgoMs, settle?.rttMs], [470, 370, 100])
    const [heard] = settle?.heard ?? []
    deepEqual(
      { ...heard, random: 0 },
      {
        limit: null,
        kind: "served",
        reason: "rate",
        retryAfterMs: null,
        quotas: [{ name: "requests", limit: 60, remaining: 59, resetMs: null, windowMs: null }],
        random: 0,
        sentAgoMs: 470,
        respondedAgoMs: 370,
      },
    )
    await queue.close()
  })

  it("move the charge to when the other side can have counted it", async () => {
    const opensAfterMs = async (task: typeof watched) => {
      const queue = await testQueue([task], { world: new OtherSide({ afterMs: 100 }).world })
      const startMs = queue.world.wallMs()
      await queue.submit(task, null)
      await queue.advance("1s")
      const [gate] = (await queue.limits.gates("slow")).gates
      await queue.close()
      return (gate?.opensAt?.getTime() ?? 0) - startMs
    }
    // Sent after 30 ms, answered after 130 ms; half of the shortest way is how long an answer is on its way at least.
    equal(await opensAfterMs(watched), 10_080)
    // Nobody knows when an unwatched request was sent and answered: the slack is waited out.
    const unwatched = defineTask("unwatched", { limits: [slow], run: (_input: null, context) => takes(context, 500) })
    equal(await opensAfterMs(unwatched), 10_500)
  })

  it("are those of the request that the claim has paid for, whatever follows", async () => {
    const tap = new Tap()
    const other = new OtherSide({ afterMs: 100 }, { afterMs: 7 })
    const call = defineTask("call", {
      limits: [tokens],
      run: async (_input: null, context) => {
        await context.fetch(url)
        await context.fetch(url)
      },
    })
    const queue = await testQueue([call], { world: other.world, through: tap.through })
    await queue.submit(call, null)
    await queue.advance("1s")
    const [settle] = settlesOf(tap)
    deepEqual([settle?.sentAgoMs, settle?.respondedAgoMs, settle?.rttMs], [107, 7, 100])
    // The first answer was told with the permit; the settle tells the second.
    deepEqual(
      tap.calls.flatMap(({ operation, request }) =>
        operation === "permit" ? [(request as SettleRequest).heard?.map((one) => one.sentAgoMs)] : [],
      ),
      [[100]],
    )
    deepEqual(
      settle?.heard?.map(({ sentAgoMs, respondedAgoMs }) => [sentAgoMs, respondedAgoMs]),
      [[7, 0]],
    )
    await queue.close()
  })

  it("of very many requests are kept to the latest hundred", async () => {
    const tap = new Tap()
    const call = defineTask("call", {
      run: async (_input: null, context) => {
        for (let i = 0; i < 250; i++) context.observe(new Response("{}"))
      },
    })
    const queue = await testQueue([call], { through: tap.through })
    await queue.submit(call, null)
    await queue.drain()
    equal(settlesOf(tap)[0]?.heard?.length, 100)
    await queue.close()
  })

  it("teach a gate that learns how long requests are under way", async () => {
    const learning = defineLimit("learning", { adaptive: true, concurrency: 50 })
    const call = defineTask("call", { limits: [learning], run: (_input: null, context) => context.fetch(url).then(() => null) })
    const queue = await testQueue([call], { world: new OtherSide({ afterMs: 80 }).world })
    await queue.submit(call, null)
    await queue.advance("1s")
    const { gates } = await queue.store.gates({ limit: "learning", keys: null, afterKey: null, count: 1 })
    equal(gates[0]?.learned?.latency?.meanUs, 80_000)
    ok(gates[0]?.learned?.scout, "expected the answer to count for scout")
    await queue.close()
  })
})

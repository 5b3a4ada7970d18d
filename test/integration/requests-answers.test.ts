// What becomes of a task, of its gate and of the others by what the other side answers to ctx.fetch. In virtual time, on every store.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { defineLimit, defineTask, type FetchOptions, isSluiceError, type LimitOptions } from "../../src/index.ts"
import { virtualStartMs } from "../../src/testing/virtual-world.ts"
import { onEveryStore } from "../seeds/stores.ts"
import type { Answering } from "../unit/worker/other-side.ts"
import { api, call, closedForMs, start, taskOf, url } from "./requests-kit.ts"

onEveryStore("an answer to ctx.fetch", (open) => {
  it("429: the run ends without a retry, the gate is closed for Retry-After, the task keeps its place and completes later", async () => {
    const { other, queue } = await start(open, [{ status: 429, headers: { "retry-after": "30" } }, {}])
    const [first] = await queue.submitMany(call, ["first", "second", "third"])
    ok(first)
    await queue.world.settle()
    const task = await taskOf(queue, first)
    deepEqual([task.status, task.throttleCount, task.retryCount], ["pending", 1, 0])
    equal(task.lastError, "rate limited: the other side answered 429")
    const closedMs = await closedForMs(queue)
    ok(closedMs >= 30_000 && closedMs <= 33_000, `expected 30 s and up to a tenth, got ${closedMs} ms`)
    equal((await queue.explain(first.id)).heldBy, "api")
    await queue.advance("29s")
    deepEqual(other.paths, ["/first"])
    await queue.advance("5s")
    deepEqual(other.paths, ["/first", "/first", "/second", "/third"])
    deepEqual([(await taskOf(queue, first)).status, (await queue.counts()).completed], ["completed", 3])
  })

  /** When requests went out, if all are answered so. */
  async function refusedAt(headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
    const { other, queue } = await start(open, [{ status: 429, headers }])
    await queue.submit(call, "x")
    await queue.advance("20s")
    return other.times
  }

  it("429 without a Retry-After: the gate is closed for a while, each time", async () => {
    const times = await refusedAt({})
    ok(times.length > 1 && times.length < 20, `expected a few requests in 20 s, got ${times.length}`)
  })

  // Rounded down, or by a clock that is behind: taken at its word it would be asked as fast as the rate allows, for ever.
  for (const retryAfter of ["0", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
    it(`429 with a Retry-After of no time (${retryAfter}): as one without`, async () => {
      deepEqual(await refusedAt({ "retry-after": retryAfter }), await refusedAt({}))
    })
  }

  it("429 of a task that passes no gate: the task waits by itself", async () => {
    const free = defineTask("free", { run: async (_input: null, context) => (await context.fetch(url)).status })
    const { other, queue } = await start(open, [{ status: 429, headers: { "retry-after": "30" } }, {}], [free])
    const task = await queue.submit(free, null)
    await queue.advance("34s")
    deepEqual([other.times.length, (await taskOf(queue, task)).throttleCount, (await taskOf(queue, task)).output], [2, 1, 200])
    ok((other.times[1] ?? 0) >= 30_000)
  })

  it("429 about one of several limits: that one's gate is closed, the other is not", async () => {
    const other = defineLimit("other", { rate: "100/1s", provider: "sliding" })
    const both = defineTask("both", {
      limits: [api, other],
      run: async (_input: null, context) => (await context.fetch(url, undefined, { limit: other })).status,
    })
    const { queue } = await start(open, [{ status: 429, headers: { "retry-after": "30" } }], [both])
    await queue.submit(both, null)
    await queue.world.settle()
    deepEqual([(await closedForMs(queue, "api")) > 0, (await closedForMs(queue, "other")) > 0], [false, true])
  })

  it("200 with a Retry-After: the run completes, and the gate is closed", async () => {
    const { other, queue } = await start(open, [{ headers: { "retry-after": "30" } }, {}])
    const [first] = await queue.submitMany(call, ["first", "second"])
    ok(first)
    await queue.world.settle()
    deepEqual([(await taskOf(queue, first)).status, (await taskOf(queue, first)).throttleCount], ["completed", 0])
    equal(await closedForMs(queue), 30_000)
    await queue.advance("31s")
    deepEqual(other.times, [0, 30_000])
  })

  it("200 that leaves nothing of the quota: the gate is closed until there is some again", async () => {
    const headers = { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20.5s" }
    const { other, queue } = await start(open, [{ headers }, {}])
    await queue.submitMany(call, ["first", "second"])
    await queue.world.settle()
    equal(await closedForMs(queue), 20_500)
    await queue.advance("21s")
    deepEqual(other.times, [0, 20_500])
  })

  it("200 that leaves nothing of another quota than the limit's: the gate stays open", async () => {
    const headers = { "x-ratelimit-limit-tokens": "60", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20s" }
    const { other, queue } = await start(open, [{ headers }])
    await queue.submitMany(call, ["first", "second"])
    await queue.drain()
    deepEqual(other.times, [0, 0])
  })

  it("the limit's own quota decides, where the limit names one", async () => {
    const tokens = defineLimit("tokens", { rate: "100/1s", provider: "sliding", quota: "tokens" })
    const named = defineTask("named", { limits: [api, tokens], run: async (_input: null, context) => (await context.fetch(url)).status })
    const headers = { "x-ratelimit-limit-tokens": "60", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20s" }
    const { queue } = await start(
      open,
      [{ headers: { ...headers, "x-ratelimit-limit-requests": "9", "x-ratelimit-remaining-requests": "8" } }],
      [named],
    )
    await queue.submit(named, null)
    await queue.world.settle()
    deepEqual([await closedForMs(queue, "api"), (await closedForMs(queue, "tokens")) > 18_000], [0, true])
  })

  for (const status of [403, 503]) {
    it(`a bare ${status}: a throttle of that task alone, the fourth is too many, and the others go on`, async () => {
      const { other, queue } = await start(open, [(path) => ({ status: path === "/blocked" ? status : 200 })])
      const [bad] = await queue.submitMany(call, ["blocked", "a", "b"])
      ok(bad)
      await queue.world.settle()
      const task = await taskOf(queue, bad)
      deepEqual([task.status, task.throttleCount, task.retryCount], ["pending", 1, 0])
      equal(task.lastError, `blocked: the other side answered ${status}`)
      deepEqual([await closedForMs(queue), other.paths], [0, ["/blocked", "/a", "/b"]])
      await queue.advance("1m")
      const failed = await taskOf(queue, bad)
      deepEqual([failed.status, failed.lastError], ["failed", `Max throttles (3) exceeded, last upstream status ${status}`])
      deepEqual([other.paths.filter((path) => path === "/blocked").length, failed.retryCount], [4, 0])
      equal((await queue.counts()).completed, 2)
    })
  }

  const taskOnly: Readonly<Record<string, Answering>> = {
    "529, an overload": { status: 529 },
    "429 of Stripe without a reason, a lock that was not had in time": { status: 429, headers: { "stripe-should-retry": "true" } },
  }
  for (const [name, answer] of Object.entries(taskOnly)) {
    it(`${name}: that task backs off, and no gate is closed`, async () => {
      const { other, queue } = await start(open, [answer, {}])
      const [first] = await queue.submitMany(call, ["first", "second"])
      ok(first)
      await queue.world.settle()
      deepEqual([await closedForMs(queue), other.paths], [0, ["/first", "/second"]])
      const task = await taskOf(queue, first)
      deepEqual([task.status, task.throttleCount, task.retryCount], ["pending", 1, 0])
      ok(task.availableAt.getTime() - queue.world.wallMs() >= 2_000, "expected the task to wait for a while")
      await queue.advance("3s")
      equal((await taskOf(queue, first)).status, "completed")
    })
  }

  const short: Readonly<Record<string, readonly [LimitOptions, readonly Answering[]]>> = {
    "of scout": [{ adaptive: { start: "100/s" } }, []],
    "learned from a refusal": [{ rate: "100/1s", provider: "sliding" }, [{ status: 429, headers: { "retry-after": "1" } }, {}]],
  }
  for (const [name, [limit, before]] of Object.entries(short)) {
    it(`529 at a gate with a short distance, ${name}: the task waits by itself, and does not use up its tries at once`, async () => {
      const fast = defineLimit("fast", limit)
      const quick = defineTask("quick", { limits: [fast], run: async (_input: null, context) => (await context.fetch(url)).status })
      const { other, queue } = await start(open, [...before, { status: 529 }, {}], [quick])
      if (before.length > 0) await queue.submit(quick, null)
      await queue.advance("10s")
      const task = await queue.submit(quick, null)
      await queue.advance("10s")
      const [overloaded = 0, served = 0] = other.times.slice(before.length)
      ok(served - overloaded >= 2_000, `expected it to wait for 2 s, got requests at ${other.times}`)
      equal((await taskOf(queue, task)).output, 200)
    })
  }

  it("403 with an empty quota, as GitHub has it: of the pace, so that the gate is closed until the reset", async () => {
    const resetAt = Math.ceil(virtualStartMs / 1_000) + 40
    const headers = {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(resetAt),
      "x-ratelimit-resource": "core",
    }
    const { queue } = await start(open, [{ status: 403, headers }])
    const task = await queue.submit(call, "x")
    await queue.world.settle()
    deepEqual(
      [(await taskOf(queue, task)).throttleCount, (await taskOf(queue, task)).lastError],
      [1, "rate limited: the other side answered 403"],
    )
    ok((await closedForMs(queue)) >= 38_000, `got ${await closedForMs(queue)}`)
  })

  it("429 of too many at once, as Stripe has it: fewer slots", async () => {
    const slots = defineLimit("slots", { concurrency: 10 })
    const crowded = defineTask("crowded", { limits: [slots], run: async (_input: null, context) => (await context.fetch(url)).status })
    const { queue } = await start(open, [{ status: 429, headers: { "stripe-rate-limited-reason": "endpoint-concurrency" } }, {}], [crowded])
    await queue.submit(crowded, null)
    await queue.world.settle()
    equal((await queue.limits.gates("slots")).gates[0]?.slots?.of, 7)
  })

  it("a handler that catches the refusal and returns a value: completed, and the gate has learned all the same", async () => {
    const caught: unknown[] = []
    const calm = defineTask("calm", {
      limits: [api],
      run: (_input: null, context) =>
        context.fetch(url).then(
          () => "served",
          (error) => {
            caught.push(
              isSluiceError(error) && [error.code, "status" in error && error.status, "retryAfterMs" in error && error.retryAfterMs],
            )
            return "refused"
          },
        ),
    })
    const { queue } = await start(open, [{ status: 429, headers: { "retry-after": "30" } }], [calm])
    const task = await queue.submit(calm, null)
    await queue.world.settle()
    deepEqual([(await taskOf(queue, task)).output, (await taskOf(queue, task)).throttleCount], ["refused", 0])
    deepEqual(caught, [["rate_limited", 429, 30_000]])
    ok((await closedForMs(queue)) >= 30_000)
  })

  it("one refusal is one: the gate's second cooldown is not longer for hearing it from the answer and from the outcome", async () => {
    const { queue } = await start(open, [{ status: 429 }])
    await queue.submit(call, "x")
    await queue.world.settle()
    equal((await queue.limits.gates("api")).gates[0]?.cooldown?.count, 1)
  })

  it("a 500 says nothing of the pace, though its task completes: the next refusal goes on from the last", async () => {
    const refusal: Answering = { status: 429, headers: { "retry-after": "5" } }
    const { other, queue } = await start(open, [refusal, { status: 500 }, refusal])
    await queue.submit(call, "first")
    await queue.advance("6s")
    equal((await queue.counts()).completed, 1)
    await queue.submit(call, "second")
    await queue.world.settle()
    deepEqual([other.paths, (await queue.limits.gates("api")).gates[0]?.cooldown?.count], [["/first", "/first", "/second"], 2])
  })

  const kept: Readonly<Record<string, readonly [number, FetchOptions, boolean]>> = {
    'onRefusal: "return" gives a 429 back': [429, { onRefusal: "return" }, true],
    'onRefusal: "return" gives a bare 403 back': [403, { onRefusal: "return" }, false],
    "blocking: [] gives a bare 403 back": [403, { blocking: [] }, false],
    "blocking: [] gives a bare 503 back": [503, { blocking: [] }, false],
    "a 500 is given back": [500, {}, false],
    "a 404 is given back": [404, {}, false],
  }
  for (const [name, [status, options, isClosed]] of Object.entries(kept)) {
    it(`${name}, ${isClosed ? "and the gate is closed" : "and the gate is not closed"}`, async () => {
      const told = defineTask("told", {
        limits: [api],
        run: async (_input: null, context) => {
          const response = await context.fetch(url, undefined, options)
          return [response.status, await response.text()]
        },
      })
      const { queue } = await start(open, [{ status, body: "said" }], [told])
      const task = await queue.submit(told, null)
      await queue.world.settle()
      deepEqual([(await taskOf(queue, task)).status, (await taskOf(queue, task)).output], ["completed", [status, "said"]])
      equal((await closedForMs(queue)) > 0, isClosed)
    })
  }

  it("blocking names other statuses", async () => {
    const told = defineTask("told", {
      limits: [api],
      run: async (_input: null, context) => (await context.fetch(url, undefined, { blocking: [418] })).status,
    })
    const { queue } = await start(open, [{ status: 418 }], [told])
    const task = await queue.submit(told, null)
    await queue.advance("1m")
    equal((await taskOf(queue, task)).lastError, "Max throttles (3) exceeded, last upstream status 418")
  })

  it("a refusal that was given back closes the gate before the next request of the same run", async () => {
    const twice = defineTask("twice", {
      limits: [api],
      timeout: "5m",
      run: async (_input: null, context) => {
        const first = await context.fetch(url, undefined, { onRefusal: "return" })
        return [first.status, (await context.fetch(url)).status]
      },
    })
    const { other, queue } = await start(open, [{ status: 429, headers: { "retry-after": "30" } }, {}], [twice])
    const task = await queue.submit(twice, null)
    await queue.advance("1m")
    deepEqual((await taskOf(queue, task)).output, [429, 200])
    ok((other.times[1] ?? 0) >= 30_000, `got ${other.times[1]}`)
  })
})

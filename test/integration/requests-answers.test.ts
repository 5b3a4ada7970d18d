// What becomes of a task, of its gate and of the others by what the other side answers to ctx.fetch. In virtual time, on every store.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { type AnyTask, type Context, defineLimit, defineTask, type FetchOptions, isSluiceError } from "../../src/index.ts"
import type { TestQueue, TestQueueOptions } from "../../src/testing/index.ts"
import { virtualStartMs } from "../../src/testing/virtual-world.ts"
import { onEveryStore } from "../seeds/stores.ts"
import { type Answering, OtherSide, type Script } from "../unit/worker/other-side.ts"

const url = "http://other.test"
const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

/** One request to the path that it is given. */
const call = defineTask("call", {
  limits: [api],
  run: async (path: string, context) => (await context.fetch(`${url}/${path}`)).status,
})

async function closedForMs(queue: TestQueue, limit = "api"): Promise<number> {
  const [gate] = (await queue.limits.gates(limit)).gates
  return gate?.cooldown ? gate.cooldown.until.getTime() - queue.world.wallMs() : 0
}

async function taskOf(queue: TestQueue, { id }: { readonly id: string }) {
  const task = await queue.get(id)
  ok(task)
  return task
}

type Open = (tasks: readonly AnyTask[], options?: Omit<TestQueueOptions, "store">) => Promise<TestQueue>

/** A queue whose other side answers so, and no task of which has been started. */
async function start(open: Open, answers: readonly Script[], tasks: readonly AnyTask[] = [call], concurrency = 1) {
  const other = new OtherSide(...answers)
  return { other, queue: await open(tasks, { world: other.world, worker: { concurrency } }) }
}

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

  const hour = 3_600_000
  const hostile: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "an exponent": { "retry-after": "1e99" },
    "a negative number": { "retry-after": "-5" },
    "more digits than a number keeps": { "retry-after": "9".repeat(400) },
    "a number of years": { "retry-after": "999999999999" },
    "a date in 9999": { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" },
    "a date in 9999 by a clock in 1970": { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT", date: "Thu, 01 Jan 1970 00:00:00 GMT" },
    milliseconds: { "retry-after-ms": "99999999999999" },
    "a text of 60 KB": { "retry-after": `1${" ".repeat(60_000)}1` },
    "not a number": { "retry-after": "NaN" },
  }
  const limits = [api, defineLimit("api", { adaptive: true }), defineLimit("api", { adaptive: "linear" })]
  for (const status of [200, 429, 503]) {
    it(`a hostile Retry-After on a ${status} closes the gate for an hour and its jitter at most, however it learns`, async () => {
      for (const limit of limits) {
        const asking = defineTask("asking", { limits: [limit], run: async (_input: null, context) => (await context.fetch(url)).status })
        for (const [name, headers] of Object.entries(hostile)) {
          const { queue } = await start(open, [{ status, headers }], [asking])
          const task = await queue.submit(asking, null)
          await queue.world.settle()
          const waits = `${limit.policy.adaptive?.preset ?? "declared"}, ${name}`
          ok((await closedForMs(queue)) <= 1.1 * hour, `${waits}: closed for ${await closedForMs(queue)} ms`)
          const { availableAt } = await taskOf(queue, task)
          ok(availableAt.getTime() - queue.world.wallMs() <= 1.1 * hour, `${waits}: waits until ${availableAt.toISOString()}`)
        }
      }
    })
  }

  it("a hostile quota closes the gate for a day and an hour at most", async () => {
    const resets = ["99999999999", "253402300799", "1e30", "9".repeat(300), "Fri, 31 Dec 9999 23:59:59 GMT", "-1"]
    for (const reset of resets) {
      const headers = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }
      const { queue } = await start(open, [{ headers }])
      await queue.submit(call, "x")
      await queue.world.settle()
      ok((await closedForMs(queue)) <= 25 * hour, `${reset}: closed for ${await closedForMs(queue)} ms`)
    }
  })

  const refused: readonly (readonly [(context: Context<null>) => unknown, string])[] = [
    [
      (context) => context.fetch(url, undefined, { limit: "apy" }),
      'task wrong: ctx.fetch: expected a limit that the task passes (api), got "apy"',
    ],
    [(context) => context.fetch(url, undefined, { cost: 0 }), "task wrong: ctx.fetch: cost: expected a whole number, 1 or more, got 0"],
    [
      (context) => context.fetch(url, undefined, { blocking: [403, 1_000] }),
      "task wrong: ctx.fetch: blocking[1]: expected a whole number from 100 to 599, got 1000",
    ],
    [(context) => context.fetch(url, undefined, { blocking: 403 as never }), "task wrong: ctx.fetch: blocking: expected an array, got 403"],
    [
      (context) => context.fetch(url, undefined, { onRefusal: "retrun" as never }),
      'task wrong: ctx.fetch: onRefusal: expected throw, return, got "retrun"; did you mean "return"?',
    ],
    [
      (context) => context.fetch(url, undefined, { limt: api } as never),
      'task wrong: ctx.fetch: unknown option "limt"; did you mean "limit"?',
    ],
    [(context) => context.fetch(url, undefined, "api" as never), 'task wrong: ctx.fetch: expected an object of options, got "api"'],
    [
      (context) => context.fetch(url, undefined, { limit: 7 as never }),
      'task wrong: ctx.fetch: limit: expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":", got 7',
    ],
    [
      (context) => context.observe(new Response(), { limit: "apy" }),
      'task wrong: ctx.observe: expected a limit that the task passes (api), got "apy"',
    ],
    [
      (context) => context.observe(new Response(), { cost: 1 } as never),
      'task wrong: ctx.observe: unknown option "cost"; known are limit, blocking, onRefusal',
    ],
  ]
  for (const [ask, message] of refused) {
    it(`refuses: ${message}`, async () => {
      const wrong = defineTask("wrong", { limits: [api], maxRetries: 0, run: (_input: null, context) => ask(context) })
      const { other, queue } = await start(open, [{}], [wrong])
      const task = await queue.submit(wrong, null)
      await queue.drain()
      deepEqual([(await taskOf(queue, task)).lastError, other.asked.length], [message, 0])
    })
  }
})

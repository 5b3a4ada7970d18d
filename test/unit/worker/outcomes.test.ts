// The handler's ways out, and what becomes of the task.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, PermanentError, RescheduleError, RetryableError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { found, Tap } from "./kit.ts"

/** Runs one task once, with a handler that ends the given way. */
async function end(run: () => unknown, options: { maxRetries?: number; ttl?: string } = {}) {
  const work = defineTask("work", { run })
  const queue = await testQueue([work], { worker: { backoff: { base: "1h", cap: "1h" } } })
  const task = await queue.submit(work, null, options)
  await queue.world.settle()
  return { queue, task: await found(queue, task), history: await queue.history(task.id) }
}

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown
  }
}

describe("a value", () => {
  for (const value of [null, true, 0, -1.5, "text", [], [1, [2]], {}, { deep: { list: [null] } }]) {
    it(`completes the task: ${JSON.stringify(value)}`, async () => {
      const { task } = await end(() => value)
      equal(task.status, "completed")
      deepEqual(task.output, value)
      equal(task.lastError, null)
    })
  }

  it("that is undefined completes the task with the output null", async () => {
    const { task } = await end(() => undefined)
    deepEqual([task.status, task.output], ["completed", null])
  })

  it("may come as a promise", async () => {
    const { task } = await end(async () => "later")
    deepEqual([task.status, task.output], ["completed", "later"])
  })

  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ["a bigint", { big: 1n }, /^output\.big: expected a JSON value, got 1n$/],
    ["a function", () => () => 1, /^output: expected a JSON value, got a function$/],
    ["a Date", new Date(0), /^output: expected a plain object \(a Date would not come back as one; convert it first\)/],
    ["a Map", new Map(), /^output: expected a plain object \(a Map would/],
    ["NaN", [Number.NaN], /^output\[0\]: expected a finite number, got NaN$/],
    ["a cycle", cyclic, /^output(\.self){50,60}[.self]*\.\.\.: expected at most 200 levels, and nothing that is part of itself/],
    ["a lone surrogate", "\ud800", /^output: expected well-formed Unicode/],
    ["a NUL", "\u0000", /^output: expected text without NUL/],
    [
      "300 KiB",
      "x".repeat(300 * 1_024),
      /^output: expected at most 256\.0 KiB of JSON, got 300\.0 KiB; store it elsewhere and pass a reference/,
    ],
  ]
  for (const [name, value, message] of refused) {
    it(`that JSON or the store cannot carry fails the task and says why: ${name}`, async () => {
      const { task } = await end(() => (typeof value === "function" ? value() : value))
      equal(task.status, "failed")
      equal(task.retryCount, 0)
      match(task.lastError ?? "", message)
    })
  }
})

describe("an error", () => {
  const circular = new Error("circular")
  circular.cause = circular
  const retried: readonly (readonly [string, unknown, string])[] = [
    ["RetryableError", new RetryableError("try again"), "try again"],
    ["any Error", new TypeError("x is not a function"), "x is not a function"],
    ["an Error without a message", new RangeError(), "RangeError"],
    ["a string", "just text", "just text"],
    ["undefined", undefined, "threw undefined"],
    ["an object", { code: 5 }, "threw [object Object]"],
    ["an object that says what is wrong", { code: 5, message: "no such table" }, "no such table"],
    ["an empty text", "", "threw an empty text"],
    [
      "an Error with a cause",
      new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
      "fetch failed: connect ECONNREFUSED",
    ],
    ["a cause that says the same", new Error("no answer: timeout", { cause: new Error("timeout") }), "no answer: timeout"],
    ["a cause that is its own", circular, "circular"],
    [
      "several at once",
      new AggregateError([new Error("connect ECONNREFUSED ::1"), new Error("other")]),
      "AggregateError: connect ECONNREFUSED ::1",
    ],
    ["a symbol", Symbol("odd"), "threw Symbol(odd)"],
    ["an object without a prototype", Object.create(null), "threw something that has no text"],
    ["an Error whose message is no text", Object.assign(new Error(), { message: 5 }), "5"],
    ["text that no store could keep", new Error("a\u0000b\ud800c"), "ab\ufffdc"],
  ]
  for (const [name, thrown, lastError] of retried) {
    it(`is retried: ${name}`, async () => {
      const { task } = await end(throwing(thrown))
      deepEqual([task.status, task.retryCount, task.lastError], ["pending", 1, lastError])
    })
  }

  it("is retried when a promise rejects with it", async () => {
    const { task } = await end(() => Promise.reject(new Error("later")))
    deepEqual([task.status, task.retryCount, task.lastError], ["pending", 1, "later"])
  })

  it("without retries left fails the task", async () => {
    const { task } = await end(throwing(new Error("broken")), { maxRetries: 0 })
    deepEqual([task.status, task.retryCount, task.lastError], ["failed", 0, "broken"])
  })

  it("that is permanent fails the task at once", async () => {
    const { task } = await end(throwing(new PermanentError("no such user")))
    deepEqual([task.status, task.retryCount, task.attempt, task.lastError], ["failed", 0, 1, "no such user"])
  })

  it("with a very long message is cut", async () => {
    const { task } = await end(throwing(new Error("x".repeat(1_000_000))))
    equal(task.lastError?.length, 2_000)
    ok(task.lastError?.endsWith("..."))
  })

  it("waits with full jitter: anywhere from nothing to the doubled base, up to the cap", async () => {
    const waits = new Map<number, number[]>()
    for (let seed = 1; seed <= 40; seed++) {
      const tap = new Tap()
      const work = defineTask("work", { maxRetries: 6, run: throwing(new Error("broken")) })
      const queue = await testQueue([work], {
        world: new VirtualWorld({ seed }),
        through: tap.through,
        worker: { backoff: { base: "1s", cap: "10s" }, sweep: "1h" },
      })
      await queue.submit(work, null)
      await queue.advance("1m")
      const delays = tap.exchanges.flatMap(({ settles }) =>
        settles.flatMap(({ outcome }) => (outcome.kind === "retried" ? [outcome.delayMs] : [])),
      )
      for (const [i, delayMs] of delays.entries()) waits.set(i + 1, [...(waits.get(i + 1) ?? []), delayMs])
    }
    for (const [retry, ceilingMs] of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      const seen = waits.get(retry + 1) ?? []
      equal(seen.length, 40)
      ok(seen.every((delayMs) => Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= ceilingMs))
      ok(Math.min(...seen) < ceilingMs * 0.25 && Math.max(...seen) > ceilingMs * 0.75, `expected retry ${retry + 1} to use its whole range`)
    }
  })
})

describe("reschedule", () => {
  it("means the same as a RescheduleError and as ctx.reschedule", async () => {
    const reasons = { delay: "90s", extend: "2m", reason: "busy" } as const
    const outcomes: unknown[] = []
    for (const way of ["error", "context"] as const) {
      const tap = new Tap()
      const work = defineTask("work", {
        run: (_input: unknown, context) => {
          if (way === "context") context.reschedule(reasons.delay, { extendExpiration: reasons.extend, reason: reasons.reason })
          throw new RescheduleError({ delaySeconds: 90, extendExpirationSeconds: 120, reason: reasons.reason })
        },
      })
      const queue = await testQueue([work], { through: tap.through })
      const submitted = await queue.submit(work, null, { ttl: "1h" })
      await queue.world.settle()
      outcomes.push(tap.exchanges.flatMap(({ settles }) => settles.map(({ outcome }) => outcome)))
      const task = await found(queue, submitted)
      deepEqual([task.status, task.rescheduleCount, task.retryCount, task.lastError], ["pending", 1, 0, null])
      equal(task.availableAt.getTime() - submitted.createdAt.getTime(), 90_000)
      equal(task.expiresAt && task.expiresAt.getTime() - submitted.createdAt.getTime(), 3_600_000 + 120_000)
      const last = (await queue.history(task.id)).at(-1)
      deepEqual([last?.event, last?.delayMs, last?.count, last?.reason], ["rescheduled", 90_000, 1, "busy"])
    }
    deepEqual(outcomes[0], [{ kind: "rescheduled", delayMs: 90_000, extendExpirationMs: 120_000, reason: "busy" }])
    deepEqual(outcomes[1], outcomes[0])
  })

  it("waits to the millisecond, whatever seconds make of it in binary", async () => {
    for (const delayMs of [1, 2_007, 2_011, 65_539]) {
      const work = defineTask("work", { run: (_input: unknown, context) => context.reschedule(`${delayMs}ms`) })
      const queue = await testQueue([work])
      const task = await queue.submit(work, null)
      await queue.world.settle()
      equal((await found(queue, task)).availableAt.getTime() - task.createdAt.getTime(), delayMs)
    }
    equal(new RescheduleError({ delaySeconds: 2.007 }).delayMs, 2_007)
  })

  it("that is asked for wrongly is an error like any other, and says how to do it", async () => {
    const work = defineTask("work", { run: (_input: unknown, context) => context.reschedule(60 as never) })
    const queue = await testQueue([work])
    const task = await queue.submit(work, null, { maxRetries: 0 })
    await queue.drain()
    const { status, lastError } = await found(queue, task)
    equal(status, "failed")
    equal(
      lastError,
      'ctx.reschedule: delay: expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got 60 (a number has no unit: write "60s" for seconds)',
    )
  })

  it("keeps a reason short and storable", async () => {
    const { history } = await end(throwing(new RescheduleError({ delaySeconds: 60, reason: `\u0000${"x".repeat(5_000)}` })))
    equal(history.at(-1)?.reason?.length, 2_000)
  })
})

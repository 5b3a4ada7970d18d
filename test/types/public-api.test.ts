// The types that users see: what is inferred, and what does not compile. The compiler is the test; `npm run check` and the
// build run it. An @ts-expect-error that expects nothing is an error itself.

import { ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { z } from "zod"
import {
  type AnyTask,
  type Context,
  connect,
  defineLimit,
  defineTask,
  type ErrorCode,
  type Gate,
  type GatesPage,
  type HistoryItem,
  isSluiceError,
  type Limit,
  type LimitView,
  type Queue,
  type SavedSchedule,
  type Simulation,
  type Status,
  type SubmitOptions,
  simulate,
  Task,
  type TaskDefinition,
  type TaskDocument,
  type TaskExplanation,
  type TaskForecast,
  type Worker,
  type WorkerEvents,
} from "../../src/index.ts"
import { same } from "./same.ts"

const plain = defineTask("plain", {
  run: async (input: { url: string }, ctx) => {
    same<typeof ctx, Context<{ url: string }>>()
    if (input.url === "") ctx.reschedule("60s", { extendExpiration: "2m" })
    return { status: 200 }
  },
})

const checked = defineTask("checked", {
  input: z.object({ at: z.string().transform((text) => new Date(text)), items: z.array(z.string()).default([]) }),
  timeout: "60s",
  maxRetries: 3,
  run: (input, ctx) => {
    same<typeof input, { at: Date; items: string[] }>()
    same<typeof ctx.task.input, { at: string; items?: string[] | undefined }>()
    same<typeof ctx.signal, AbortSignal>()
    return input.items.length
  },
})

/** Compiled, never called. */
const uncalled: ((queue: Queue) => unknown)[] = []
const compiles = (body: (queue: Queue) => unknown) => {
  uncalled.push(body)
  ok(true)
}

describe("defineTask", () => {
  it("infers input and output from the handler", () => {
    same<typeof plain, TaskDefinition<{ url: string }, { url: string }, { status: number }>>()
  })

  it("infers the raw and the parsed input from a schema", () => {
    same<typeof checked, TaskDefinition<{ at: string; items?: string[] | undefined }, { at: Date; items: string[] }, number>>()
  })

  it("takes ctx.reschedule as a way out that adds nothing to the output", () => {
    const later = defineTask("later", { run: (input: number, ctx) => (input > 0 ? "now" : ctx.reschedule("1h")) })
    same<typeof later, TaskDefinition<number, number, string>>()
  })

  it("is an AnyTask, whatever it takes and gives", () => {
    const all: readonly AnyTask[] = [plain, checked]
    ok(all.length === 2)
  })

  it("refuses what it does not know", () => {
    compiles(() => {
      // @ts-expect-error no handler
      defineTask("none", {})
      // @ts-expect-error a number has no unit
      defineTask("unit", { timeout: 60, run: () => null })
      // @ts-expect-error misspelt
      defineTask("typo", { maxRetrys: 3, run: () => null })
      // @ts-expect-error only threads
      defineTask("fork", { isolate: "process", run: () => null })
      // @ts-expect-error not a schema
      defineTask("schema", { input: { type: "object" }, run: () => null })
      // @ts-expect-error the handler wants what the schema does not give
      defineTask("mismatch", { input: z.object({ a: z.string() }), run: (input: { b: number }) => input.b })
    })
  })
})

describe("defineLimit", () => {
  const api = defineLimit("api", { rate: "10/10s", concurrency: 5 })
  const perHost = defineLimit("per-host", {
    rate: { limit: 1, per: "1s", provider: "fixed" },
    key: (input: { host: string }) => input.host,
  })

  it("gives a limit that gives gates", () => {
    same<typeof api, Limit<unknown>>()
    same<typeof perHost, Limit<{ host: string }>>()
    const gate = api("key", { cost: 3 })
    same<typeof gate, Gate>()
    same<ReturnType<typeof api>, Gate>()
  })

  it("types the limits, the cost and the fairness of a task by its parsed input", () => {
    const schema = z.object({ host: z.string(), at: z.string().transform((text) => new Date(text)) })
    const typed = defineTask("typed", {
      input: schema,
      limits: (input) => {
        same<typeof input, { host: string; at: Date }>()
        return [api(input.host), perHost(input.host)]
      },
      cost: (input) => input.at.getTime(),
      fairBy: ({ host }) => host,
      run: (input) => input.at.getTime(),
    })
    same<typeof typed, TaskDefinition<{ host: string; at: string }, { host: string; at: Date }, number>>()
    const listed = defineTask("listed", { input: schema, limits: [api, perHost, api("x")], cost: 2, run: () => null })
    same<typeof listed, TaskDefinition<{ host: string; at: string }, { host: string; at: Date }, null>>()
    const unchecked = defineTask("unchecked", {
      limits: (input: { host: string }) => [perHost(input.host)],
      run: (input: { host: string; n: number }, _ctx) => input.n,
    })
    same<typeof unchecked, TaskDefinition<{ host: string; n: number }, { host: string; n: number }, number>>()
    const keyed = defineTask("keyed", { limits: [perHost, api], run: (input: { host: string; n: number }) => input.n })
    same<typeof keyed, TaskDefinition<{ host: string; n: number }, { host: string; n: number }, number>>()
    const all: readonly AnyTask[] = [typed, listed, unchecked, keyed]
    ok(all.length === 4)
  })

  it("refuses what does not fit", () => {
    compiles(() => {
      // @ts-expect-error a rate is text or an object
      defineLimit("number", { rate: 10 })
      // @ts-expect-error no such provider
      defineLimit("provider", { rate: "1/1s", provider: "leaky" })
      // @ts-expect-error misspelt
      defineLimit("typo", { rate: "1/1s", concurency: 5 })
      // @ts-expect-error a key is text
      api(5)
      // @ts-expect-error a key is made of text
      defineLimit("key", { rate: "1/1s", key: (input: { n: number }) => input.n })
      // @ts-expect-error the key of this limit wants a host
      defineTask("no-host", { input: z.object({ url: z.string() }), limits: [perHost], run: () => null })
      // @ts-expect-error gates, not limits
      defineTask("uncalled", { limits: (_input: null) => [api], run: () => null })
      // @ts-expect-error a cost is a number
      defineTask("cost", { limits: [api], cost: "3", run: () => null })
    })
  })

  it("is changed and explained by the queue", () => {
    compiles(async (queue) => {
      const limits = await queue.limits.list()
      same<typeof limits, LimitView[]>()
      const page = await queue.limits.gates("api", { key: "x" })
      same<typeof page, GatesPage>()
      await queue.limits.set("api", { rate: "5/1s", provider: "sliding" }, { until: new Date(0), by: "ada" })
      await queue.limits.close("api", { until: "2026-01-28T17:00:00Z", key: "x" })
      // @ts-expect-error until when?
      await queue.limits.close("api")
      const explained = await queue.explain("id")
      same<typeof explained, TaskExplanation>()
      const task = await queue.submit("mail", {}, { gates: ["api/x", { limit: "api", key: "y", cost: 3 }] })
      same<typeof task.estimatedStartAt, Date | null>()
      same<typeof task.forecast, TaskForecast | null>()
      same<typeof task.warning, string | null>()
      same<typeof task.gates, readonly string[] | null>()
    })
  })

  it("is spent and asked for by a handler", () => {
    defineTask("asks", {
      limits: [api],
      run: async (_input: null, ctx) => {
        ctx.spent(3)
        ctx.spent(3, { limit: api })
        await ctx.permit("api", { cost: 2 })
        await ctx.permit(perHost)
        // @ts-expect-error a number
        ctx.spent("3")
      },
    })
  })
})

describe("submit", () => {
  it("gives a Task with the types of its definition", () => {
    compiles(async (queue) => {
      const task = await queue.submit(plain, { url: "…" })
      same<typeof task, Task<{ url: string }, { status: number }>>()
      same<typeof task.output, { status: number } | null>()
      const parsed = await queue.submit(checked, { at: "2026-01-28T17:00:00Z" })
      same<typeof parsed, Task<{ at: string; items?: string[] | undefined }, number>>()
      const many = await queue.submitMany(plain, [{ url: "…" }], { each: (input) => ({ idempotencyKey: input.url }) })
      same<typeof many, Task<{ url: string }, { status: number }>[]>()
    })
  })

  it("again and again takes what the definition takes", () => {
    compiles(async (queue) => {
      const schedule = await queue.schedule("nightly", "@daily", { timezone: "UTC", catchUp: { all: 3 }, ttl: "1h" }, plain, { url: "…" })
      same<typeof schedule, SavedSchedule>()
      await queue.schedule("nightly", "@daily", undefined, "by_name", { any: ["thing"] })
      // @ts-expect-error of another type
      await queue.schedule("nightly", "@daily", {}, plain, { url: 5 })
      // @ts-expect-error the raw input, not the parsed one
      await queue.schedule("nightly", "@daily", {}, checked, { at: new Date() })
      // @ts-expect-error no such catch-up
      await queue.schedule("nightly", "@daily", { catchUp: "all" }, plain, { url: "…" })
      // @ts-expect-error a schedule has no key of its own
      await queue.schedule("nightly", "@daily", { idempotencyKey: "k" }, plain, { url: "…" })
    })
  })

  it("by name takes anything and promises nothing", () => {
    compiles(async (queue) => {
      const task = await queue.submit("by_name", { any: ["thing"] })
      same<typeof task, Task<unknown, unknown>>()
    })
  })

  it("refuses an input that does not fit", () => {
    compiles(async (queue) => {
      // @ts-expect-error a property is missing
      await queue.submit(plain, {})
      // @ts-expect-error of another type
      await queue.submit(plain, { url: 5 })
      // @ts-expect-error the raw input, not the parsed one
      await queue.submit(checked, { at: new Date() })
      // @ts-expect-error one of them does not fit
      await queue.submitMany(plain, [{ url: "…" }, { url: 5 }])
      // @ts-expect-error no input at all
      await queue.submit(plain)
    })
  })

  it("takes the seeds' options, and refuses others", () => {
    compiles(async (queue) => {
      const options = {
        scheduleAt: new Date(),
        expiresAt: "2026-01-28T17:00:00Z",
        maxReschedules: null,
        maxRetries: 3,
        timeoutSeconds: 300,
        tags: ["a"],
        flow: "tenant-7",
        priority: 5,
      } as const satisfies SubmitOptions
      await queue.submit(plain, { url: "…" }, options)
      await queue.submit(plain, { url: "…" }, { ttl: 0 })
      // @ts-expect-error a number has no unit
      await queue.submit(plain, { url: "…" }, { ttl: 60 })
      // @ts-expect-error misspelt
      await queue.submit(plain, { url: "…" }, { maxReschedule: 3 })
      // @ts-expect-error a time is a Date or a string with its zone
      await queue.submit(plain, { url: "…" }, { expiresAt: 1_769_619_600_000 })
    })
  })
})

describe("the queue", () => {
  it("is connected by a URL and answers with tasks", () => {
    compiles(async () => {
      const queue = await connect("memory:", { namespace: "tests", maxInputBytes: "1MiB" })
      same<typeof queue, Queue>()
      const found = await queue.get("id")
      same<typeof found, Task | null>()
      const { tasks, cursor } = await queue.list({ status: ["failed", "expired"], tag: "a", limit: 10 })
      same<typeof tasks, readonly Task[]>()
      same<typeof cursor, string | null>()
      const counts = await queue.counts()
      same<typeof counts, Readonly<Record<Status, number>>>()
      const history = await queue.history("id")
      same<typeof history, HistoryItem[]>()
      // @ts-expect-error no such status
      await queue.list({ status: "done" })
    })
  })

  it("simulates with limits of the code or of the store; without a queue only with those of the code", () => {
    const api = defineLimit("api", { rate: "1/s", key: (host: string) => host })
    compiles(async (queue) => {
      const told = await queue.simulate({ tasks: 5, limits: [api, "other", { limit: "third", keys: { a: 2 } }], duration: "1s" })
      same<typeof told, Simulation>()
      same<typeof told.endMs, number | null>()
      simulate({ tasks: 5, limits: [api, { limit: api, keys: [1, 2], cost: 3 }], duration: { p50: "1s", p99: "2s" }, arrivals: "5/s" })
      // @ts-expect-error a name says nothing without a store
      simulate({ tasks: 5, limits: ["other"] })
      // @ts-expect-error how many is not optional
      await queue.simulate({ limits: [api] })
    })
  })

  it("makes workers with typed events", () => {
    compiles(async (queue) => {
      const worker = queue.worker([plain, checked], { concurrency: 5, retention: null })
      same<typeof worker, Worker>()
      worker.on("task.settled", (event) => {
        same<typeof event, WorkerEvents["task.settled"]>()
        same<typeof event.status, Status>()
      })
      await worker.run({ signal: new AbortController().signal, grace: "10s" })
      // @ts-expect-error no such event
      worker.on("task.done", () => {})
      // @ts-expect-error a task's name is not a task
      queue.worker(["plain"])
    })
  })
})

describe("a task", () => {
  it("is a view of a record: its status is one of seven, its document is snake_case", () => {
    compiles(async (queue) => {
      const task = await queue.submit(plain, { url: "…" })
      same<typeof task.status, Status>()
      same<Status, "pending" | "running" | "completed" | "failed" | "cancelled" | "expired" | "archived">()
      same<ReturnType<typeof task.toJSON>, TaskDocument>()
      same<typeof task.expiresAt, Date | null>()
      // @ts-expect-error it does not change
      task.status = "completed"
    })
    ok(Task)
  })
})

describe("an error", () => {
  it("has a code out of a closed union", () => {
    const thrown: unknown = null
    if (isSluiceError(thrown)) {
      same<typeof thrown.code, ErrorCode>()
      // @ts-expect-error no such code
      ok(thrown.code === "oops")
    }
    ok(uncalled.length > 0)
  })
})

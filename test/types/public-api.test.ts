// The types that users see: what is inferred, and what does not compile. The compiler is the test; `npm run check` and the
// build run it. An @ts-expect-error that expects nothing is an error itself.

import { ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { z } from "zod"
import {
  type AnyTask,
  type Context,
  connect,
  defineTask,
  type ErrorCode,
  type HistoryItem,
  isSluiceError,
  type Queue,
  type Status,
  type SubmitOptions,
  Task,
  type TaskDefinition,
  type TaskDocument,
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

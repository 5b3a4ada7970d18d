// The rest of the edge: URLs, namespaces, lists, ids and definitions that are wrong.

import { deepEqual, equal, rejects, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { connect, defineTask, type Queue, RescheduleError } from "../../../src/index.ts"
import { openQueue } from "./kit.ts"

const names = 'expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":"'

describe("connect refuses", () => {
  const store =
    'store: expected a URL such as "sqlite:./sluice.db", "redis://localhost:6379", "postgres://localhost/app", "s3://bucket/prefix", "https://queue.example.com" (a Sluice server) or "memory:"'
  const urls: readonly (readonly [unknown, string])[] = [
    ["memry:", `${store}, got "memry:"; did you mean "memory:"?`],
    ["sqlite3:x.db", `${store}, got "sqlite3:x.db"; did you mean "sqlite:"?`],
    ["mysql://user:secret@host/db", `${store}, got "mysql://user:***@host/db"`],
    ["./sluice.db", `${store}, got "./sluice.db"`],
    ["constructor:", `${store}, got "constructor:"`],
    ["", `${store}, got ""`],
    [undefined, `${store}, got undefined`],
    [5, `${store}, got 5`],
  ]
  for (const [url, message] of urls) {
    it(`the store ${url}`, () => rejects(connect(url as never), { code: "unknown_store", message }))
  }

  it("odd options", async () => {
    await rejects(connect("memory:", { namespace: "a b" }), { code: "invalid_name", message: `connect: namespace: ${names}, got "a b"` })
    await rejects(connect("memory:", { namspace: "a" } as never), {
      message: 'connect: unknown option "namspace"; did you mean "namespace"?',
    })
    await rejects(connect("memory:", { maxInputBytes: "256KB" }), {
      code: "invalid_size",
      message: 'connect: maxInputBytes: expected a size such as "256KiB", "4MiB" or a number of bytes, got "256KB"',
    })
  })

  it("an odd namespace in the environment", async () => {
    const before = process.env.SLUICE_NAMESPACE
    process.env.SLUICE_NAMESPACE = "../up"
    try {
      await rejects(connect("memory:"), { code: "invalid_name", message: `SLUICE_NAMESPACE: ${names}, got "../up"` })
    } finally {
      if (before === undefined) delete process.env.SLUICE_NAMESPACE
      else process.env.SLUICE_NAMESPACE = before
    }
  })
})

describe("namespaces", () => {
  it("share nothing", async () => {
    const [one, two] = await Promise.all(["one", "two"].map((namespace) => connect("memory:shared-by-namespaces", { namespace })))
    await one?.submit("mail", 1)
    deepEqual([(await one?.counts())?.pending, (await two?.counts())?.pending], [1, 0])
  })
})

describe("list", () => {
  it("pages from the newest to the oldest, each task once", async () => {
    const queue = await openQueue()
    await queue.submitMany("mail", [1, 2, 3, 4, 5])
    const pages: unknown[][] = []
    let cursor: string | null = null
    do {
      const page = await queue.list({ limit: 2, ...(cursor === null ? {} : { cursor }) })
      pages.push(page.tasks.map(({ input }) => input))
      cursor = page.cursor
    } while (cursor !== null)
    deepEqual(pages.flat(), [5, 4, 3, 2, 1])
  })

  it("refuses filters and cursors that are wrong", async () => {
    const queue = await openQueue()
    await rejects(queue.list({ status: "complete" as never }), {
      code: "invalid_option",
      message: /^list: status: expected pending, .*did you mean "completed"\?$/,
    })
    await rejects(queue.list({ limit: 0 }), { message: "list: limit: expected a whole number from 1 to 1000, got 0" })
    await rejects(queue.list({ tag: "a b" }), { code: "invalid_name" })
    await rejects(queue.list({ createdFrom: "yesterday" }), { code: "invalid_date" })
    for (const cursor of [
      "",
      "abc",
      Buffer.from("before:-1").toString("base64url"),
      Buffer.from("before:99999999999999999").toString("base64url"),
      5,
    ]) {
      await rejects(queue.list({ cursor: cursor as never }), {
        code: "invalid_cursor",
        message: /^list: cursor: expected the cursor of the page before, got /,
      })
    }
  })
})

describe("an id that nobody has", () => {
  it("is null to get, and refused by what would change a task", async () => {
    const queue = await openQueue()
    equal(await queue.get("nobody"), null)
    for (const call of ["cancel", "retry", "archive", "markExpired", "history"] as const) {
      await rejects(queue[call]("nobody"), {
        code: "not_found",
        message: 'task "nobody": expected the id of a task, found none; it may have been removed after its retention',
      })
    }
  })
})

describe("defineTask refuses", () => {
  const run = () => null
  const refused: readonly (readonly [unknown, unknown, string])[] = [
    ["a b", { run }, `task type: ${names}, got "a b"`],
    ["mail", {}, 'defineTask "mail": expected run: async (input, ctx) => …, got nothing'],
    ["mail", undefined, 'defineTask "mail": expected run: async (input, ctx) => …, got nothing'],
    ["mail", { run: "now" }, 'defineTask "mail": run: expected a function, got "now"'],
    ["mail", { run, timout: "1s" }, 'defineTask "mail": unknown option "timout"; did you mean "timeout"?'],
    [
      "mail",
      { run, input: { type: "object" } },
      'defineTask "mail": input: expected a Standard Schema (zod, valibot, arktype, …), got an object',
    ],
    ["mail", { run, isolate: "process" }, 'defineTask "mail": isolate: expected thread, got "process"'],
    [
      "mail",
      { run, module: "./tasks.ts" },
      'defineTask "mail": module: expected import.meta.url of the module that exports the task, got "./tasks.ts"',
    ],
    [
      "mail",
      { run, timeout: 60 },
      'defineTask "mail": timeout: expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got 60 (a number has no unit: write "60s" for seconds)',
    ],
  ]
  for (const [type, options, message] of refused) it(message, () => throws(() => defineTask(type as never, options as never), { message }))
})

describe("RescheduleError refuses", () => {
  const refused: readonly (readonly [unknown, string])[] = [
    [{}, "RescheduleError: delaySeconds: expected a number of seconds, 0 or more, got undefined"],
    [undefined, "RescheduleError: delaySeconds: expected a number of seconds, 0 or more, got undefined"],
    [{ delaySeconds: -1 }, "RescheduleError: delaySeconds: expected a number of seconds, 0 or more, got -1"],
    [{ delay_seconds: 1 }, 'RescheduleError: unknown option "delay_seconds"; did you mean "delaySeconds"?'],
    [
      { delaySeconds: 1, extendExpirationSeconds: "2" },
      'RescheduleError: extendExpirationSeconds: expected a number of seconds, 0 or more, got "2"',
    ],
  ]
  for (const [options, message] of refused) it(message, () => throws(() => new RescheduleError(options as never), { message }))
})

describe("a queue refuses", () => {
  const task = { id: "01985e7a-31f8-7000-9a86-5f1f0d3c2b1a" }
  const calls: Readonly<Record<string, (queue: Queue) => unknown>> = {
    "get: expected the id of a task, got undefined": (queue) => queue.get(undefined as never),
    "explain: expected the id of a task, got 5": (queue) => queue.explain(5 as never),
    "history: expected the id of a task, got an object; pass its id": (queue) => queue.history(task as never),
    "cancel: expected the id of a task, got an object; pass its id": (queue) => queue.cancel(task as never),
    "getMany[1]: expected the id of a task, got null": (queue) => queue.getMany(["a", null] as never),
    'cancelMany: expected an array, got "a"': (queue) => queue.cancelMany("a" as never),
    "retryMany: expected an array, got undefined": (queue) => queue.retryMany(undefined as never),
    'on: the name of an event: expected worker.made, task.submitted, task.cancelled, limit.detached, limit.attached, limit.lost, got "task.submited"; did you mean "task.submitted"?':
      (queue) => queue.on("task.submited" as never, () => {}),
  }
  for (const [message, call] of Object.entries(calls)) {
    it(message, async () => {
      const queue = await openQueue()
      await rejects(async () => call(queue), { code: "invalid_option", message })
    })
  }

  it("a listener to an event that no worker tells", async () => {
    const queue = await openQueue()
    const worker = queue.worker([defineTask("mail", { run: () => {} })])
    throws(() => worker.on("completed" as never, () => {}), {
      code: "invalid_option",
      message: /^on: .* task\.settled, .*, got "completed"/,
    })
  })
})

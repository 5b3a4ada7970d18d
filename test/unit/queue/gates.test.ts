// Which gates a submission passes, what is refused about them, and what the task says of its start.

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { z } from "zod"
import { connect, defineLimit, defineTask, type ErrorCode, type Queue } from "../../../src/index.ts"
import type { HelloRequest, Store } from "../../../src/store/index.ts"
import { openQueue, refuses } from "./kit.ts"

const run = () => null
const api = defineLimit("api", { rate: "10/10s", provider: "sliding" })
const tokens = defineLimit("tokens", { rate: "1000/1m", provider: "sliding" })
const slots = defineLimit("slots", { concurrency: 3 })

async function gatesOf(queue: Queue, id: string) {
  return (await queue.store.get({ ids: [id] })).tasks[0]?.gates
}

function seeHellos(queue: Queue): HelloRequest[] {
  const seen: HelloRequest[] = []
  const store = queue.store as { hello: Store["hello"] }
  const hello = store.hello.bind(store)
  store.hello = (request) => {
    seen.push(request)
    return hello(request)
  }
  return seen
}

describe("a submission passes", () => {
  it("the gates that a function of its parsed input gives", async () => {
    const queue = await openQueue()
    const call = defineTask("call", {
      input: z.object({ url: z.string().transform((text) => new URL(text)), size: z.number().default(7) }),
      limits: ({ url, size }) => [api(url.host), tokens("all", { cost: size }), slots()],
      cost: 2,
      run,
    })
    const task = await queue.submit(call, { url: "https://example.com/x" })
    deepEqual(task.gates, ["api/example.com", "tokens/all", "slots"])
    deepEqual(await gatesOf(queue, task.id), [
      { limit: "api", key: "example.com", cost: 2 },
      { limit: "tokens", key: "all", cost: 7 },
      { limit: "slots", key: "", cost: 2 },
    ])
  })

  it("the limits of a plain array, split by their own key", async () => {
    const queue = await openQueue()
    const perHost = defineLimit("per-host", { rate: "1/1s", key: (input: { host: string }) => input.host })
    const call = defineTask("call", {
      limits: [perHost, slots, api("fixed", { cost: 4 })],
      cost: (input: { n: number }) => input.n,
      run: (_input: { host: string; n: number }) => null,
    })
    const { id } = await queue.submit(call, { host: "a/b", n: 1 })
    deepEqual(await gatesOf(queue, id), [
      { limit: "per-host", key: "a/b", cost: 1 },
      { limit: "slots", key: "", cost: 1 },
      { limit: "api", key: "fixed", cost: 4 },
    ])
  })

  it("none where the definition has no limits, and nothing is declared", async () => {
    const queue = await openQueue()
    const hellos = seeHellos(queue)
    const task = await queue.submit(defineTask("mail", { run }), {})
    deepEqual([task.gates, hellos.length], [[], 0])
  })

  it("those that are given by hand, by name", async () => {
    const queue = await openQueue()
    await queue.submit(defineTask("first", { limits: [api, slots], run }), {})
    const task = await queue.submit("mail", {}, { gates: ["api/a/b", "slots", { limit: "api", key: "c", cost: 3 }] })
    deepEqual(await gatesOf(queue, task.id), [
      { limit: "api", key: "a/b", cost: 1 },
      { limit: "slots", key: "", cost: 1 },
      { limit: "api", key: "c", cost: 3 },
    ])
  })

  it("some that nobody knows yet, where the code is not there: it is unrouted", async () => {
    const queue = await openQueue()
    const task = await queue.submit("mail", {})
    deepEqual([task.gates, task.forecast?.basis, task.estimatedStartAt], [null, "unrouted", null])
  })
})

describe("a limit is declared", () => {
  it("before the first submission that passes it, once", async () => {
    const queue = await openQueue()
    const hellos = seeHellos(queue)
    const call = defineTask("call", { limits: (limit: string) => [limit === "api" ? api("x") : tokens("x")], run })
    await queue.submitMany(call, ["api", "api", "api"])
    await queue.submit(call, "api")
    deepEqual(hellos, [{ workerId: null, types: [{ type: "call", limits: ["api"] }], limits: [{ name: "api", policy: api.policy }] }])
    await queue.submitMany(call, ["api", "tokens"])
    equal(hellos.length, 2)
    deepEqual(hellos[1]?.types, [{ type: "call", limits: ["api", "tokens"] }])
  })

  it("for each of two submissions that race", async () => {
    const queue = await openQueue()
    const call = defineTask("call", { limits: [api], run })
    const tasks = await Promise.all([1, 2, 3].map((n) => queue.submit(call, n)))
    equal(tasks.length, 3)
  })

  it("again by a process that goes on submitting, so that it counts as live", async () => {
    const queue = await openQueue()
    const hellos = seeHellos(queue)
    const call = defineTask("call", { limits: [api], run })
    const { world } = queue as unknown as { world: { advance(ms: number): Promise<void> } }
    for (let minute = 0; minute < 5; minute++) {
      await queue.submit(call, minute)
      await queue.submit(call, minute)
      await world.advance(60_000)
    }
    equal(hellos.length, 5)
  })

  it("again to a store that has forgotten it", async () => {
    const queue = await openQueue()
    const call = defineTask("call", { limits: [api], run })
    await queue.submit(call, 1)
    const fresh = await openQueue()
    Object.assign(queue, { store: fresh.store })
    Object.assign(queue.declarations, { store: fresh.store })
    ok(await queue.submit(call, 2))
  })
})

describe("a submission is refused", () => {
  const limitsOf = (limits: unknown, cost?: unknown) => defineTask("call", { limits, ...(cost ? { cost } : {}), run } as never)
  const big = defineLimit("big", { rate: "10/10s", concurrency: 2 })
  const refused: readonly (readonly [string, () => ReturnType<typeof limitsOf>, ErrorCode, string])[] = [
    [
      "with one gate twice",
      () => limitsOf(() => [api("x"), api("x", { cost: 2 })]),
      "invalid_option",
      "limits of call: expected each gate once, got api/x twice; give it once, with the sum of the costs",
    ],
    [
      "with one limit twice in a plain array",
      () => limitsOf([slots, slots()]),
      "invalid_option",
      "limits of call: expected each gate once, got slots twice; give it once, with the sum of the costs",
    ],
    [
      "with the limit itself instead of a gate",
      () => limitsOf(() => [api]),
      "invalid_option",
      'limits of call[0]: expected a gate such as api("key"), got the limit itself; call it: api(key), or api() where it is not split',
    ],
    [
      "with no array",
      () => limitsOf(async () => [api("x")]),
      "invalid_option",
      'limits of call: expected an array of gates such as [api("key")], got an object',
    ],
    [
      "with more gates than are sensible",
      () => limitsOf(() => Array.from({ length: 33 }, (_, i) => api(`${i}`))),
      "invalid_option",
      "limits of call: expected at most 32 gates, got 33",
    ],
    [
      "whose limits throw",
      () => limitsOf((input: string) => [api(new URL(input).host)]),
      "invalid_input",
      "limits of call: expected a function that takes this input, but it threw: Invalid URL",
    ],
    [
      "whose key is none",
      () => limitsOf((input: { host: string }) => [api(input.host)]),
      "invalid_name",
      'limit "api": key: expected 1 to 512 characters without control characters, got undefined',
    ],
    [
      "whose limit makes an odd key of the input",
      () => limitsOf([defineLimit("per-host", { rate: "1/1s", key: () => "" })]),
      "invalid_name",
      'limit "per-host": key: expected 1 to 512 characters without control characters, got ""',
    ],
    ["whose cost is none", () => limitsOf([api], () => 0), "invalid_cost", "cost of call: expected a whole number, 1 or more, got 0"],
    [
      "whose cost is a fraction",
      () => limitsOf([api], () => 0.5),
      "invalid_cost",
      "cost of call: expected a whole number, 1 or more, got 0.5",
    ],
    [
      "whose cost is above the limit",
      () => limitsOf([api()], () => 11),
      "cost_above_limit",
      "submit call: expected a cost of at most 10, which is all that gate api ever lets pass at once, got 11; lower the cost or raise the limit",
    ],
    [
      "whose cost is above the slots, where there are slots alone",
      () => limitsOf([slots], () => 4),
      "cost_above_limit",
      "submit call: expected a cost of at most 3, which is all that gate slots ever lets pass at once, got 4; lower the cost or raise the limit",
    ],
    [
      "whose cost is above the rate, however many slots there are",
      () => limitsOf(() => [big("x", { cost: 11 })]),
      "cost_above_limit",
      "submit call: expected a cost of at most 10, which is all that gate big/x ever lets pass at once, got 11; lower the cost or raise the limit",
    ],
  ]
  for (const [name, define, code, message] of refused) {
    it(name, async () => {
      const queue = await openQueue()
      await refuses(queue, () => queue.submit(define() as never, "nonsense" as never), { code, message })
    })
  }

  it("whose cost may pass the rate, but not the slots, is not: a task takes one slot", async () => {
    const queue = await openQueue()
    ok(await queue.submit(limitsOf(() => [big("x", { cost: 10 })]) as never, null as never))
  })

  it("whose cost an override allows is not", async () => {
    const queue = await openQueue()
    const call = defineTask("call", { limits: [api], cost: (n: number) => n, run })
    await queue.submit(call, 1)
    await queue.limits.set("api", { rate: "20/10s" })
    ok(await queue.submit(call, 20))
    await rejects(queue.submit(call, 21), { code: "cost_above_limit" })
  })

  const byHand: readonly (readonly [unknown, ErrorCode, string])[] = [
    [
      ["nobody/x"],
      "unknown_limit",
      'submit mail: expected a limit that some code has declared, got "nobody"; define it with defineLimit and start what uses it, or see which there are with "sluice limits ls"',
    ],
    [[], "invalid_option", "submit mail: gates: expected at least one gate, got none; leave it out to have a worker say which"],
    ["api/x", "invalid_option", 'submit mail: gates: expected an array of gates such as ["limit/key"], got "api/x"'],
    [["api/"], "invalid_name", 'submit mail: gates[0]: key: expected 1 to 512 characters without control characters, got ""'],
    [
      ["api/a\u0007"],
      "invalid_name",
      'submit mail: gates[0]: key: expected 1 to 512 characters without control characters, got "a\\u0007"',
    ],
    [
      [`api/${"x".repeat(513)}`],
      "invalid_name",
      `submit mail: gates[0]: key: expected 1 to 512 characters without control characters, got "${"x".repeat(57)}..."`,
    ],
    [[{ limit: "api", cost: 0 }], "invalid_cost", "submit mail: gates[0]: cost: expected a whole number, 1 or more, got 0"],
    [[{ limt: "api" }], "invalid_option", 'submit mail: gates[0]: unknown option "limt"; did you mean "limit"?'],
    [[5], "invalid_option", 'submit mail: gates[0]: expected "limit/key" or { limit, key, cost }, got 5'],
    [
      ["api", "api"],
      "invalid_option",
      "submit mail: gates: expected each gate once, got api twice; give it once, with the sum of the costs",
    ],
  ]
  for (const [gates, code, message] of byHand) {
    it(`by hand: ${message}`, async () => {
      const queue = await openQueue()
      await refuses(queue, () => queue.submit("mail", {}, { gates: gates as never }), { code, message })
    })
  }

  it("that has a definition and gates by hand", async () => {
    const queue = await openQueue()
    await refuses(queue, () => queue.submit(defineTask("mail", { run }), {}, { gates: ["api"] }), {
      code: "invalid_option",
      message: "submit mail: gates: expected none beside a definition, whose limits say which; submit by name to give them by hand",
    })
  })

  it("when two limits of one name have different policies", async () => {
    const queue = await openQueue()
    await queue.submit(defineTask("one", { limits: [api], run }), {})
    const other = defineLimit("api", { rate: "5/10s", concurrency: 2 })
    const message =
      'limit "api": expected one policy for each name, got 5/10s (unknown, slack 500ms), 2 at once beside 10/10s (sliding); define it once and share it, or give the other another name'
    await refuses(queue, () => queue.submit(defineTask("two", { limits: [other], run }), {}), { code: "limit_conflict", message })
    await refuses(queue, () => queue.submit(defineTask("two", { limits: () => [other()], run }), {}), { code: "limit_conflict", message })
    await rejects(async () => queue.worker([defineTask("two", { limits: [other], run })]), { code: "limit_conflict", message })
    ok(await queue.submit(defineTask("two", { limits: [defineLimit("api", { rate: "10/10s", provider: "sliding" })], run }), {}))
  })
})

describe("the flow of a task", () => {
  const mail = defineTask("mail", { input: z.object({ tenant: z.string() }), fairBy: ({ tenant }) => tenant, run })
  const flow = async (queue: Queue, id: string) => (await queue.store.get({ ids: [id] })).tasks[0]?.flow

  it("is what fairBy says, unless one is given; else its type", async () => {
    const queue = await openQueue()
    const tasks = [
      await queue.submit(mail, { tenant: "a" }),
      await queue.submit(mail, { tenant: "a" }, { flow: "b" }),
      await queue.submit(defineTask("other", { run }), {}),
    ]
    deepEqual(await Promise.all(tasks.map(({ id }) => flow(queue, id))), ["a", "b", "other"])
  })

  it("that is none is refused", async () => {
    const queue = await openQueue()
    await refuses(queue, () => queue.submit(mail, { tenant: "" }), {
      code: "invalid_name",
      message: 'fairBy of mail: expected 1 to 512 characters without control characters, got ""',
    })
  })
})

describe("a task says", () => {
  const call = defineTask("call", { limits: [api], run })

  it("when it is expected to start, at submission and when it is looked at", async () => {
    const queue = await openQueue()
    const tasks = await queue.submitMany(
      call,
      Array.from({ length: 25 }, (_, i) => i),
    )
    const now = await queue.now()
    const seconds = (at: Date | null) => at && Math.round((at.getTime() - now.getTime()) / 1_000)
    deepEqual(
      [0, 9, 10, 20].map((i) => seconds(tasks[i]?.estimatedStartAt ?? null)),
      [0, 0, 10, 20],
    )
    deepEqual([tasks[0]?.forecast?.basis, tasks[20]?.forecast?.basis, tasks[20]?.forecast?.gate], ["now", "rate", "api"])
    const again = await queue.get(tasks[20]?.id ?? "")
    deepEqual(again?.estimatedStartAt, tasks[20]?.estimatedStartAt)
    const document = tasks[20]?.toJSON() as unknown as Record<string, unknown>
    deepEqual(document.gates, ["api"])
    match(String(document.estimated_start_at), /^2026-01-28T12:00:20/)
  })

  it("that it will expire before it starts", async () => {
    const queue = await openQueue()
    const tasks = await queue.submitMany(
      call,
      Array.from({ length: 11 }, (_, i) => i),
      { ttl: "5s" },
    )
    equal(tasks[9]?.warning, null)
    match(
      tasks[10]?.warning ?? "",
      /^expected to start at 2026-01-28T12:00:10\S* \(held by api\), not before it expires at 2026-01-28T12:00:05Z: it will expire instead, unless something changes$/,
    )
  })

  it("so too where both times are the same, for a task is expired at that time", async () => {
    const queue = await openQueue()
    const tasks = await queue.submitMany(
      call,
      Array.from({ length: 11 }, (_, i) => i),
      { ttl: "10s" },
    )
    deepEqual(tasks[10]?.estimatedStartAt, tasks[10]?.expiresAt)
    ok(tasks[10]?.warning)
  })

  it("nothing of its start once it is not pending", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit(call, 1)
    const task = await queue.cancel(id)
    deepEqual([task.forecast, task.estimatedStartAt, task.warning], [null, null, null])
    deepEqual((await queue.get(id))?.forecast, null)
  })
})

describe("connect", () => {
  it("gives each queue declarations of its own", async () => {
    const [one, two] = [await connect("memory:"), await connect("memory:")]
    await one.submit(defineTask("a", { limits: [api], run }), {})
    await two.submit(defineTask("a", { limits: [defineLimit("api", { rate: "1/1s" })], run }), {})
    await Promise.all([one.close(), two.close()])
  })
})

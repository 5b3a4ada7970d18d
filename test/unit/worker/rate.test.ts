// Limits at work: what starts when, which processes know of them, and what was submitted without the code.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { z } from "zod"
import { defineLimit, defineTask, RateLimitError } from "../../../src/index.ts"
import type { HelloRequest, RouteRequest, Store } from "../../../src/store/index.ts"
import { type TestQueue, testQueue } from "../../../src/testing/test-queue.ts"
import { throughCalls } from "../../../src/testing/through-calls.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { sleep } from "../../../src/world/index.ts"
import { found, HeldAnswers, Tap, takes } from "./kit.ts"

const count = (n: number) => Array.from({ length: n }, (_, i) => i)

/** The most that started in any interval of this length. */
function densest(times: readonly number[], windowMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length))
}

function hellos(tap: Tap): HelloRequest[] {
  return tap.calls.flatMap(({ operation, request }) => (operation === "hello" ? [request as HelloRequest] : []))
}

describe("a rate", () => {
  for (const provider of ["unknown", "sliding", "fixed", "bucket"] as const) {
    it(`is kept, and all tasks run in the end (${provider})`, async () => {
      const starts: number[] = []
      const api = defineLimit("api", { rate: "5/10s", provider })
      const call = defineTask("call", {
        limits: [api],
        run: async (_input: number, context) => {
          starts.push(context.queue.world.monotonicMs())
          await takes(context, 300)
        },
      })
      const queue = await testQueue([call], { worker: { concurrency: 50 } })
      await queue.submitMany(call, count(23))
      await queue.advance("2m")
      equal((await queue.counts()).completed, 23)
      // A bucket lets its burst pass, and then as much as flows in; a fixed window ends where the next one begins.
      const most = provider === "sliding" || provider === "unknown" ? 5 : 10
      ok(densest(starts, 10_000) <= most, `expected at most ${most} in 10s, got ${densest(starts, 10_000)}`)
      await queue.close()
    })
  }

  it("holds for each key by itself, and a task with two gates waits for both", async () => {
    const ran: string[] = []
    const perHost = defineLimit("per-host", { rate: "1/10s", provider: "sliding" })
    const all = defineLimit("all", { rate: "3/10s", provider: "sliding" })
    const call = defineTask("call", { limits: (host: string) => [perHost(host), all()], run: (host: string) => void ran.push(host) })
    const queue = await testQueue([call])
    await queue.submitMany(call, ["a", "a", "b", "c", "d"])
    await queue.world.settle()
    deepEqual([...ran].sort(), ["a", "b", "c"])
    await queue.advance("10s")
    deepEqual(ran.slice(3).sort(), ["a", "d"])
    await queue.close()
  })

  it("of a concurrency is never exceeded", async () => {
    let running = 0
    let most = 0
    const slots = defineLimit("slots", { concurrency: 3 })
    const call = defineTask("call", {
      limits: [slots],
      run: async (_input: number, context) => {
        most = Math.max(most, ++running)
        await takes(context, 1_000)
        running--
      },
    })
    const queue = await testQueue([call], { worker: { concurrency: 50 } })
    await queue.submitMany(call, count(10))
    await queue.advance("3999ms")
    equal((await queue.counts()).completed, 9)
    await queue.advance("1s")
    deepEqual([(await queue.counts()).completed, most], [10, 3])
    await queue.close()
  })

  it("wakes the worker exactly when the gate opens, with no call in between", async () => {
    const tap = new Tap()
    const starts: number[] = []
    const api = defineLimit("api", { rate: "1/20s", provider: "sliding" })
    const call = defineTask("call", { limits: [api], run: (_input: number, { queue }) => void starts.push(queue.world.monotonicMs()) })
    const queue = await testQueue([call], { through: tap.through, worker: { sweep: "1h" } })
    await queue.submitMany(call, [1, 2])
    await queue.world.settle()
    tap.calls.length = 0
    await queue.advance("19999ms")
    deepEqual(tap.calls, [])
    await queue.advance("1ms")
    deepEqual(starts, [0, 20_000])
    await queue.close()
  })

  it("gives back a task that was claimed too late to start: its slot returns, its charge stays", async () => {
    const answers = new HeldAnswers()
    let runs = 0
    const api = defineLimit("api", { rate: "10/10s", provider: "sliding", concurrency: 1 })
    const call = defineTask("call", { limits: [api], run: () => ++runs })
    const queue = await testQueue([call], { through: answers.through })
    await queue.world.settle()
    answers.hold()
    const task = await queue.submit(call, 1)
    await queue.advance("251ms")
    equal((await found(queue, task)).status, "running")
    answers.release()
    await queue.world.settle()
    deepEqual(
      (await queue.history(task.id)).map(({ event, reason }) => reason ?? event),
      ["created", "claimed", "claimed too late to start", "claimed", "completed"],
    )
    equal(runs, 1)
    const [gate] = (await queue.limits.gates("api")).gates
    deepEqual([gate?.levels[0]?.used, gate?.slots?.held], [2, 0])
    await queue.close()
  })

  it("gives it back too where a copy of the request has claimed it long before the request itself was answered", async () => {
    let isDoubled = false
    const api = defineLimit("api", { rate: "10/10s", provider: "sliding" })
    const call = defineTask("call", { limits: [api], run: () => {} })
    const world = new VirtualWorld()
    const through = (store: Store) =>
      throughCalls(store, async (operation, request, carryOut) => {
        if (operation !== "exchange" || !isDoubled) return carryOut(request)
        isDoubled = false
        await carryOut(request)
        await sleep(world, 300)
        return carryOut(request)
      })
    const queue = await testQueue([call], { world, through })
    await world.settle()
    isDoubled = true
    const task = await queue.submit(call, 1)
    await queue.advance("300ms")
    deepEqual(
      (await queue.history(task.id)).map(({ event, reason }) => reason ?? event),
      ["created", "claimed", "claimed too late to start", "claimed", "completed"],
    )
    await queue.close()
  })
})

describe("hello", () => {
  const api = defineLimit("api", { rate: "10/10s" })
  const listed = defineTask("listed", { limits: [api], run: () => null })
  const computed = defineTask("computed", { limits: (key: string) => [api(key)], run: () => null })
  const free = defineTask("free", { run: () => null })

  it("is said before the first claim, with every type and its limits", async () => {
    const tap = new Tap()
    const queue = await testQueue([listed, computed, free], { through: tap.through, worker: { id: "worker-1" } })
    await queue.world.settle()
    const operations = tap.calls.map(({ operation }) => operation).filter((operation) => operation !== "sweep")
    deepEqual(operations.slice(0, 2), ["hello", "exchange"])
    deepEqual(hellos(tap)[0], {
      workerId: "worker-1",
      types: [
        { type: "listed", limits: ["api"] },
        { type: "computed", limits: ["*"] },
        { type: "free", limits: [] },
      ],
      limits: [{ name: "api", policy: api.policy }],
    })
    await queue.close()
  })

  it("is repeated about every 30 seconds, never in step, with what was learned meanwhile, and stops with the worker", async () => {
    const tap = new Tap()
    const times: number[] = []
    const queue = await testQueue([computed], { through: tap.through })
    tap.spoil = (operation) => {
      if (operation === "hello") times.push(queue.world.monotonicMs())
      return null
    }
    await queue.submit(computed, "x")
    await queue.advance("10m")
    const gaps = times.slice(2).map((time, i) => time - (times[i + 1] ?? 0))
    ok(gaps.length >= 15 && gaps.length <= 26, `expected about 20, got ${gaps.length}`)
    ok(gaps.every((gap) => gap >= 24_000 && gap <= 36_000))
    ok(Math.max(...gaps) - Math.min(...gaps) > 4_000, "expected them to be spread out")
    deepEqual(hellos(tap).at(-1)?.types, [{ type: "computed", limits: ["api"] }])
    await queue.close()
    times.length = 0
    await queue.world.advance(120_000)
    deepEqual(times, [])
  })

  it("that does not arrive holds up nothing", async () => {
    const tap = new Tap()
    const queue = await testQueue([free], { through: tap.through })
    await queue.world.settle()
    tap.spoil = (operation) => (operation === "hello" ? "hang" : null)
    await queue.advance("5m")
    const task = await queue.submit(free, null)
    await queue.world.settle()
    equal((await found(queue, task)).status, "completed")
    tap.comeBack()
    await queue.close()
  })

  it("is awaited at the start, however long the store is away", async () => {
    const tap = new Tap()
    tap.spoil = (operation) => (operation === "hello" ? "refuse" : null)
    const queue = await testQueue([free], { through: tap.through })
    await queue.advance("1m")
    equal(tap.exchanges.length, 0)
    tap.comeBack()
    await queue.advance("5s")
    ok(tap.exchanges.length > 0)
    await queue.close()
  })
})

describe("a task that was submitted without the code", () => {
  const api = defineLimit("api", { rate: "2/10s", provider: "sliding" })
  const schema = z.object({ url: z.string(), n: z.number().default(0) })
  const ran: number[] = []
  const call = defineTask("call", {
    input: schema,
    limits: ({ url }) => [api(new URL(url).host)],
    fairBy: ({ url }) => url,
    run: ({ n }) => void ran.push(n),
  })
  const url = "https://example.com/"
  const flows = async (queue: TestQueue, ids: readonly string[]) => (await queue.store.get({ ids })).tasks.map((task) => task?.flow)

  it("is routed by a worker that has it, and then held like any other", async () => {
    ran.length = 0
    const queue = await testQueue([call])
    const tasks = await queue.submitMany(
      "call",
      count(5).map((n) => ({ url, n })),
    )
    equal(tasks[0]?.gates, null)
    await queue.world.settle()
    deepEqual((await found(queue, tasks[0] ?? { id: "" })).gates, ["api/example.com"])
    deepEqual(
      await flows(
        queue,
        tasks.slice(0, 1).map(({ id }) => id),
      ),
      [url],
    )
    deepEqual(ran, [0, 1])
    await queue.advance("21s")
    deepEqual(ran, [0, 1, 2, 3, 4])
    await queue.close()
  })

  it("keeps the flow that was given with it", async () => {
    const queue = await testQueue([call])
    const { id } = await queue.submit("call", { url }, { flow: "mine" })
    await queue.world.settle()
    deepEqual(await flows(queue, [id]), ["mine"])
    await queue.close()
  })

  it("fails with the reason where its gates cannot be told", async () => {
    const costly = defineTask("costly", { limits: [api], cost: (n: number) => n, run: () => null })
    const queue = await testQueue([call, costly])
    const tasks = [
      await queue.submit("call", { url: 5 }),
      await queue.submit("call", { url: "nonsense" }),
      await queue.submit("costly", 3),
      await queue.submit("costly", -1),
    ]
    await queue.world.settle()
    const ends = await Promise.all(tasks.map((task) => found(queue, task)))
    deepEqual(
      ends.map(({ status }) => status),
      ["failed", "failed", "failed", "failed"],
    )
    match(ends[0]?.lastError ?? "", /^input of call: url: /)
    equal(ends[1]?.lastError, "limits of call: expected a function that takes this input, but it threw: Invalid URL")
    equal(
      ends[2]?.lastError,
      "route: expected a cost of at most 2, which is all that gate api ever lets pass at once, got 3; lower the cost or raise the limit",
    )
    equal(ends[3]?.lastError, "cost of costly: expected a whole number, 1 or more, got -1")
    await queue.close()
  })

  it("is routed in batches, one routing at a time, until there is none left", async () => {
    const tap = new Tap()
    const wide = defineLimit("wide", { rate: "100000/1s", provider: "sliding" })
    const many = defineTask("many", { limits: () => [wide()], run: () => null })
    const queue = await testQueue([many], { through: tap.through, worker: { concurrency: 500 } })
    await queue.world.settle()
    await queue.submitMany("many", count(250))
    await queue.world.settle()
    await queue.advance("2s")
    equal((await queue.counts()).completed, 250)
    const routes = tap.calls.flatMap(({ operation, request }) => (operation === "route" ? [(request as RouteRequest).routes.length] : []))
    deepEqual(routes, [100, 100, 50])
    await queue.close()
  })

  it("is routed when the store is back, without further news", async () => {
    const tap = new Tap()
    const queue = await testQueue([call], { through: tap.through })
    await queue.world.settle()
    tap.spoil = (operation) => (operation === "route" ? "refuse" : null)
    const task = await queue.submit("call", { url })
    await queue.advance("30s")
    equal((await found(queue, task)).gates, null)
    tap.comeBack()
    await queue.advance("10s")
    equal((await found(queue, task)).status, "completed")
    await queue.close()
  })

  it("of a type without limits needs no routing", async () => {
    const tap = new Tap()
    const free = defineTask("free", { run: () => "done" })
    const queue = await testQueue([free], { through: tap.through })
    await queue.world.settle()
    const task = await queue.submit("free", null)
    deepEqual(task.gates, [])
    await queue.drain()
    equal(tap.calls.filter(({ operation }) => operation === "route").length, 0)
    await queue.close()
  })
})

describe("a task that the other side refused", () => {
  const steps = [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
  const withJitter = (ms: number, baseMs: number) => ms >= baseMs && ms <= baseMs * 1.1 + 2

  it("closes its gate for as long as was asked, for others too, and keeps its place", async () => {
    const ran: string[] = []
    let refuses = true
    const api = defineLimit("api", { rate: "1000/1s", concurrency: 1 })
    const call = defineTask("call", {
      limits: [api],
      run: (name: string) => {
        ran.push(name)
        if (!refuses) return
        refuses = false
        throw new RateLimitError({ retryAfter: "20s", status: 429, message: "slow down" })
      },
    })
    const queue = await testQueue([call], { worker: { concurrency: 5 } })
    const cooling: unknown[] = []
    queue.ownWorker.on("gate.cooling", (event) => cooling.push(event))
    const [first] = await queue.submitMany(call, ["a", "b"])
    ok(first)
    await queue.advance("19s")
    const waiting = await found(queue, first)
    deepEqual([waiting.status, waiting.throttleCount, waiting.retryCount, waiting.lastError], ["pending", 1, 0, "slow down"])
    deepEqual(cooling, [
      {
        ...{ id: first.id, type: "call", limit: null, retryAfterMs: 20_000, status: 429 },
        ...{ attempt: 1, backoffMs: 20_000, error: "slow down" },
      },
    ])
    match((await queue.explain(first.id)).text, /it cools down until 2026-01-28T12:00:2\d\S*, because the other side said "too fast"/)
    deepEqual(ran, ["a"])
    await queue.advance("4s")
    deepEqual(ran, ["a", "a", "b"])
    await queue.close()
  })

  it("closes its gate ever longer where nothing was asked for", async () => {
    const starts: number[] = []
    const api = defineLimit("api", { rate: "1000/10s" })
    const call = defineTask("call", {
      limits: [api],
      run: (_input: null, { queue }) => {
        starts.push(queue.world.monotonicMs())
        throw new RateLimitError()
      },
    })
    const queue = await testQueue([call])
    await queue.submit(call, null)
    await queue.advance("95s")
    const gaps = starts.slice(1).map((time, i) => time - (starts[i] ?? 0))
    deepEqual(
      gaps.map((gap, i) => withJitter(gap, steps[i] ?? 0)),
      gaps.map(() => true),
      `${gaps}`,
    )
    ok(gaps.length >= 5)
    await queue.close()
  })

  it("closes the gates of the limit that it names, and no others", async () => {
    const ran: string[] = []
    const [one, two] = [defineLimit("one", { concurrency: 9 }), defineLimit("two", { concurrency: 9 })]
    const first = defineTask("first", {
      limits: [one, two],
      maxThrottles: 0,
      run: () => {
        throw new RateLimitError({ limit: "one", retryAfter: "1h" })
      },
    })
    const byOne = defineTask("by-one", { limits: [one], run: () => void ran.push("one") })
    const byTwo = defineTask("by-two", { limits: [two], run: () => void ran.push("two") })
    const queue = await testQueue([first, byOne, byTwo])
    const task = await queue.submit(first, null)
    await queue.world.settle()
    const { status, lastError } = await found(queue, task)
    deepEqual([status, lastError], ["failed", "Max throttles (0) exceeded, last upstream status 429"])
    await queue.submit(byOne, null)
    await queue.submit(byTwo, null)
    await queue.advance("59m")
    deepEqual(ran, ["two"])
    await queue.close()
  })

  it("waits alone where it passes no gate: as asked, else ever longer", async () => {
    for (const retryAfter of ["7s", undefined]) {
      const starts: number[] = []
      const call = defineTask("call", {
        run: (_input: null, { queue }) => {
          starts.push(queue.world.monotonicMs())
          throw new RateLimitError(retryAfter === undefined ? {} : { retryAfter })
        },
      })
      const other = defineTask("other", { run: () => "done" })
      const queue = await testQueue([call, other])
      await queue.submit(call, null)
      await queue.world.settle()
      const free = await queue.submit(other, null)
      await queue.world.settle()
      equal((await found(queue, free)).status, "completed")
      await queue.advance("95s")
      const gaps = starts.slice(1).map((time, i) => time - (starts[i] ?? 0))
      deepEqual(
        gaps.map((gap, i) => withJitter(gap, retryAfter === undefined ? (steps[i] ?? 0) : 7_000)),
        gaps.map(() => true),
        `${gaps}`,
      )
      ok(gaps.length >= 5)
      await queue.close()
    }
  })
})

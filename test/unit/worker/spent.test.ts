// ctx.spent, and the ages that a settle carries.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { type Context, defineLimit, defineTask, PermanentError, RateLimitError } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found, never, Tap, takes } from "./kit.ts"

const tokens = defineLimit("tokens", { rate: "100/10s", provider: "sliding" })
const api = defineLimit("api", { rate: "100/10s", provider: "sliding" })
const level = async (queue: { limits: { gates(name: string): Promise<{ gates: readonly { levels: readonly { used: number }[] }[] }> } }) =>
  (await queue.limits.gates("tokens")).gates[0]?.levels[0]?.used

describe("ctx.spent", () => {
  it("corrects what was charged, up and down, whatever the outcome", async () => {
    const ends: Readonly<Record<string, () => unknown>> = {
      value: () => "done",
      error: () => {
        throw new Error("broken")
      },
      permanent: () => {
        throw new PermanentError("broken")
      },
      refused: () => {
        throw new RateLimitError({ retryAfter: "1h" })
      },
    }
    for (const [name, end] of Object.entries(ends)) {
      for (const actual of [0, 3, 40]) {
        const call = defineTask("call", {
          limits: [tokens],
          cost: 10,
          run: (_input: null, context) => {
            context.spent(99)
            context.spent(actual)
            return end()
          },
        })
        const queue = await testQueue([call], { worker: { backoff: { base: "1h", cap: "1h" } } })
        await queue.submit(call, null)
        await queue.world.settle()
        equal(await level(queue), actual, `${name}, ${actual}`)
        await queue.close()
      }
    }
  })

  it("lets more start than what was reserved would have", async () => {
    let runs = 0
    const call = defineTask("call", {
      limits: [tokens],
      cost: 50,
      run: (_input: number, context) => {
        runs++
        context.spent(10)
      },
    })
    const queue = await testQueue([call], { worker: { concurrency: 1 } })
    await queue.submitMany(call, [1, 2, 3, 4, 5, 6, 7])
    await queue.advance("5s")
    equal(runs, 6)
    await queue.close()
  })

  it("is of the only gate, or of the only one that costs more than 1, or of the one that is named", async () => {
    const tap = new Tap()
    const call = defineTask("call", {
      limits: (cost: number) => [api("a"), tokens("t", { cost })],
      run: (cost: number, context) => {
        if (cost > 1) context.spent(5)
        context.spent(2, { limit: api })
        context.spent(7, { limit: "tokens" })
      },
    })
    const queue = await testQueue([call], { through: tap.through })
    await queue.submitMany(call, [9, 1])
    await queue.world.settle()
    deepEqual(
      tap.exchanges.flatMap(({ settles }) => settles.map(({ spent }) => [...spent].sort((a, b) => (a.limit < b.limit ? -1 : 1)))),
      [1, 2].map(() => [
        { limit: "api", actual: 2 },
        { limit: "tokens", actual: 7 },
      ]),
    )
    await queue.close()
  })

  const refused: readonly (readonly [(context: Context<null>) => void, string])[] = [
    [(context) => context.spent(-1, { limit: api }), "task call: ctx.spent: expected a whole number, 0 or more, got -1"],
    [(context) => context.spent(1.5, { limit: api }), "task call: ctx.spent: expected a whole number, 0 or more, got 1.5"],
    [(context) => context.spent("3" as never, { limit: api }), 'task call: ctx.spent: expected a whole number, 0 or more, got "3"'],
    [
      (context) => context.spent(3),
      'task call: ctx.spent: expected a limit beside the number, such as { limit: "vendor-api" }, got a task that passes api, tokens',
    ],
    [
      (context) => context.spent(3, { limit: "other" }),
      'task call: ctx.spent: expected a limit that the task passes (api, tokens), got "other"',
    ],
    [(context) => context.spent(3, { limits: api } as never), 'task call: ctx.spent: unknown option "limits"; did you mean "limit"?'],
  ]
  for (const [spend, message] of refused) {
    it(`refuses: ${message}`, async () => {
      const call = defineTask("call", { limits: [api, tokens], maxRetries: 0, run: (_input: null, context) => spend(context) })
      const queue = await testQueue([call])
      const task = await queue.submit(call, null)
      await queue.drain()
      equal((await found(queue, task)).lastError, message)
      await queue.close()
    })
  }

  it("refuses where the task passes no gate at all", async () => {
    const call = defineTask("call", { maxRetries: 0, run: (_input: null, context) => context.spent(3) })
    const queue = await testQueue([call])
    const task = await queue.submit(call, null)
    await queue.drain()
    equal(
      (await found(queue, task)).lastError,
      'task call: ctx.spent: expected a limit beside the number, such as { limit: "vendor-api" }, got a task that passes none',
    )
    await queue.close()
  })
})

describe("a settle", () => {
  const settles = (tap: Tap) => tap.exchanges.flatMap((exchange) => exchange.settles)

  it("tells how long ago the run began and ended, of the moment it is sent", async () => {
    const tap = new Tap()
    const call = defineTask("call", { limits: [api], run: (_input: null, context) => takes(context, 700) })
    const queue = await testQueue([call], { through: tap.through, worker: { sweep: "1h" } })
    await queue.submit(call, null)
    await queue.advance("1s")
    const [{ sentAgoMs, respondedAgoMs, rttMs, spent } = {}] = settles(tap)
    deepEqual({ sentAgoMs, respondedAgoMs, rttMs, spent }, { sentAgoMs: 700, respondedAgoMs: 0, rttMs: null, spent: [] })
    await queue.close()
  })

  it("that is told again has grown older", async () => {
    const tap = new Tap()
    const call = defineTask("call", { limits: [api], run: () => "done" })
    const queue = await testQueue([call], { through: tap.through, worker: { sweep: "1h", lease: "3s" } })
    await queue.world.settle()
    tap.spoilOnce("hang", (request) => request.settles.length > 0)
    await queue.submit(call, null)
    await queue.advance("5s")
    const [first, second] = settles(tap)
    deepEqual([first?.sentAgoMs, first?.respondedAgoMs], [0, 0])
    ok((second?.sentAgoMs ?? 0) >= 1_000, `expected the deadline of the first call to have passed, got ${second?.sentAgoMs}`)
    equal(second?.respondedAgoMs, second?.sentAgoMs)
    await queue.close()
  })

  it("of a handler that has not ended tells of no answer", async () => {
    const tap = new Tap()
    const call = defineTask("call", { limits: [api], timeout: "2s", maxRetries: 0, run: never })
    const queue = await testQueue([call], { through: tap.through })
    await queue.submit(call, null)
    await queue.advance("3s")
    const [{ sentAgoMs, respondedAgoMs } = {}] = settles(tap)
    deepEqual({ sentAgoMs, respondedAgoMs }, { sentAgoMs: 2_000, respondedAgoMs: null })
    await queue.close()
  })
})

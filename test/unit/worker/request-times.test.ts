// When a request went out and when its answer came: told to the store as ages, so that a charge moves to when the other side can have
// counted it.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../../src/index.ts"
import type { SettleRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { Tap, takes } from "./kit.ts"
import { OtherSide } from "./other-side.ts"

const url = "http://other.test/"
const tokens = defineLimit("tokens", { rate: "100/10s", provider: "sliding" })
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

  it("are told with the settle, as ages", async () => {
    const tap = new Tap()
    const other = new OtherSide({ afterMs: 100, headers: { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59" } })
    const queue = await testQueue([watched], { world: other.world, through: tap.through })
    await queue.submit(watched, null)
    await queue.advance("1s")
    const [settle] = settlesOf(tap)
    deepEqual([settle?.sentAgoMs, settle?.respondedAgoMs, settle?.rttMs], [470, 370, null])
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

  it("tell how long it takes at the least, once so many were answered that it can be relied on", async () => {
    const tap = new Tap()
    const fast = defineLimit("fast", { rate: "100/1s" })
    const call = defineTask("call", { limits: [fast], run: (_input: null, context) => context.fetch(url).then(() => null) })
    const queue = await testQueue([call], { world: new OtherSide({ afterMs: 300 }, { afterMs: 80 }).world, through: tap.through })
    for (let i = 0; i < 12; i++) {
      await queue.submit(call, null)
      await queue.advance("1s")
    }
    deepEqual(
      settlesOf(tap).map(({ rttMs }) => rttMs),
      [...new Array(10).fill(null), 80, 80],
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
    // Sent after 30 ms, answered after 130 ms: counted by then. How much sooner is not known after one answer.
    equal(await opensAfterMs(watched), 10_130)
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
    deepEqual([settle?.sentAgoMs, settle?.respondedAgoMs, settle?.rttMs], [107, 7, null])
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

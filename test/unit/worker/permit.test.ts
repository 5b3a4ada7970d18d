// ctx.permit: one more request by a running task.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { type Context, defineLimit, defineTask } from "../../../src/index.ts"
import type { SettleRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found, Tap, takes } from "./kit.ts"

const api = defineLimit("api", { rate: "2/10s", provider: "sliding" })

/** Makes so many requests, the first of which the claim has paid for. */
async function request(context: Context, times: number[], count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i > 0) await context.permit(api)
    times.push(context.queue.world.monotonicMs())
  }
}

describe("ctx.permit", () => {
  it("resolves when the request may go out, and all of them keep the rate", async () => {
    const times: number[] = []
    const call = defineTask("call", { limits: [api], run: (_input: number, context) => request(context, times, 5) })
    const queue = await testQueue([call])
    const task = await queue.submit(call, 0)
    await queue.advance("19s")
    equal((await found(queue, task)).status, "running")
    await queue.advance("2s")
    equal((await found(queue, task)).status, "completed")
    deepEqual(
      times.map((ms) => Math.floor(ms / 1_000)),
      [0, 0, 10, 10, 20],
    )
    await queue.close()
  })

  it("counts against the tasks that wait, and they against it", async () => {
    const times: number[] = []
    const call = defineTask("call", { limits: [api], run: (_input: number, context) => request(context, times, 3) })
    const queue = await testQueue([call])
    await queue.submitMany(call, [1, 2, 3, 4])
    await queue.advance("2m")
    equal((await queue.counts()).completed, 4)
    for (const from of times) ok(times.filter((at) => at >= from && at < from + 10_000).length <= 2, `more than 2 in 10s from ${from}`)
    await queue.close()
  })

  it("takes a cost", async () => {
    const times: number[] = []
    const call = defineTask("call", {
      limits: [api],
      run: async (_input: null, context) => {
        await context.permit("api", { cost: 2 })
        times.push(context.queue.world.monotonicMs())
      },
    })
    const queue = await testQueue([call])
    await queue.submit(call, null)
    await queue.advance("11s")
    deepEqual(times, [10_000])
    await queue.close()
  })

  it("moves the time of the last request that the settle tells of", async () => {
    const tap = new Tap()
    const call = defineTask("call", {
      limits: [api],
      cost: 2,
      run: async (_input: null, context) => {
        await context.permit(api)
        await takes(context, 250)
      },
    })
    const queue = await testQueue([call], { through: tap.through })
    await queue.submit(call, null)
    await queue.advance("11s")
    const settles: SettleRequest[] = tap.exchanges.flatMap((exchange) => exchange.settles)
    deepEqual([settles[0]?.sentAgoMs, settles[0]?.respondedAgoMs], [250, 0])
    await queue.close()
  })

  it("waits while the gate is paused, and goes on soon after it is not", async () => {
    const times: number[] = []
    const call = defineTask("call", { limits: [api], run: (_input: number, context) => request(context, times, 2) })
    const queue = await testQueue([call])
    await queue.world.settle()
    // Paused between the claim and the permit.
    const permit = queue.store.permit.bind(queue.store)
    let asks = 0
    Object.assign(queue.store, {
      permit: async (asked: never) => {
        if (++asks === 1) await queue.limits.pause("api")
        return permit(asked)
      },
    })
    await queue.submit(call, 0)
    await queue.advance("7s")
    deepEqual(times, [0])
    await queue.limits.resume("api")
    await queue.advance("5s")
    equal(times.length, 2)
    ok((times[1] ?? 0) >= 7_000, `got ${times[1]}`)
    await queue.close()
  })

  it("that would come too late is asked for again, not charged ahead", async () => {
    const slow = defineLimit("slow", { rate: "1/10m", provider: "sliding" })
    const times: number[] = []
    const call = defineTask("call", {
      limits: [slow],
      timeout: "1h",
      run: async (_input: null, context) => {
        await context.permit(slow)
        times.push(context.queue.world.monotonicMs())
      },
    })
    const queue = await testQueue([call])
    await queue.submit(call, null)
    await queue.advance("9m")
    equal((await queue.limits.gates("slow")).gates[0]?.levels[0]?.used, 1)
    await queue.advance("2m")
    deepEqual(times, [600_000])
    await queue.close()
  })

  it("is asked for again when the store was away, and holds up no shutdown", async () => {
    const tap = new Tap()
    const times: number[] = []
    const call = defineTask("call", { limits: [api], run: (_input: number, context) => request(context, times, 2) })
    const queue = await testQueue([call], { through: tap.through })
    tap.spoil = (operation) => (operation === "permit" ? "refuse" : null)
    await queue.submit(call, 0)
    await queue.advance("5s")
    equal(times.length, 1)
    tap.comeBack()
    await queue.advance("6s")
    equal(times.length, 2)
    tap.spoil = (operation) => (operation === "permit" ? "hang" : null)
    const task = await queue.submit(call, 0)
    await queue.advance("15s")
    await queue.close()
    equal((await found(queue, task)).status, "pending")
  })

  for (const [reason, stop] of [
    ["cancelled", "cancel"],
    ["timeout", "wait"],
  ] as const) {
    it(`rejects when the run is asked to stop: ${reason}`, async () => {
      const thrown: unknown[] = []
      const slow = defineLimit("slow", { rate: "1/1h", provider: "sliding" })
      const call = defineTask("call", {
        limits: [slow],
        timeout: "1m",
        run: async (_input: null, context) => {
          await context.permit(slow).catch((error) => {
            thrown.push(error === context.signal.reason, (error as { code: string }).code)
            throw error
          })
        },
      })
      const queue = await testQueue([call])
      const { id } = await queue.submit(call, null)
      await queue.world.settle()
      if (stop === "cancel") await queue.cancel(id)
      await queue.advance("61s")
      deepEqual(thrown, [true, reason])
      await queue.close()
    })
  }

  const refused: readonly (readonly [(context: Context<null>) => Promise<void>, string])[] = [
    [
      (context) => context.permit("other"),
      'task call: ctx.permit: expected a limit that the task passes, got "other"; list it in the task\'s limits, so that its gate is known',
    ],
    [
      (context) => context.permit(api, { cost: 3 }),
      "task call: ctx.permit: expected a cost of at most 2, which is all that gate api ever lets pass at once, got 3; lower the cost or raise the limit",
    ],
    [(context) => context.permit(api, { cost: 0 }), "task call: ctx.permit: cost: expected a whole number, 1 or more, got 0"],
    [
      (context) => context.permit(undefined as never),
      'task call: ctx.permit: limit: expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":", got undefined',
    ],
  ]
  for (const [ask, message] of refused) {
    it(`refuses: ${message}`, async () => {
      const call = defineTask("call", { limits: [api], maxRetries: 0, run: (_input: null, context) => ask(context) })
      const queue = await testQueue([call])
      const task = await queue.submit(call, null)
      await queue.drain()
      equal((await found(queue, task)).lastError, message)
      await queue.close()
    })
  }
})

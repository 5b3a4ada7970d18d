// Answers may come from anyone: whatever they ask for, nobody closes a gate for ever.

import { ok } from "node:assert/strict"
import { it } from "node:test"
import { defineLimit, defineTask } from "../../src/index.ts"
import { onEveryStore } from "../seeds/stores.ts"
import { api, call, closedForMs, start, taskOf, url } from "./requests-kit.ts"

onEveryStore("a hostile answer to ctx.fetch", (open) => {
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
})

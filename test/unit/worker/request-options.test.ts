// Options of ctx.fetch and ctx.observe that make no sense are refused in words, before anything is sent.

import { deepEqual } from "node:assert/strict"
import { describe, it } from "node:test"
import { type Context, defineLimit, defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found } from "./kit.ts"
import { OtherSide } from "./other-side.ts"

const url = "http://other.test/"
const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

describe("the options of a request", () => {
  const refused: readonly (readonly [(context: Context<null>) => unknown, string])[] = [
    [
      (context) => context.fetch(url, undefined, { limit: "apy" }),
      'task wrong: ctx.fetch: expected a limit that the task passes (api), got "apy"',
    ],
    [(context) => context.fetch(url, undefined, { cost: 0 }), "task wrong: ctx.fetch: cost: expected a whole number, 1 or more, got 0"],
    [
      (context) => context.fetch(url, undefined, { blocking: [403, 1_000] }),
      "task wrong: ctx.fetch: blocking[1]: expected a whole number from 100 to 599, got 1000",
    ],
    [(context) => context.fetch(url, undefined, { blocking: 403 as never }), "task wrong: ctx.fetch: blocking: expected an array, got 403"],
    [
      (context) => context.fetch(url, undefined, { onRefusal: "retrun" as never }),
      'task wrong: ctx.fetch: onRefusal: expected throw, return, got "retrun"; did you mean "return"?',
    ],
    [
      (context) => context.fetch(url, undefined, { limt: api } as never),
      'task wrong: ctx.fetch: unknown option "limt"; did you mean "limit"?',
    ],
    [(context) => context.fetch(url, undefined, "api" as never), 'task wrong: ctx.fetch: expected an object of options, got "api"'],
    [
      (context) => context.fetch(url, undefined, { limit: 7 as never }),
      'task wrong: ctx.fetch: limit: expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":", got 7',
    ],
    [
      (context) => context.observe(new Response(), { limit: "apy" }),
      'task wrong: ctx.observe: expected a limit that the task passes (api), got "apy"',
    ],
    [
      (context) => context.observe(new Response(), { cost: 1 } as never),
      'task wrong: ctx.observe: unknown option "cost"; known are limit, blocking, onRefusal',
    ],
  ]
  for (const [ask, message] of refused) {
    it(`refuses: ${message}`, async () => {
      const other = new OtherSide({})
      const wrong = defineTask("wrong", { limits: [api], maxRetries: 0, run: (_input: null, context) => ask(context) })
      const queue = await testQueue([wrong], { world: other.world })
      const task = await queue.submit(wrong, null)
      await queue.drain()
      deepEqual([(await found(queue, task)).lastError, other.asked.length], [message, 0])
      await queue.close()
    })
  }
})

// ctx.observe with the clients themselves, over real sockets: their responses, the errors that they throw, and the handler's signal.

import { deepEqual, equal, ok } from "node:assert/strict"
import { get, type IncomingMessage } from "node:http"
import { afterEach, describe, it } from "node:test"
import Anthropic from "@anthropic-ai/sdk"
import axios from "axios"
import OpenAI from "openai"
import { request } from "undici"
import { type Context, defineLimit, defineTask } from "../../src/index.ts"
import { testQueue } from "../../src/testing/test-queue.ts"
import { answering, type HttpSide, httpSide, inTurn, type Respond } from "./http-side.ts"

const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

const sides: HttpSide[] = []
afterEach(() => Promise.all(sides.splice(0).map((side) => side.close())))

async function other(respond: Respond): Promise<HttpSide> {
  const side = await httpSide(respond)
  sides.push(side)
  return side
}

/** For clients that throw what is not a success: the error is observed, and thrown if it was about something else. */
async function observed<T>(context: Context<string>, asked: Promise<T>): Promise<T> {
  const answer = await asked.catch((error) => {
    context.observe(error)
    throw error
  })
  context.observe(answer)
  return answer
}

const message = { model: "any", max_tokens: 1, messages: [{ role: "user" as const, content: "hello" }] }

const clients: Readonly<Record<string, (url: string, context: Context<string>) => Promise<unknown>>> = {
  "node:http": async (url, context) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(url, { signal: context.signal }, resolve).on("error", reject),
    )
    response.resume()
    context.observe(response)
  },
  undici: async (url, context) => {
    const response = await request(url, { signal: context.signal })
    await response.body.dump()
    context.observe(response)
  },
  axios: async (url, context) => {
    await observed(context, axios.get(url, { signal: context.signal }))
  },
  openai: async (url, context) => {
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 })
    await observed(context, client.chat.completions.create(message, { signal: context.signal }).withResponse())
  },
  anthropic: async (url, context) => {
    const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 })
    await observed(context, client.messages.create(message, { signal: context.signal }).withResponse())
  },
}

for (const [name, ask] of Object.entries(clients)) {
  describe(`ctx.observe with ${name}`, () => {
    const call = defineTask("call", { limits: [api], timeout: "1m", maxRetries: 0, run: ask })

    it("hears a 429: throttled, the gate closed for Retry-After, and completed later", async () => {
      const side = await other(inTurn(answering(429, { "retry-after": "30" }, { error: { message: "slow down" } }), answering(200)))
      const queue = await testQueue([call])
      const { id } = await queue.submit(call, side.url)
      await queue.drain()
      const task = await queue.get(id)
      deepEqual(
        [task?.status, task?.throttleCount, task?.retryCount, task?.lastError],
        ["pending", 1, 0, "rate limited: the other side answered 429"],
      )
      const [gate] = (await queue.limits.gates("api")).gates
      ok((gate?.cooldown?.until.getTime() ?? 0) - queue.world.wallMs() >= 30_000)
      equal(side.paths.length, 1)
      await queue.advance("34s")
      await queue.drain()
      deepEqual([(await queue.get(id))?.status, side.paths.length], ["completed", 2])
      await queue.close()
    })

    it("hears what is left of the quota", async () => {
      const headers = { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20.5s" }
      const side = await other(answering(200, headers))
      const queue = await testQueue([call])
      const { id } = await queue.submit(call, side.url)
      await queue.drain()
      const [gate] = (await queue.limits.gates("api")).gates
      deepEqual([(await queue.get(id))?.status, (gate?.cooldown?.until.getTime() ?? 0) - queue.world.wallMs()], ["completed", 20_500])
      await queue.close()
    })

    it("a timeout closes the connection", async () => {
      const side = await other(() => {})
      const queue = await testQueue([call])
      const [arrived, abandoned] = [side.arrived(), side.abandoned()]
      const { id } = await queue.submit(call, side.url)
      await arrived
      await queue.advance("61s")
      await abandoned
      equal((await queue.get(id))?.lastError, "timeout")
      await queue.close()
    })
  })
}

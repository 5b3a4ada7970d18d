// ctx.observe: the answers of other clients, and the errors that they make of them.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { APIConnectionError as AnthropicConnectionError, APIError as AnthropicError } from "@anthropic-ai/sdk"
import { AxiosError, AxiosHeaders } from "axios"
import { APIConnectionError as OpenAiConnectionError, APIError as OpenAiError } from "openai"
import { type Context, defineLimit, defineTask, type Observed } from "../../../src/index.ts"
import type { Answer, SettleRequest } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { responseIn } from "../../../src/worker/responses.ts"
import { found, Tap, takes } from "./kit.ts"

const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

/** Runs a handler once; tells what became of the task and what its gate was told. */
async function outcome(run: (context: Context<null>) => unknown) {
  const tap = new Tap()
  const call = defineTask("call", { limits: [api], maxRetries: 0, run: (_input: null, context) => run(context) })
  const queue = await testQueue([call], { through: tap.through })
  const submitted = await queue.submit(call, null)
  await queue.advance("1s")
  const settles: SettleRequest[] = tap.exchanges.flatMap((exchange) => exchange.settles)
  const [gate] = (await queue.limits.gates("api")).gates
  const task = await found(queue, submitted)
  await queue.close()
  return { task, heard: settles[0]?.heard ?? [], settle: settles[0], isClosed: gate?.cooldown !== null }
}

const quota = { "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "41", "x-ratelimit-reset-requests": "6m0s" }
const refusal = { ...quota, "retry-after": "30" }

/** As axios' node adapter makes it. */
function axiosResponse(status: number, headers: Record<string, string>, data: unknown = {}) {
  const config = { headers: new AxiosHeaders() }
  return { status, statusText: "", headers: AxiosHeaders.from(headers), data, config, request: {} }
}

function axiosError(status: number, headers: Record<string, string>): AxiosError {
  const response = axiosResponse(status, headers)
  return new AxiosError("failed", "ERR_BAD_REQUEST", response.config, {}, response)
}

const shapes: Readonly<Record<string, (status: number, headers: Record<string, string>) => unknown>> = {
  "a Response of the platform": (status, headers) => new Response("{}", { status, headers }),
  "an IncomingMessage of node:http": (statusCode, headers) => ({ statusCode, headers, httpVersion: "1.1", statusMessage: "" }),
  "what undici's request gives": (statusCode, headers) => ({ statusCode, headers, body: new ReadableStream(), trailers: {}, opaque: null }),
  "a response of axios": axiosResponse,
  "an AxiosError": axiosError,
  "what .withResponse() of an SDK gives": (status, headers) => ({
    data: { id: 1 },
    response: new Response("{}", { status, headers }),
    request_id: null,
  }),
  "an APIError of OpenAI": (status, headers) => OpenAiError.generate(status, { error: { code: "x" } }, "failed", new Headers(headers)),
  "an APIError of Anthropic": (status, headers) => AnthropicError.generate(status, { type: "error" }, "failed", new Headers(headers)),
  "headers in any letters, and as lists": (status, headers) => ({
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])),
  }),
}

describe("ctx.observe", () => {
  for (const [name, make] of Object.entries(shapes)) {
    it(`hears ${name}: a 200 is served, with its quota`, async () => {
      const { task, heard, isClosed } = await outcome((context) => context.observe(make(200, quota)))
      deepEqual([task.status, task.output], ["completed", { isRefused: false, status: 200, retryAfterMs: null } satisfies Observed])
      deepEqual(
        heard.map(({ kind, quotas }) => [kind, quotas]),
        [["served", [{ name: "requests", limit: 60, remaining: 41, resetMs: 360_000, windowMs: null }]]],
      )
      equal(isClosed, false)
    })

    it(`hears ${name}: a 429 ends the run and closes the gate`, async () => {
      const { task, heard, isClosed } = await outcome((context) => context.observe(make(429, refusal)))
      deepEqual([task.status, task.throttleCount, task.retryCount], ["pending", 1, 0])
      deepEqual(
        heard.map(({ kind, reason, retryAfterMs }) => [kind, reason, retryAfterMs]),
        [["refused", "rate", 30_000]],
      )
      equal(isClosed, true)
    })
  }

  it("reads what stands in a parsed body: Stripe's lock that was not had in time closes no gate", async () => {
    const lock = { error: { code: "lock_timeout" } }
    for (const answer of [axiosResponse(429, {}, lock), { statusCode: 429, headers: {}, body: lock }]) {
      const { task, isClosed } = await outcome((context) => context.observe(answer))
      deepEqual([task.status, task.throttleCount, isClosed], ["pending", 1, false])
    }
  })

  it("reads what stands in a parsed body: Discord's wait", async () => {
    const headers = { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "0.5", "x-ratelimit-bucket": "b" }
    const { heard } = await outcome((context) =>
      context.observe(axiosResponse(429, headers, { retry_after: 1.5 }), { onRefusal: "return" }),
    )
    equal(heard[0]?.retryAfterMs, 1_500)
  })

  it("leaves an error without a response to the handler: nothing is told, and it returns", async () => {
    const errors = [
      new TypeError("fetch failed"),
      new AxiosError("socket hang up", "ECONNRESET"),
      new OpenAiConnectionError({ message: "Connection error." }),
      new AnthropicConnectionError({ message: "Connection error." }),
      new DOMException("aborted", "AbortError"),
    ]
    for (const error of errors) {
      const { task, heard } = await outcome((context) => context.observe(error))
      deepEqual([task.output, heard], [{ isRefused: false, status: null, retryAfterMs: null }, []], error.name)
    }
  })

  it("is made for a catch: what is thrown is about the pace where the error is, else the error itself", async () => {
    const asked = async (context: Context<null>, error: Error) => {
      try {
        throw error
      } catch (caught) {
        context.observe(caught)
        throw caught
      }
    }
    const refused = await outcome((context) => asked(context, axiosError(429, refusal)))
    deepEqual([refused.task.status, refused.task.throttleCount], ["pending", 1])
    const broken = await outcome((context) => asked(context, axiosError(500, {})))
    deepEqual([broken.task.status, broken.task.lastError], ["failed", "failed"])
    const lost = await outcome((context) => asked(context, new TypeError("fetch failed")))
    deepEqual([lost.task.status, lost.task.lastError], ["failed", "fetch failed"])
  })

  it('with onRefusal: "return" says what it has heard, and the gate is closed', async () => {
    const { task, isClosed } = await outcome((context) => context.observe(axiosError(429, refusal), { onRefusal: "return" }))
    deepEqual([task.status, task.output], ["completed", { isRefused: true, status: 429, retryAfterMs: 30_000 }])
    equal(isClosed, true)
  })

  it("blocks as ctx.fetch does: a bare 403 spends a throttle, unless it does not count as blocking", async () => {
    const blocked = await outcome((context) => context.observe(axiosError(403, {})))
    deepEqual([blocked.task.throttleCount, blocked.isClosed], [1, false])
    const let_ = await outcome((context) => context.observe(axiosError(403, {}), { blocking: [] }))
    deepEqual([let_.task.status, let_.task.output], ["completed", { isRefused: false, status: 403, retryAfterMs: null }])
  })

  it("takes a request for sent when the run began, or when its latest permit came", async () => {
    const { settle } = await outcome(async (context) => {
      await takes(context, 100)
      context.observe(new Response("{}"))
      await takes(context, 50)
      await context.permit(api)
      await takes(context, 20)
      context.observe(new Response("{}"))
    })
    const times = ({ sentAgoMs, respondedAgoMs }: Pick<Answer, "sentAgoMs" | "respondedAgoMs">) => [sentAgoMs, respondedAgoMs]
    deepEqual(settle?.heard?.map(times), [[20, 0]])
    deepEqual([settle?.sentAgoMs, settle?.respondedAgoMs, settle?.rttMs], [170, 70, null])
  })

  const garbage: Readonly<Record<string, readonly [unknown, string]>> = {
    nothing: [undefined, "undefined"],
    null: [null, "null"],
    "a status alone": [200, "200"],
    "a text": ["429 Too Many Requests", '"429 Too Many Requests"'],
    "an empty object": [{}, "an object"],
    "an object without headers": [{ status: 200 }, "an object"],
    "an object without a status": [{ headers: {} }, "an object"],
    "a status that is a text": [{ status: "200", headers: {} }, "an object"],
    "a status that is no whole number": [{ status: 200.5, headers: {} }, "an object"],
    "the status of a request that was never answered": [{ status: 0, headers: {} }, "an object"],
    "a promise that was not awaited": [Promise.resolve(new Response()), "an object"],
  }
  for (const [name, [answer, got]] of Object.entries(garbage)) {
    it(`refuses ${name}`, async () => {
      const { task, heard } = await outcome((context) => context.observe(answer))
      deepEqual(
        [task.status, task.lastError, heard],
        ["failed", `task call: ctx.observe: expected a response with a status and headers, or the error of a client, got ${got}`, []],
      )
    })
  }

  it("survives headers and bodies that throw when they are read", async () => {
    const trap = new Proxy({}, { get: () => ok(false, "read"), ownKeys: () => ok(false, "listed") as never })
    for (const answer of [
      { status: 200, headers: trap },
      { status: 200, headers: {}, data: { extensions: trap, errors: [trap] } },
    ]) {
      const { task } = await outcome((context) => context.observe(answer))
      equal(task.status, "completed")
    }
  })
})

describe("responseIn", () => {
  it("takes a body only where it is parsed", () => {
    equal(responseIn(new Response("{}"))?.body, undefined)
    equal(responseIn({ status: 200, headers: {}, data: "text" })?.body, undefined)
    deepEqual(responseIn({ status: 200, headers: {}, data: { a: 1 } })?.body, { a: 1 })
    deepEqual(responseIn({ statusCode: 200, headers: {}, body: [1] })?.body, [1])
    equal(responseIn({ statusCode: 200, headers: {}, body: Buffer.from("{}") })?.body, undefined)
  })

  it("takes the error's own status before that of something in it", () => {
    const inner = { status: 500, headers: {} }
    equal(responseIn(Object.assign(new Error("x"), { status: 429, headers: {}, response: inner }))?.status, 429)
    equal(responseIn(Object.assign(new Error("x"), { status: 429, response: inner }))?.status, 500)
  })
})

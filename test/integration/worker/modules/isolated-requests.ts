// Tasks that ask from a thread of their own. The thread loads this module again.

import { type Context, defineLimit, defineTask } from "../../../../src/index.ts"

export const api = defineLimit("api", { rate: "100/1h", provider: "sliding" })

export interface Asking {
  readonly way: string
  readonly url: string
}

const ways: Readonly<Record<string, (url: string, context: Context<Asking>) => unknown>> = {
  fetch: async (url, context) => (await context.fetch(url)).json(),
  twice: async (url, context) => [(await context.fetch(url)).status, (await context.fetch(url, undefined, { cost: 2 })).status],
  caught: (url, context) => context.fetch(url).catch((error: { code: string; retryAfterMs: number }) => [error.code, error.retryAfterMs]),
  observe: async (url, context) => context.observe(await fetch(url)),
  wrong: (url, context) => context.fetch(url, undefined, { limit: "other" }),
}

export const asking = defineTask("asking", {
  isolate: "thread",
  module: import.meta.url,
  limits: [api],
  maxRetries: 0,
  run: ({ way, url }: Asking, context) => ways[way]?.(url, context),
})

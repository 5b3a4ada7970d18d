// Tasks with limits that run in a thread of their own. The thread loads this module again.

import { type Context, defineLimit, defineTask, RateLimitError } from "../../../../src/index.ts"

export const api = defineLimit("api", { rate: "100/1h", provider: "sliding" })

const ways: Readonly<Record<string, (context: Context<string>) => unknown>> = {
  spent: (context) => context.spent(7),
  "spent wrongly": (context) => context.spent(-7),
  permits: async (context) => {
    await Promise.all([context.permit(api), context.permit("api", { cost: 2 })])
    return "permitted"
  },
  "permits wrongly": (context) => context.permit("other"),
  "permits oddly": (context) => context.permit(api, { cost: 0.5 }),
  refused: () => {
    throw new RateLimitError({ message: "slow down", retryAfter: "90007ms", status: 503, limit: "api" })
  },
  "waits for nothing": () => new Promise(() => {}),
}

export const gated = defineTask("gated", {
  isolate: "thread",
  module: import.meta.url,
  limits: [api],
  maxRetries: 0,
  run: (way: string, context) => ways[way]?.(context),
})

// The other side: twenty requests and 4,000 tokens a second, of which no tenant may have more than half. The work: one tenant
// with many prompts, submitted first, and one with a few.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { complete, mostTokens } from "./tasks.ts"

export const limits = { requests: 20, tokens: 4_000, share: 2_000 } as const
const windowMs = 1_000
export const routes = {
  llm: {
    limits: [
      { limit: limits.requests, windowMs },
      { limit: limits.tokens, windowMs, unit: "tokens" },
      { limit: limits.share, windowMs, unit: "tokens", by: "key" },
    ],
    answerMs: 30,
  },
} satisfies Record<string, Route>

export const prompts = { acme: 30, zeta: 6 } as const
const costs = [120, mostTokens, 250, 180, 90] as const

export async function submit(queue: Queue, url: string) {
  const inputs = Object.entries(prompts).flatMap(([tenant, count]) =>
    Array.from({ length: count }, (_, i) => ({ tenant, url: `${url}/llm/${tenant}/${i}?tokens=${costs[i % costs.length]}` })),
  )
  return queue.submitMany(complete, inputs)
}

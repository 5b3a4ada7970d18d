// Calls of a language model under three limits at once: requests, tokens, and a share of the tokens for each tenant. All of them let a call
// pass, or none is charged.

import { defineLimit, defineTask } from "sluice"

/** A minute in real life. Providers count calls when they arrive: up to `slack` after their start. */
const per = { per: "1s", slack: "1s" } as const
const requests = defineLimit("llm-requests", { rate: { limit: 20, ...per } })
const tokens = defineLimit("llm-tokens", { rate: { limit: 4_000, ...per }, quota: "tokens" })
/** Nobody gets more than half, however much he has submitted. */
const share = defineLimit("llm-share", { rate: { limit: 2_000, ...per }, quota: "tokens" })

/** What a call can cost at most: as much is reserved. */
export const mostTokens = 400

export interface Prompt {
  readonly url: string
  readonly tenant: string
}

export const complete = defineTask("complete", {
  limits: ({ tenant }: Prompt) => [requests(), tokens("model-1", { cost: mostTokens }), share(tenant, { cost: mostTokens })],
  // Whoever has least of late goes first.
  fairBy: ({ tenant }) => tenant,
  run: async (prompt: Prompt, ctx) => {
    const response = await ctx.fetch(prompt.url, { method: "POST" })
    if (!response.ok) throw new Error(`the model answered ${response.status}`)
    const { usage } = (await response.json()) as { usage: { total_tokens: number } }
    // What was reserved and not used is free again, at both limits.
    for (const limit of [tokens, share]) ctx.spent(usage.total_tokens, { limit })
    return usage.total_tokens
  },
})

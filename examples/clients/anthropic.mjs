// The SDK of Anthropic. Its own retries are off: they would go out without a permit, in the middle of what the gate has just been told.

import Anthropic from "@anthropic-ai/sdk"
import { defineLimit, defineTask } from "sluice"
import { runAgainst } from "./against.mjs"

const requests = defineLimit("anthropic", { adaptive: { start: "20/s" } })

const translate = defineTask("translate", {
  limits: [requests],
  run: async ({ url, number }, ctx) => {
    const client = new Anthropic({ apiKey: "not needed here", baseURL: url, maxRetries: 0 })
    const asked = client.messages.create(
      { model: "your-model", max_tokens: 100, messages: [{ role: "user", content: `Translate page ${number}.` }] },
      { signal: ctx.signal },
    )
    const { data, response } = await asked.withResponse().catch((error) => {
      ctx.observe(error)
      throw error
    })
    ctx.observe(response)
    return data
  },
})

await runAgainst({ accounting: "bucket", limit: 40, perMs: 1_000, burst: 40, dialect: "anthropic" }, translate, 40)

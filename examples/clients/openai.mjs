// The SDK of OpenAI. Its own retries are off: they would go out without a permit, in the middle of what the gate has just been told.

import OpenAI from "openai"
import { defineLimit, defineTask } from "sluice"
import { runAgainst } from "./against.mjs"

const requests = defineLimit("openai", { adaptive: { start: "20/s" } })

const summarise = defineTask("summarise", {
  limits: [requests],
  run: async ({ url, number }, ctx) => {
    const client = new OpenAI({ apiKey: "not needed here", baseURL: `${url}/v1`, maxRetries: 0 })
    const asked = client.chat.completions.create(
      { model: "your-model", messages: [{ role: "user", content: `Summarise document ${number}.` }] },
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

await runAgainst({ accounting: "bucket", limit: 40, perMs: 1_000, burst: 40, dialect: "openai" }, summarise, 40)

// Logs what people log: errors, big numbers, objects of clients.

import { defineTask } from "../../../../src/index.ts"

const client: Record<string, unknown> = { id: 12345678901234567890n }
client.agent = client

export const talkative = defineTask("talkative", {
  run: (_input: unknown, ctx) => {
    ctx.log.info("asking", { client })
    ctx.log.error("refused", new Error("boom") as never)
    ctx.log.warn(new Error("only an error") as never)
    return "said"
  },
})

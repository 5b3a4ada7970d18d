// A task that the other side refuses once, and one that only logs.

import { defineTask, RateLimitError } from "../../../../src/index.ts"

export const throttled = defineTask("throttled", {
  run: (_input: unknown, ctx) => {
    if (ctx.task.throttleCount === 0) throw new RateLimitError({ message: "too fast", retryAfter: "1ms" })
    ctx.log.info("through")
    return "done"
  },
})

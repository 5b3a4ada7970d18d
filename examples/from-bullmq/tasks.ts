// After: the worker's function is the task, and its limiter is a limit of its own that other tasks can share.

import { defineLimit, defineTask } from "sluice"

/** `limiter: { max: 10, duration: 1_000 }`, in every second and not only from one reset to the next. */
const mailService = defineLimit("mail-service", { rate: "10/1s", slack: "1s" })

export const sendMail = defineTask("send_mail", {
  limits: [mailService],
  // `attempts: 4` counts the first one too.
  maxRetries: 3,
  timeout: "10s",
  run: async (input: { readonly url: string }, ctx) => {
    // `worker.rateLimit` and `Worker.RateLimitError`, by themselves: a 429 closes the gate for as long as Retry-After says.
    const response = await ctx.fetch(input.url, { method: "POST" })
    if (!response.ok) throw new Error(`the mail service answered ${response.status}`)
    return response.json()
  },
})

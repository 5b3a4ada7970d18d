// Tasks that show the ways a run can end, and one that waits at a gate. Run them with `sluice work examples/first/tasks.ts`.

import { defineLimit, defineTask, RescheduleError, RetryableError } from "sluice"

/** An API that is not ready the first two times: the task comes back later, at no cost of a retry. */
export const callApi = defineTask("call_api", {
  run: async (input: { url: string }, ctx) => {
    if (ctx.task.rescheduleCount < 2) throw new RescheduleError({ delaySeconds: 1, reason: "the API asked us to come back" })
    return { url: input.url, status: 200 }
  },
})

/** Fails once, then works: retried after a backoff. */
export const sendEmail = defineTask("send_email", {
  maxRetries: 3,
  run: async (input: { to: string }, ctx) => {
    if (ctx.task.attempt === 1) throw new RetryableError("the mail server closed the connection")
    return { sentTo: input.to }
  },
})

/** Useless when it comes late: submitted with a ttl, it expires instead of running. */
export const sendReminder = defineTask("send_reminder", {
  run: async (input: { user: string }, ctx) => {
    ctx.log.info("reminded", { user: input.user })
    return { reminded: input.user }
  },
})

/** Two in two seconds for each guild: the others wait, without a worker, and it is known when they will start. */
const roles = defineLimit("discord-roles", { rate: { limit: 2, per: "2s", provider: "sliding" } })

export const addRole = defineTask("add_role", {
  limits: (input: { guild: string; member: string }) => [roles(input.guild)],
  run: async ({ member }) => ({ member }),
})

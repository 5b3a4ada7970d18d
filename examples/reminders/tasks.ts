// Reminders of meetings. A mail that comes after the meeting is worse than none, so each has a time after which it is not sent any more.

import { defineLimit, defineTask } from "sluice"

/** What the mail service allows. It counts a mail when it arrives: up to `slack` after it was sent. */
export const mail = defineLimit("mail", { rate: "5/1s", slack: "1s" })

export const sendReminder = defineTask("send_reminder", {
  limits: [mail],
  run: async (input: { readonly url: string }, ctx) => {
    const response = await ctx.fetch(input.url, { method: "POST" })
    // "The meeting was put off": later, and for so much longer.
    if (response.status === 202) return ctx.reschedule("500ms", { extendExpiration: "1h", reason: "put off" })
    return response.json()
  },
})

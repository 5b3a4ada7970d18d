// Roles of members, one request each. Discord counts these for each guild; so does the limit.

import { defineLimit, defineTask } from "sluice"

/**
 * Ten in ten seconds with the real one; shorter here, so that you need not wait. Discord counts a request when it arrives: `slack` is how much
 * later than its start that may be. It costs nothing where answers come soon, because an answer tells that it was counted.
 */
const roles = defineLimit("discord-roles", { rate: "5/1s", slack: "1s" })

export const addRole = defineTask("add_role", {
  limits: (input: { readonly url: string; readonly guild: string }) => [roles(input.guild)],
  run: async (input: { readonly url: string; readonly guild: string }, ctx) => {
    const response = await ctx.fetch(input.url, { method: "PUT" })
    if (!response.ok) throw new Error(`Discord answered ${response.status}`)
  },
})

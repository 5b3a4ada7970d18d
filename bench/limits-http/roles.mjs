// The task of the first case: gives a member of a guild a role, ten a window for each guild.
import { defineLimit, defineTask, RateLimitError } from "../../dist/index.js"
import { call } from "./call.mjs"

export function makeTask({ url, limit, windowMs, workerId }) {
  const roles = defineLimit("discord-roles", { rate: `${limit}/${windowMs / 1_000}s` })
  return defineTask("add-role", {
    limits: ({ guild }) => [roles(guild)],
    run: async ({ guild }, { task, signal }) => {
      const response = await call(url, { guild, id: task.id, sender: workerId }, signal)
      if (response.status !== 429) return
      throw new RateLimitError({ retryAfter: `${response.headers.get("retry-after")}s`, status: 429, limit: "discord-roles" })
    },
  })
}

// The other side: five role updates a second for each guild. The work: one guild with many updates, submitted first, and three with a few.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { addRole } from "./tasks.ts"

export const perGuild = 5
export const routes = { guilds: { limits: [{ limit: perGuild, windowMs: 1_000, by: "key" }] } } satisfies Record<string, Route>

export const updates = { "guild-busy": 15, "guild-1": 3, "guild-2": 3, "guild-3": 3 } as const
/** What the limits let go out in the first second. */
export const atOnce = Object.values(updates).reduce((sum, count) => sum + Math.min(count, perGuild), 0)
/** What the limit allows the busy guild: 15 updates, five a second. */
export const idealMs = 2_000

export async function submit(queue: Queue, url: string) {
  const inputs = Object.entries(updates).flatMap(([guild, count]) =>
    Array.from({ length: count }, (_, member) => ({ guild, url: `${url}/guilds/${guild}/${member}` })),
  )
  return queue.submitMany(addRole, inputs)
}

// sluice limits reset: go back to what the code says.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeLimit, targetHelp } from "../../limit-change.ts"
import type { Session } from "../../session.ts"

export function addReset(limits: Command, session: Session): void {
  const command = define(limits, {
    usage: "reset <target>",
    summary: "Go back to what the code says",
    details: `${targetHelp} No override, no pause, no closing, no cooldown. What was charged stays charged, and what was learned stays learned.`,
    examples: ["sluice limits reset vendor-api", "sluice limits reset vendor-api/host-1"],
  })
  command.action((target: string) => changeLimit(session, command, target, (queue, limit, options) => queue.limits.reset(limit, options)))
}

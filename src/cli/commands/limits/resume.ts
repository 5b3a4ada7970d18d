// sluice limits resume: let pass again what was paused.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeLimit, targetHelp } from "../../limit-change.ts"
import type { Session } from "../../session.ts"

export function addResume(limits: Command, session: Session): void {
  const command = define(limits, {
    usage: "resume <target>",
    summary: "Let pass again what was paused",
    details: `${targetHelp} Also ends a closing by hand; a cooldown that the other side asked for stays.`,
    examples: ["sluice limits resume vendor-api", "sluice limits resume vendor-api/host-1"],
  })
  command.action((target: string) => changeLimit(session, command, target, (queue, limit, options) => queue.limits.resume(limit, options)))
}

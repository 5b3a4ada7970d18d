// sluice limits pause: let nothing pass until it is resumed.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeLimit, targetHelp } from "../../limit-change.ts"
import type { Session } from "../../session.ts"

export function addPause(limits: Command, session: Session): void {
  const command = define(limits, {
    usage: "pause <target>",
    summary: "Let nothing pass until it is resumed",
    details: `${targetHelp} Tasks wait and lose nothing; what runs already goes on.`,
    examples: ["sluice limits pause vendor-api", "sluice limits pause vendor-api/host-1"],
  })
  command.action((target: string) => changeLimit(session, command, target, (queue, limit, options) => queue.limits.pause(limit, options)))
}

// sluice limits learned reset: as if the other side had never answered.

import type { Command } from "commander"
import { define } from "../../../define.ts"
import { changeLimit, targetHelp } from "../../../limit-change.ts"
import type { Session } from "../../../session.ts"

export function addLearnedReset(learned: Command, session: Session): void {
  const command = define(learned, {
    usage: "reset <target>",
    summary: "Forget what was learned",
    details: `${targetHelp} Of a limit every gate forgets. What was charged stays charged, and a gate that is closed stays closed.`,
    examples: ["sluice limits learned reset crawl/example.com", "sluice limits learned reset crawl"],
  })
  command.action((target: string) =>
    changeLimit(
      session,
      command,
      target,
      (queue, limit, options) => queue.limits.forget(limit, options),
      (limit, { key }) =>
        key === "" && limit.gateCount > 1 ? "what its gates had learned is forgotten" : "what it had learned is forgotten",
    ),
  )
}

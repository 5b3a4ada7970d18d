// sluice archive: finished tasks are put away, beyond the reach of retention.

import type { Command } from "commander"
import { define } from "../define.ts"
import { moveAll } from "../move.ts"
import type { Session } from "../session.ts"

export function addArchive(program: Command, session: Session): void {
  define(program, {
    usage: "archive <id...>",
    summary: "Keep finished tasks for ever",
    details: "An archived task is never removed by retention. It does not come back.",
    examples: ["sluice archive 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a"],
  }).action((ids: string[]) => moveAll(session, ids, { apply: (queue, id) => queue.archive(id), done: () => "archived" }))
}

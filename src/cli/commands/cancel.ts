// sluice cancel: a pending task ends at once, a running one is asked to stop.

import type { Command } from "commander"
import { define } from "../define.ts"
import { moveAll } from "../move.ts"
import type { Session } from "../session.ts"

export function addCancel(program: Command, session: Session): void {
  define(program, {
    usage: "cancel <id...>",
    summary: "Cancel tasks",
    details: "A pending task ends at once; a running one is asked to stop, and its handler decides how soon.",
    examples: [
      "sluice cancel 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a",
      "sluice list --status pending --tag nightly --json | jq -r '.tasks[].id' | xargs -r sluice cancel",
    ],
  }).action((ids: string[]) =>
    moveAll(session, ids, {
      apply: (queue, id) => queue.cancel(id),
      done: (task) => (task.status === "cancelled" ? "cancelled" : "is running: asked to stop"),
    }),
  )
}

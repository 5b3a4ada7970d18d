// sluice retry: a failed or cancelled task runs again, with fresh budgets.

import type { Command } from "commander"
import { define } from "../define.ts"
import { moveAll } from "../move.ts"
import type { Session } from "../session.ts"

export function addRetry(program: Command, session: Session): void {
  define(program, {
    usage: "retry <id...>",
    summary: "Run failed or cancelled tasks again",
    details: "Retries, reschedules and throttles are counted from 0 again. An expired task stays expired: it is too late for it.",
    examples: [
      "sluice retry 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a",
      "sluice list --status failed --json | jq -r '.tasks[].id' | xargs -r sluice retry",
    ],
  }).action((ids: string[]) =>
    moveAll(session, ids, {
      apply: (queue, id) => queue.retry(id),
      done: (task) => (task.status === "pending" ? "pending again" : `is past its expiry: ${task.status}`),
    }),
  )
}

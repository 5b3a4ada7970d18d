// sluice history: every version of a task, one line each.

import type { Command } from "commander"
import type { HistoryItem } from "../../queue/index.ts"
import { formatInstant } from "../../units/index.ts"
import { define } from "../define.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"

export function addHistory(program: Command, session: Session): void {
  define(program, {
    usage: "history <id>",
    summary: "Show what happened to a task, version by version",
    details: "Of a very long history the first version and the latest are kept.",
    examples: ["sluice history 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a", "sluice history $id --json | jq -r '.[].event'"],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const items = await queue.history(id)
      if (session.isJson) session.printJson(items.map(documentOf))
      else session.print(...items.map(({ text }) => plain(text)))
    }),
  )
}

/** In the words of a task's document; what an event does not have is absent. */
function documentOf({
  version,
  status,
  event,
  at,
  workerId,
  delayMs,
  count,
  expiresAt,
  reason,
  error,
}: HistoryItem): Record<string, unknown> {
  return {
    version,
    at: formatInstant(at.getTime()),
    status,
    event,
    worker_id: workerId,
    delay_seconds: delayMs === undefined ? undefined : delayMs / 1_000,
    count,
    expires_at: expiresAt && formatInstant(expiresAt.getTime()),
    reason,
    error,
  }
}

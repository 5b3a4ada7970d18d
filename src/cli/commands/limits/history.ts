// sluice limits history: who changed which limit when, newest first; deploys that changed what the code says among them.

import type { Command } from "commander"
import { documentOf } from "../../../queue/document.ts"
import type { LoggedChangeView } from "../../../queue/index.ts"
import { formatInstant, parseName, wholeNumber } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asNumber, type Given, readFlag } from "../../flags.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"

const defaultCount = 50

export function addLimitHistory(limits: Command, session: Session): void {
  define(limits, {
    usage: "history [limit]",
    summary: "Show who changed limits, newest first",
    details: "Of one limit or of all, deploys that changed what the code says among them.",
    examples: ["sluice limits history", "sluice limits history vendor-api --limit 10"],
  })
    .option("--limit <n>", `At most so many changes (default: ${defaultCount})`)
    .action(async (name: string | undefined, given: Given) => {
      const limit = name === undefined ? undefined : parseName("limits history", name)
      const count = readFlag(given, "limit", asNumber, wholeNumber(1, 1_000)) ?? defaultCount
      await session.withQueue(async (queue) => {
        const changes = await queue.limits.history({ count, ...(limit === undefined ? {} : { limit }) })
        // What has changes is or was a limit; of what has none, a mistyped name is told.
        if (limit !== undefined && changes.length === 0) await queue.limits.get(limit)
        if (session.isJson) session.printJson(documentOf(changes))
        else if (changes.length === 0) session.note(`no changes of ${limit ?? "any limit"} in ${session.place}`)
        else session.print(...changes.map(lineOf))
      })
    })
}

/** Whole lines, whatever the width: who did it stands at the end. */
function lineOf({ at, text }: LoggedChangeView): string {
  return `${formatInstant(Math.floor(at.getTime() / 1_000) * 1_000)}  ${plain(text)}`
}

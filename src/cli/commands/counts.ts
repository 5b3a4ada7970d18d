// sluice counts: how many tasks there are in each status.

import type { Command } from "commander"
import { parseName } from "../../units/index.ts"
import { colourOf } from "../colour.ts"
import { define } from "../define.ts"
import { asText, type Given, readFlag } from "../flags.ts"
import type { Session } from "../session.ts"
import { table } from "../table.ts"

export function addCounts(program: Command, session: Session): void {
  define(program, {
    usage: "counts",
    summary: "Count tasks by status",
    examples: ["sluice counts", "sluice counts --json", "sluice counts --type call_api"],
  })
    .option("-t, --type <name>", "Only tasks of this type")
    .action(async (given: Given) => {
      const type = readFlag(given, "type", asText, parseName)
      await session.withQueue(async (queue) => {
        const counts = await queue.counts(type === undefined ? {} : { type })
        if (session.isJson) session.printJson(counts)
        else session.print(...countsTable(session, counts))
      })
    })
}

function countsTable(session: Session, counts: Readonly<Record<string, number>>): string[] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const rows = Object.entries(counts).map(([status, count]) => [
    { text: status, paint: (shown: string) => session.paint(count > 0 ? colourOf(status) : "grey", shown) },
    { text: String(count) },
  ])
  return table([...rows, [{ text: "total" }, { text: String(total) }]], { right: [1], width: null })
}

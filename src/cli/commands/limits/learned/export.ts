// sluice limits learned export: what gates have learned, a line of JSON each, for import into another store.

import type { Command } from "commander"
import { parseName } from "../../../../units/index.ts"
import { counted } from "../../../counted.ts"
import { define } from "../../../define.ts"
import type { Session } from "../../../session.ts"

export function addExport(learned: Command, session: Session): void {
  define(learned, {
    usage: "export [limit]",
    summary: "Print what gates have learned, a line of JSON each",
    details: "Of one limit or of all. sluice limits learned import takes the same lines.",
    examples: [
      "sluice limits learned export > learned.jsonl",
      "sluice limits learned export crawl | sluice limits learned import - --store $OTHER",
    ],
  }).action(async (name: string | undefined) => {
    const limit = name === undefined ? undefined : parseName("limits learned export", name)
    await session.withQueue(async (queue) => {
      const names = limit === undefined ? (await queue.limits.list()).map((one) => one.name) : [limit]
      let count = 0
      for (const one of names) {
        for await (const exported of queue.limits.exportLearned(one)) {
          session.printJson(exported)
          count++
        }
      }
      session.note(`exported ${counted(count, "gate")} of ${session.place}`)
    })
  })
}

// sluice limits learned: what gates have learned from the other side's answers, to look at, set, forget and carry elsewhere.

import type { Command } from "commander"
import { define } from "../../define.ts"
import type { Session } from "../../session.ts"
import { addExport } from "./learned/export.ts"
import { addImport } from "./learned/import.ts"
import { addLearnedLs } from "./learned/ls.ts"
import { addLearnedReset } from "./learned/reset.ts"
import { addLearnedSet } from "./learned/set.ts"

const commands = [addLearnedLs, addLearnedSet, addLearnedReset, addExport, addImport]

export function addLearned(limits: Command, session: Session): void {
  const learned = define(limits, {
    usage: "learned",
    summary: "Show and change what gates have learned",
    details:
      "A limit with adaptive learns from what the other side answers, each of its gates for itself. What was learned outlives restarts.",
    examples: ["sluice limits learned ls", "sluice limits learned set crawl/example.com --delay 1.5s", "sluice limits learned reset crawl"],
  })
  for (const add of commands) add(learned, session)
}

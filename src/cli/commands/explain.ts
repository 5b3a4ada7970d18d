// sluice explain: why a task has not started, and when it will.

import type { Command } from "commander"
import { documentOf } from "../../queue/document.ts"
import { define } from "../define.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"

export function addExplain(program: Command, session: Session): void {
  define(program, {
    usage: "explain <id>",
    summary: "Say why a task has not started, and when it will",
    details: "Which gate holds it, what is ahead of it there, when that opens, and whether a worker is there to take it.",
    examples: ["sluice explain 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a", "sluice explain $id --json | jq .forecast"],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const explanation = await queue.explain(id)
      if (session.isJson) session.printJson(documentOf(explanation))
      else session.print(...explanation.text.split("\n").map(plain))
    }),
  )
}

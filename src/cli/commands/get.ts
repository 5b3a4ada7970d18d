// sluice get: every field of a task, under the names of its document.

import type { Command } from "commander"
import { define } from "../define.ts"
import { jsonLine } from "../json-line.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { taskOf } from "../task-of.ts"

export function addGet(program: Command, session: Session): void {
  define(program, {
    usage: "get <id>",
    summary: "Show every field of a task",
    examples: ["sluice get 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a", "sluice get $id --json | jq .output"],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const document = (await taskOf(queue, id)).toJSON()
      if (session.isJson) session.printJson(document)
      else session.print(...Object.entries(document).map(([name, value]) => `${name}: ${shownValue(value)}`))
    }),
  )
}

function shownValue(value: unknown): string {
  return typeof value === "string" ? plain(value) : jsonLine(value)
}

// sluice schedule trigger: one of its tasks now. The id stands alone on the first line, as with `sluice submit`.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"

export function addTrigger(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "trigger <name>",
    summary: "Submit its task now and print the id",
    details: "Apart from its instants: the next one comes as before, and a paused schedule stays paused.",
    examples: ["sluice schedule trigger nightly", "id=$(sluice schedule trigger nightly)"],
  }).action((name: string) =>
    session.withQueue(async (queue) => {
      const task = await queue.schedules.trigger(name)
      if (session.isJson) session.printJson(task.toJSON())
      else session.print(task.id)
      if (task.warning !== null) session.note(`warning: ${plain(task.warning)}`)
    }),
  )
}

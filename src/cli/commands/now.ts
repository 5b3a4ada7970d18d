// sluice now: the store's clock, the one that decides.

import type { Command } from "commander"
import { formatInstant } from "../../units/index.ts"
import { define } from "../define.ts"
import type { Session } from "../session.ts"

export function addNow(program: Command, session: Session): void {
  define(program, {
    usage: "now",
    summary: "Print the store's time",
    details: "Schedules, expiries and leases are counted by this clock, not by that of the machine that asks.",
    examples: ["sluice now"],
  }).action(() =>
    session.withQueue(async (queue) => {
      const now = formatInstant((await queue.now()).getTime())
      if (session.isJson) session.printJson({ now })
      else session.print(now)
    }),
  )
}

// sluice schedule ls: every schedule, with its next and its last instant.

import type { Command } from "commander"
import { scheduleDocument } from "../../../queue/document.ts"
import type { ScheduleView } from "../../../queue/index.ts"
import { define } from "../../define.ts"
import { headed } from "../../headed.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"
import { instantAndRelative } from "../../when.ts"

export function addScheduleLs(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "ls",
    summary: "List schedules",
    details: "NEXT is the instant that a schedule stands at, LAST the latest that has run.",
    examples: ["sluice schedule ls", "sluice schedule ls --json | jq -r '.[] | select(.is_paused) | .name'"],
  }).action(() =>
    session.withQueue(async (queue) => {
      const found = await queue.schedules.list()
      if (session.isJson) session.printJson(found.map(scheduleDocument))
      else if (found.length === 0) session.note(`no schedules in ${session.place}; make one with sluice schedule add`)
      else session.print(...schedulesTable(session, found, await queue.now()))
    }),
  )
}

function schedulesTable(session: Session, found: readonly ScheduleView[], now: Date): string[] {
  const rows = found.map((schedule) => {
    const { name, cron, timezone, type, nextAt, lastAt } = schedule
    const next = nextAt === null ? (schedule.isPaused ? "paused" : "none left") : instantAndRelative(nextAt, now)
    return [name, plain(cron), plain(timezone), type, next, lastAt === null ? "never" : instantAndRelative(lastAt, now), noteOf(schedule)]
  })
  return headed(session, ["NAME", "CRON", "TIMEZONE", "TYPE", "NEXT", "LAST", "NOTE"], rows)
}

function noteOf({ lastError }: ScheduleView): string {
  return lastError === null ? "" : plain(lastError)
}

// sluice schedule resume: from the next instant on.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeSchedule } from "../../schedule-change.ts"
import { nextText } from "../../schedule-text.ts"
import type { Session } from "../../session.ts"

export function addScheduleResume(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "resume <name>",
    summary: "Go on from the next instant",
    details: "Instants during the pause are not caught up; sluice schedule trigger runs one now.",
    examples: ["sluice schedule resume nightly"],
  }).action((name: string) => changeSchedule(session, (queue) => queue.schedules.resume(name), nextText))
}

// sluice schedule pause: no instant comes until it is resumed.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeSchedule } from "../../schedule-change.ts"
import { nextText } from "../../schedule-text.ts"
import type { Session } from "../../session.ts"

export function addSchedulePause(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "pause <name>",
    summary: "Submit nothing until it is resumed",
    details: "Tasks that it has submitted go on. A deploy that schedules it again leaves it paused.",
    examples: ["sluice schedule pause nightly"],
  }).action((name: string) => changeSchedule(session, (queue) => queue.schedules.pause(name), nextText))
}

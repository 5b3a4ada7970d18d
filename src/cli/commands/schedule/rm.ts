// sluice schedule rm: gone, and its tasks stay.

import type { Command } from "commander"
import { define } from "../../define.ts"
import { changeSchedule } from "../../schedule-change.ts"
import type { Session } from "../../session.ts"

export function addRm(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "rm <name>",
    summary: "Remove a schedule",
    details: "Tasks that it has submitted stay. Code that schedules it when it starts makes it again.",
    examples: ["sluice schedule rm nightly"],
  }).action((name: string) =>
    changeSchedule(
      session,
      (queue) => queue.schedules.remove(name),
      () => "removed",
    ),
  )
}

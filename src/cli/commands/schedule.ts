// sluice schedule: tasks that are submitted again and again, at the instants of a cron.

import type { Command } from "commander"
import { define } from "../define.ts"
import type { Session } from "../session.ts"
import { addAdd } from "./schedule/add.ts"
import { addScheduleLs } from "./schedule/ls.ts"
import { addSchedulePause } from "./schedule/pause.ts"
import { addScheduleResume } from "./schedule/resume.ts"
import { addRm } from "./schedule/rm.ts"
import { addScheduleShow } from "./schedule/show.ts"
import { addTrigger } from "./schedule/trigger.ts"

const commands = [addAdd, addScheduleLs, addScheduleShow, addSchedulePause, addScheduleResume, addTrigger, addRm]

export function addSchedule(program: Command, session: Session): void {
  const schedule = define(program, {
    usage: "schedule",
    summary: "Submit tasks again and again",
    details: "A schedule has a name, a cron and a time zone. Workers submit its task at each instant, once however many they are.",
    examples: ["sluice schedule ls", "sluice schedule show nightly", "sluice schedule trigger nightly"],
  })
  for (const add of commands) add(schedule, session)
}

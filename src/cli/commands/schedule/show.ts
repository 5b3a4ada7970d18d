// sluice schedule show: one schedule, its next instants and its last task.

import type { Command } from "commander"
import { isSluiceError } from "../../../errors/index.ts"
import { scheduleDocument } from "../../../queue/document.ts"
import type { Queue, ScheduleView } from "../../../queue/index.ts"
import { formatInstant } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { type Field, field, fieldLines } from "../../fields.ts"
import { jsonLine } from "../../json-line.ts"
import { plain } from "../../plain.ts"
import { catchUpText } from "../../schedule-text.ts"
import type { Session } from "../../session.ts"
import { instantAndRelative } from "../../when.ts"

const upcomingCount = 5

export function addScheduleShow(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "show <name>",
    summary: "Show a schedule, its next instants and its last task",
    examples: ["sluice schedule show nightly", "sluice schedule show nightly --json | jq -r '.upcoming[]'"],
  }).action((name: string) => session.withQueue((queue) => show(session, queue, name)))
}

async function show(session: Session, queue: Queue, name: string): Promise<void> {
  const schedule = await queue.schedules.get(name)
  const upcoming = await upcomingOf(session, queue, name)
  const last = schedule.lastTaskId === null ? null : await queue.get(schedule.lastTaskId)
  if (session.isJson) {
    const times = upcoming.map((at) => formatInstant(at.getTime()))
    session.printJson({ ...scheduleDocument(schedule), upcoming: times, last_task_status: last?.status ?? null })
    return
  }
  const now = await queue.now()
  session.print(...fieldLines(fields(schedule, last?.status ?? null, now)))
  for (const at of upcoming) session.print(`next: ${instantAndRelative(at, now)}`)
}

/** A schedule that another version has made is shown even where its cron cannot be read here. */
async function upcomingOf(session: Session, queue: Queue, name: string): Promise<Date[]> {
  try {
    return await queue.schedules.upcoming(name, { count: upcomingCount })
  } catch (error) {
    if (!isSluiceError(error) || (error.code !== "invalid_cron" && error.code !== "invalid_timezone")) throw error
    session.note(`warning: ${plain(error.message)}`)
    return []
  }
}

function fields(schedule: ScheduleView, lastStatus: string | null, now: Date): Field[] {
  const { name, cron, timezone, type, input, isPaused, lastAt, lastTaskId, lastError, createdAt, updatedAt } = schedule
  const last = lastTaskId === null ? null : `${lastTaskId} (${lastStatus ?? "removed after its retention"})`
  return [
    ["name", name],
    ["cron", plain(cron)],
    ["timezone", plain(timezone)],
    ["catch_up", catchUpText(schedule)],
    ["task_type", type],
    ["input", plain(jsonLine(input))],
    ["is_paused", String(isPaused)],
    ["created_at", instantAndRelative(createdAt, now)],
    ["updated_at", instantAndRelative(updatedAt, now)],
    ...field("last_at", lastAt && instantAndRelative(lastAt, now)),
    ...field("last_task", last),
    ...field("last_error", lastError && plain(lastError)),
  ]
}

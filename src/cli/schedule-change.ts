// What the commands that change one schedule have in common: its name, and one line that says what holds now.

import { scheduleDocument } from "../queue/document.ts"
import type { Queue, ScheduleView } from "../queue/index.ts"
import type { Session } from "./session.ts"

export async function changeSchedule(
  session: Session,
  change: (queue: Queue) => Promise<ScheduleView>,
  say: (schedule: ScheduleView, now: Date) => string,
): Promise<void> {
  await session.withQueue(async (queue) => {
    const schedule = await change(queue)
    if (session.isJson) session.printJson(scheduleDocument(schedule))
    else session.print(`${schedule.name}: ${say(schedule, await queue.now())}`)
  })
}

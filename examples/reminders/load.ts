// The other side: five mails a second. The work: ten reminders with time enough, as many again that the limit lets start too late, and
// the ways in which a time to live is told.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { sendReminder } from "./tasks.ts"

export const routes = { mail: { limits: [{ limit: 5, windowMs: 1_000 }] } } satisfies Record<string, Route>

export const reminderCount = 10
/** What the limit allows: 13 requests, five a second. */
export const idealMs = 2_000

export async function submit(queue: Queue, url: string, round = "1") {
  const reminders = (kind: string) => Array.from({ length: reminderCount }, (_, i) => ({ url: `${url}/mail/${round}/${kind}/${i}` }))
  const soon = await queue.submitMany(sendReminder, reminders("soon"), { ttl: "10m", priority: 1 })
  // Ten go before them, five a second: none of these can start within 1.5 s, and each is told so when it is submitted.
  const late = await queue.submitMany(sendReminder, reminders("late"), { ttl: "1500ms" })
  // Not before and not after: the times of one meeting.
  const meetingAt = new Date((await queue.now()).getTime() + 1_000)
  const planned = await queue.submit(
    sendReminder,
    { url: `${url}/mail/${round}/planned` },
    { scheduleAt: meetingAt, expiresAt: new Date(meetingAt.getTime() + 600_000) },
  )
  const putOff = await queue.submit(sendReminder, { url: `${url}/mail/${round}/put-off?notReady=1` }, { ttl: "10m", priority: 1 })
  const tooLate = await queue.submit(sendReminder, { url: `${url}/mail/${round}/too-late` }, { ttl: 0 })
  return { soon, late, planned, putOff, tooLate }
}

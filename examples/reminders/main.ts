// Reminders that expire: a task that has not started in time does not run late.

import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { reminderCount, routes, submit } from "./load.ts"
import { sendReminder } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("reminders") })
const { soon, late, planned, putOff, tooLate } = await submit(queue, provider.url)
console.log(`at submission: ${late[0]?.warning}`)

// Overdue tasks are met on the way by whoever claims, and looked for by a sweep. Ten seconds apart by default.
await workUntilDone(queue, [queue.worker([sendReminder], { sweep: "500ms" })])

const { completed, expired, failed } = await queue.counts()
const { requests, refused, mostInWindow } = await provider.seen("mail")
const sent = await Promise.all([...soon, planned, putOff].map(({ id }) => queue.get(id)))
const startedLate = sent.filter((task) => task?.startedAt && task.expiresAt && task.startedAt >= task.expiresAt)
const extendedMs = Number(sent.at(-1)?.expiresAt) - Number(putOff.expiresAt)
console.log(`\nThe history of one that came too late:`)
for (const { text } of await queue.history(late[0]?.id ?? "")) console.log(`  ${text}`)

tell("Reminders: each before its meeting, or not at all", [
  ["reminders that were sent", completed, exactly(reminderCount + 2)],
  ["… started after their time", startedLate.length, exactly(0)],
  ["reminders that have expired", expired, exactly(reminderCount + 1)],
  ["… and had warned of it when submitted", late.filter(({ warning }) => warning !== null).length, exactly(reminderCount)],
  ["submitted with nothing left to live", (await queue.get(tooLate.id))?.status, exactly("expired")],
  ["put off by, in hours", extendedMs / 3_600_000, exactly(1)],
  ["requests that the mail service saw", requests, exactly(reminderCount + 3)],
  ["most of them in any second", mostInWindow["requests all"], atMost(5)],
  ["429s, failures", refused + failed, exactly(0)],
])
await queue.close()
await provider.stop()

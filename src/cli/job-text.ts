// A job in words: how far it is, how fast, what holds it back and when it ends.

import type { Job, JobDetailView } from "../queue/index.ts"
import { jobTallies } from "../task/index.ts"
import { formatDuration, formatInstant } from "../units/index.ts"
import { counted } from "./counted.ts"
import { type Field, field } from "./fields.ts"
import { plain } from "./plain.ts"
import { instantAndRelative } from "./when.ts"

/** Never "100 %" while something is left. */
export function percentText({ progress, status }: Job): string {
  return `${status === "running" ? Math.min(99, Math.floor(progress * 100)) : Math.floor(progress * 100)} %`
}

/** "3 pending, 5 running, 92 completed" */
export function countsText({ tasks }: Job): string {
  return jobTallies.flatMap((status) => (tasks[status] > 0 ? [`${tasks[status]} ${status}`] : [])).join(", ")
}

/** "12/s", "3.2/min" */
export function rateText({ ratePerSecond }: Job): string | null {
  if (ratePerSecond === null) return null
  const [rate, unit] =
    ratePerSecond >= 1 ? [ratePerSecond, "s"] : ratePerSecond * 60 >= 1 ? [ratePerSecond * 60, "min"] : [ratePerSecond * 3_600, "h"]
  return `${rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10}/${unit}`
}

/** "in about 5m"; null where it has ended or nothing can be told. */
export function finishText({ estimatedFinishAt }: Job, now: Date): string | null {
  if (estimatedFinishAt === null) return null
  const seconds = Math.max(1, Math.ceil((estimatedFinishAt.getTime() - now.getTime()) / 1_000))
  return `in about ${formatDuration(seconds * 1_000)}`
}

export function jobFields({ job, heldBy, slots }: JobDetailView, now: Date): Field[] {
  const finish = finishText(job, now)
  return [
    ...field("job", job.id),
    ...field("name", plain(job.name)),
    ...field("status", job.status === "running" && job.isOpen ? "running (open: more tasks may be added)" : job.status),
    ...field("why", job.error === null ? null : plain(job.error)),
    ...field("tasks", `${job.ended} of ${job.total} ended, ${percentText(job)}${job.total > 0 ? ` (${countsText(job)})` : ""}`),
    ...field("rate", rateText(job)),
    ...field("ends", job.estimatedFinishAt && `${formatInstant(job.estimatedFinishAt.getTime())} (${finish})`),
    ...field("held by", heldBy && plain(heldText(heldBy, job))),
    ...field("slots", slots && `${slots.held} of ${slots.of} held`),
    ...field("failures in a row", failuresText(job)),
    ...field("refused", job.throttleCount > 0 ? counted(job.throttleCount, "time") : null),
    ...field("created", instantAndRelative(job.createdAt, now)),
    ...field("started", job.startedAt && instantAndRelative(job.startedAt, now)),
    ...field("ended", job.endedAt && instantAndRelative(job.endedAt, now)),
    ...field("followed by", job.onCompleteTaskId),
  ]
}

function failuresText({ failureStreak, failureThreshold }: Job): string | null {
  if (failureStreak === 0) return null
  return failureThreshold === null ? String(failureStreak) : `${failureStreak} of ${failureThreshold}`
}

/** Its own gate is its concurrency, whatever it is called inside. */
export function heldText(gate: string, job: Job): string {
  return gate.endsWith(`/${job.id}`) ? `its concurrency of ${job.concurrency}` : gate
}

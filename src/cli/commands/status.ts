// sluice status: the short view of a task, with its times seen from the store's now.

import type { Command } from "commander"
import type { Task } from "../../queue/index.ts"
import { formatInstant } from "../../units/index.ts"
import { colourOf } from "../colour.ts"
import { define } from "../define.ts"
import { startsText } from "../forecasts.ts"
import { jsonLine } from "../json-line.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { taskOf } from "../task-of.ts"
import { instantAndRelative } from "../when.ts"

export function addStatus(program: Command, session: Session): void {
  define(program, {
    usage: "status <id>",
    summary: "Show the state of a task in short",
    details: "Times are seen from the store's clock, the one that decides.",
    examples: ["sluice status 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a", "watch sluice status $id"],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const task = await taskOf(queue, id)
      if (session.isJson) session.printJson(task.toJSON())
      else
        for (const [name, value] of fields(task, await queue.now()))
          session.print(`${name}: ${name === "status" ? session.paint(colourOf(value), value) : value}`)
    }),
  )
}

/** What says something about this task in its status; the rest is for `get`. */
function fields(task: Task, now: Date): [string, string][] {
  const isPending = task.status === "pending"
  const isRunning = task.status === "running"
  const time = (name: string, at: Date | null, isShown = true): [string, string][] =>
    at !== null && isShown ? [[name, instantAndRelative(at, now)]] : []
  const count = (name: string, used: number, most: number | null): [string, string][] =>
    used > 0 || most !== null ? [[name, `${used} (${most === null ? "no cap" : `of ${most}`})`]] : []
  const text = (name: string, value: string | null): [string, string][] => (value === null ? [] : [[name, plain(value)]])
  return [
    ["id", task.id],
    ["task_type", task.type],
    ["status", task.status],
    ["attempt", String(task.attempt)],
    ...time("created_at", task.createdAt),
    ...time("available_at", task.availableAt, isPending),
    ...text("estimated_start_at", forecastText(task, now)),
    ...time("started_at", task.startedAt, !isPending),
    ...text("worker_id", task.workerId),
    ...time("lease_expires_at", task.leaseExpiresAt),
    ...time("cancel_requested_at", task.cancelRequestedAt, isRunning),
    ...time("completed_at", task.completedAt),
    ...time("expires_at", task.expiresAt),
    ...time("expired_at", task.expiredAt),
    ...count("retry_count", task.retryCount, task.maxRetries),
    ...count("reschedule_count", task.rescheduleCount, task.maxReschedules),
    ...count("throttle_count", task.throttleCount, task.maxThrottles),
    ...(task.progress === null ? [] : text("progress", jsonLine(task.progress))),
    ...text("last_error", task.lastError),
  ]
}

/** When a gate lets it start; what is merely due or scheduled says so by `available_at`. */
function forecastText({ forecast }: Task, now: Date): string | null {
  if (forecast === null || forecast.basis === "now" || forecast.basis === "schedule") return null
  const { at, basis, gate } = forecast
  if (basis === "unrouted") return "not before a worker that has its code has said which gates it passes"
  if (at === null) return `not before ${gate ?? "its gate"} is resumed`
  const starts = startsText(forecast, now)
  return `${formatInstant(at.getTime())} (${starts ?? "now"}${gate === null ? "" : `, held by ${gate}`})`
}

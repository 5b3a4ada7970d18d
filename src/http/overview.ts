// The state of a namespace at a glance. Counts are counters of the store; why tasks wait is told of all of them where there are few,
// else of a bounded number of them, and then it says so.

import type { Queue, Task } from "../queue/index.ts"
import type { Status } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"

const mostLookedAt = 200

export const waitingReasons = ["ready", "gate", "not_due", "no_worker", "unrouted"] as const
export type WaitingReason = (typeof waitingReasons)[number]

export interface Overview {
  readonly now: string
  readonly namespace: string
  readonly store: string
  readonly counts: Readonly<Record<Status, number>>
  /** Shares of those that wait, in tasks. */
  readonly waiting_by_reason: Readonly<Record<WaitingReason, number>>
  /** True where only some of them were looked at. */
  readonly is_estimate: boolean
  readonly oldest_waiting: { readonly id: string; readonly task_type: string; readonly since: string; readonly seconds: number } | null
  readonly live_workers: number
}

export async function overviewOf(queue: Queue, namespace: string, oldest: Task | null): Promise<Overview> {
  const now = await queue.now()
  const counts = await queue.counts()
  const workers = await queue.workers()
  const served = new Set(workers.flatMap(({ types }) => types))
  const looked = counts.pending === 0 ? [] : await queue.list({ status: "pending", limit: mostLookedAt })
  const tasks = Array.isArray(looked) ? [] : looked.tasks
  const tally = { ready: 0, gate: 0, not_due: 0, no_worker: 0, unrouted: 0 }
  for (const task of await withFresh(queue, tasks)) tally[reasonOf(task, now, served)]++
  const scale = tasks.length === 0 ? 0 : Math.max(1, counts.pending / tasks.length)
  const since = oldest && (oldest.availableAt > oldest.createdAt ? oldest.availableAt : oldest.createdAt)
  return {
    now: formatInstant(now.getTime()),
    namespace,
    store: queue.store.kind,
    counts,
    waiting_by_reason: Object.fromEntries(
      waitingReasons.map((one) => [one, Math.round(tally[one] * scale)]),
    ) as Overview["waiting_by_reason"],
    is_estimate: counts.pending > tasks.length,
    oldest_waiting:
      oldest && since && since <= now
        ? {
            id: oldest.id,
            task_type: oldest.type,
            since: formatInstant(since.getTime()),
            seconds: (now.getTime() - since.getTime()) / 1_000,
          }
        : null,
    live_workers: workers.length,
  }
}

async function withFresh(queue: Queue, tasks: readonly Task[]): Promise<Task[]> {
  if (tasks.length === 0) return []
  const fresh = await queue.getMany(tasks.map(({ id }) => id))
  return fresh.filter((task): task is Task => task?.status === "pending")
}

function reasonOf(task: Task, now: Date, served: ReadonlySet<string>): WaitingReason {
  if (task.gates === null) return "unrouted"
  if (task.availableAt > now) return "not_due"
  if (!served.has(task.type)) return "no_worker"
  return task.forecast === null || task.forecast.basis === "now" ? "ready" : "gate"
}

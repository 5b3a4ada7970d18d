// When pending tasks are expected to start. A page of a list does not have it; it is asked for those that a gate may hold.

import { type Queue, Task, type TaskForecast } from "../queue/index.ts"
import { relative } from "./when.ts"

/** A forecast costs the store some looking; beyond a screen or two nobody reads them. */
const most = 100

export async function forecastsOf(queue: Queue, tasks: readonly Task[]): Promise<ReadonlyMap<string, TaskForecast>> {
  const ids = tasks
    .filter(({ status, gates }) => status === "pending" && (gates === null || gates.length > 0))
    .slice(0, most)
    .map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const found = await queue.store.get({ ids })
  const asked = found.tasks.flatMap((task, i) => (task ? [new Task(task, found.forecasts[i])] : []))
  return new Map(asked.flatMap(({ id, forecast }) => (forecast ? [[id, forecast]] : [])))
}

/** "in about 12s"; null where a worker is waited for, also one that has the code and says which gates it passes. */
export function startsText({ at, basis }: TaskForecast, now: Date): string | null {
  if (basis === "unrouted" || basis === "schedule") return null
  if (at === null) return "paused"
  return at > now ? relative(at.getTime(), now.getTime()).replace("in ", "in about ") : null
}

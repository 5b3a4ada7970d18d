// What to say of a type that no live worker handles: the mistake that everybody makes first, a name that is not the same on both sides.

import type { Queue, WorkerView } from "../queue/index.ts"
import { nearest } from "../units/index.ts"

/** Null where a live worker handles it. `own`: types of a worker that is about to start. */
export function unhandledText(type: string, workers: readonly Pick<WorkerView, "types">[], own: readonly string[] = []): string | null {
  const handled = [...new Set([...own, ...workers.flatMap(({ types }) => types)])].sort()
  if (handled.includes(type)) return null
  const near = nearest(type, handled)
  const hint =
    near !== null ? `did you mean ${near}?` : handled.length === 0 ? 'start one, for example with "sluice work"' : listText(handled)
  return `no live worker handles ${type}; ${hint}`
}

/** Of the latest tasks that wait: a sentence for each type that nobody handles. */
export async function unhandledWaiting(queue: Queue, own: readonly string[]): Promise<string[]> {
  const { tasks } = await queue.list({ status: "pending", limit: 100 })
  const others = [...new Set(tasks.map(({ type }) => type))].filter((type) => !own.includes(type))
  if (others.length === 0) return []
  const workers = await queue.workers()
  return others.slice(0, 5).flatMap((type) => unhandledText(type, workers, own) ?? [])
}

function listText(types: readonly string[]): string {
  return `they handle ${types.slice(0, 5).join(", ")}${types.length > 5 ? ", …" : ""}`
}

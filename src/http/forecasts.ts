// Where tasks wait, when it opens there, and how good forecasts were.

import { summarise } from "../queue/forecast-summary.ts"
import type { GatesPage, GateView, Queue } from "../queue/index.ts"
import { gateDocument } from "./documents.ts"

/** `most`: gates of each limit. */
export async function forecastsOf(queue: Queue, most: number) {
  const limits = (await queue.limits.list()).filter(({ waitingTasks }) => waitingTasks > 0)
  const { types } = await queue.forecastErrors()
  return {
    limits: await Promise.all(
      limits.map(async ({ name, waitingTasks }) => {
        const { gates, hasMore } = await waitingAt(queue, name, most)
        return { name, waiting_tasks: waitingTasks, gates: gates.map(gateDocument), has_more: hasMore }
      }),
    ),
    errors: types.map(({ type, buckets }) => {
      const { count, p50Ms, p99Ms } = summarise(buckets)
      return { task_type: type, count, p50_below_ms: p50Ms, p99_below_ms: p99Ms }
    }),
  }
}

/** Gates come by key, so more than are wanted may have to be looked at; not without end. */
async function waitingAt(
  queue: Queue,
  limit: string,
  most: number,
): Promise<{ readonly gates: readonly GateView[]; readonly hasMore: boolean }> {
  const found: GateView[] = []
  let cursor: string | null = null
  for (let page = 0; page < 10 && found.length <= most; page++) {
    const next: GatesPage = await queue.limits.gates(limit, { limit: 1_000, ...(cursor === null ? {} : { cursor }) })
    found.push(...next.gates.filter(({ waitingTasks }) => waitingTasks > 0))
    cursor = next.cursor
    if (cursor === null) break
  }
  return { gates: found.slice(0, most), hasMore: found.length > most || cursor !== null }
}

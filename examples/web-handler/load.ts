// The other side: three requests at once. The work: forecasts to refresh in the background, and people who want to know now, one of whom
// is refused because others have used up the quota.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { refresh } from "./tasks.ts"

export const atOnce = 3
export const routes = { weather: { atOnce, says: "quota", answerMs: 40 } } satisfies Record<string, Route>

export const [taskCount, visitors] = [30, 12]

export async function submit(queue: Queue, url: string) {
  return queue.submitMany(
    refresh,
    Array.from({ length: taskCount }, (_, i) => ({ url: `${url}/weather/task/${i}` })),
  )
}

/** The statuses that people are answered with. */
export async function visit(url: string): Promise<number[]> {
  const paths = Array.from({ length: visitors }, (_, i) => `/weather/visitor/${i}${i === 0 ? "?refuse=1" : ""}`)
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${url}${path}`)
      await response.arrayBuffer()
      return response.status
    }),
  )
}

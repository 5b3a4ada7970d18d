// Stores that are wrong about what live views look at.

import type { BrokenStore } from "./broken-stores.ts"

export const brokenWatching: readonly BrokenStore[] = [
  {
    name: "lists workers that are long gone",
    caughtBy: ["watching"],
    breakIt: (store, shared) => ({
      workers: async (request) => {
        const answer = await store.workers(request)
        const known = (shared.get("workers") ?? answer.workers) as typeof answer.workers
        shared.set("workers", known.length > 0 ? known : answer.workers)
        return answer.workers.length === 0 ? { ...answer, workers: known } : answer
      },
    }),
  },
  {
    name: "finds what waits from the newest on",
    caughtBy: ["watching"],
    breakIt: (store) => ({
      waiting: async (request) => {
        const everything = { type: null, tag: null, jobId: null, createdFromMs: null, createdBeforeMs: null, beforeSeq: null, limit: 1 }
        const { tasks } = await store.list({ ...everything, statuses: ["pending"] })
        return { ...(await store.waiting(request)), first: tasks[0] ?? null }
      },
    }),
  },
  {
    name: "counts all that expire, whenever",
    caughtBy: ["watching"],
    breakIt: (store) => ({ waiting: (request) => store.waiting({ ...request, expiringWithinMs: 1e12 }) }),
  },
]

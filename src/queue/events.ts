// What a queue tells: of what this process submits, and of its limits outside the queue. Logging and metrics are listeners.

import type { Worker } from "../worker/index.ts"

export interface QueueEvents {
  /** This process has made a worker: whoever counts listens to it. */
  "worker.made": { readonly worker: Worker }
  /** This process has submitted a task; `ttlMs`: from its submission to its expiry, null where it never expires. */
  "task.submitted": { readonly id: string; readonly type: string; readonly ttlMs: number | null }
  /** This process has cancelled a task that waited, or asked one that runs to stop. */
  "task.cancelled": { readonly id: string; readonly type: string }
  /** The store is out of reach: calls of this limit go on with what this process has. `slots`: its share of a concurrency, null without one. */
  "limit.detached": {
    readonly limit: string
    readonly error: Error
    readonly fallback: "share" | "refuse"
    readonly slots: number | null
  }
  /** It is back. */
  "limit.attached": { readonly limit: string; readonly awayMs: number }
  /** A call has lost its slot: its lease could not be renewed in time, or was given to another. Its signal has fired. */
  "limit.lost": { readonly limit: string; readonly key: string; readonly id: string }
}

export const queueEventNames: Readonly<Record<keyof QueueEvents, true>> = {
  "worker.made": true,
  "task.submitted": true,
  "task.cancelled": true,
  "limit.detached": true,
  "limit.attached": true,
  "limit.lost": true,
}

// What a queue tells of its limits outside the queue. Logging and metrics are listeners.

export interface QueueEvents {
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

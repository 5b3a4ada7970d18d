// Every default there is, in one table. docs/reference/configuration.md shows it, and a test holds the two together.

import { defaultBackoff } from "../task/index.ts"

export const taskDefaults = {
  priority: 0,
  maxRetries: 3,
  timeoutMs: 300_000,
  cost: 1,
} as const

export const limitDefaults = {
  provider: "unknown",
  /** For `unknown`: how long a request may be under way before it is counted. */
  slackMs: 500,
  /** For `fixed`: the distance from both ends of a window, but never more than a tenth of it. */
  guardMs: 250,
} as const

export const jobDefaults = {
  failureThreshold: 20,
  /** About one task: what it asked for is not there, or no more. */
  exemptStatuses: [404, 410],
  /** For `cancelAfterThrottles: true`. */
  throttles: 20,
  throttleDelayMs: 60_000,
} as const

export const queueDefaults = {
  namespace: "default",
  maxInputBytes: 256 * 1_024,
} as const

/** Of limits outside the queue. */
export const callDefaults = {
  /** How long a call waits in line. */
  waitMs: 30_000,
  leaseMs: 30_000,
  fallback: "share",
  /** How long a process may use its share after it was last heard of. */
  fallbackForMs: 120_000,
} as const

export const workerDefaults = {
  concurrency: 10,
  leaseMs: 30_000,
  heartbeatMs: 10_000,
  sweepMs: 10_000,
  graceMs: 30_000,
  /** A claimed task with gates that has not started by then is given back. */
  startWithinMs: 250,
  /** How often a worker says which types and limits it knows. */
  helloMs: 30_000,
  retentionMs: 7 * 86_400_000,
  schedules: true,
  backoff: defaultBackoff,
} as const

// How records are laid out in Redis, for the script that writes them and the client that reads what it answers.
//
// A task is two packed arrays, one behind the other, in the hash `tasks`. The live one changes with the task:
//   0 status, 1 seq, 2 type, 3 createdAtMs, 4 availableAtMs, 5 readyAtMs, 6 version, 7 priority, 8 standing, 9 lane,
//   10 expiresAtMs, 11 jobId, 12 flow, 13 gates, 14 forecastAtMs, 15 fence, 16 attempt, 17 updatedAtMs, 18 startedAtMs, 19 workerId,
//   20 claimNumber, 21 leaseExpiresAtMs, 22 lastOutcome, 23 past, 24 output, 25 completedAtMs, 26 progress, 27 retryCount,
//   28 rescheduleCount, 29 throttleCount, 30 crashCount, 31 cancelRequestedAtMs, 32 expiredAtMs, 33 lastError
// The fixed one never does, and a step copies it as it is:
//   0 input, 1 maxRetries, 2 timeoutMs, 3 maxReschedules, 4 maxThrottles, 5 tags, 6 idempotencyKey, 7 inputDigest
// Times but createdAtMs are kept as what they are after it. `false` stands for null, for a count of 0, for a flow that is the type
// and for no gates or tags; whatever is false at the end of an array is left out. `true` stands for an input or an output that is
// kept apart, and for gates that nobody knows yet.

/** Of this layout, in `meta`. */
export const layoutVersion = 1

/** Inputs and outputs above this are kept apart, so that a claim or a heartbeat does not rewrite them. */
export const inlineBytes = 1_024

/** How many sequence numbers one key of `order` holds. */
export const orderSpan = 128

/** A status is stored as its place here. New ones go to the end. */
export const storedStatuses = ["pending", "running", "completed", "failed", "cancelled", "expired", "archived"] as const

export const storedOutcomes = ["completed", "retried", "failed", "rescheduled", "throttled", "released", "cancelled", "lost"] as const

export const storedEvents = [
  "created",
  "claimed",
  "completed",
  "retried",
  "failed",
  "rescheduled",
  "throttled",
  "released",
  "lost",
  "expired",
  "cancel_requested",
  "cancelled",
  "requeued",
  "archived",
] as const

/** A gate of a task: limit, key, cost, most, reserved, delayMs. */
export type StoredGateRef = readonly [string, string, number, (number | false)?, (number | false)?, (number | false)?]

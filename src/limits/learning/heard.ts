// What one answer of the other side says to a gate. Times are the store's.

export interface Heard {
  /** When the request went out, and when its answer had come. */
  readonly sentAtUs: number
  readonly respondedAtUs: number | null
  /** What was charged for it. */
  readonly cost: number
  /** The distance that its task asks for itself. */
  readonly delayUs: number
  /** `served`: it counts as one that passed. `refused`: too fast. `told`: neither, and only what it says of quotas counts. */
  readonly kind: "served" | "refused" | "told"
  /** Why it was refused: too fast, or too many at once. */
  readonly reason: "rate" | "concurrency"
  readonly retryAfterUs: number | null
  /** What is left of the quota that the limit is about. */
  readonly quota: HeardQuota | null
  /** In [0, 1), from the caller. */
  readonly random: number
}

export interface HeardQuota {
  readonly limit: number | null
  readonly remaining: number | null
  /** From the answer on, until the window ends or the bucket is full again. */
  readonly resetUs: number | null
  readonly windowUs: number | null
}

// What a worker reports of a run. Delays are durations, not times: the worker's clock decides nothing.

export type Outcome =
  | { readonly kind: "completed"; readonly output: string | null }
  /** `status`: what the other side had answered, where the failure was about that. */
  | { readonly kind: "retried"; readonly error: string; readonly delayMs: number; readonly status?: number }
  | { readonly kind: "failed"; readonly error: string; readonly status?: number }
  | {
      readonly kind: "rescheduled"
      readonly delayMs: number
      readonly extendExpirationMs: number
      readonly reason: string | null
    }
  /**
   * The other side said "too fast". The gates of `limit` cool down, or all of the task's gates where it is null; a task that passes
   * none of them waits alone, for `delayMs`.
   */
  | {
      readonly kind: "throttled"
      readonly error: string
      readonly status: number | null
      readonly limit: string | null
      readonly retryAfterMs: number | null
      readonly delayMs: number
      /** In [0, 1): the jitter of the cooldown. */
      readonly random: number
      /** "task": it was about this request and not about the pace, so that no gate cools down. */
      readonly scope?: "task"
      /** How often a task may be throttled that does not say so itself; absent: any number of times. */
      readonly cap?: number
    }
  /** Given back unfinished (drain, or a claim that came too late to start): burns nothing, keeps its place. */
  | { readonly kind: "released"; readonly reason: string }
  /** The handler stopped because the task's cancellation was requested. */
  | { readonly kind: "cancelled" }

export type OutcomeKind = Outcome["kind"]

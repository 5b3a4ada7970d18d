// What a worker reports of a run. Delays are durations, not times: the worker's clock decides nothing.

export type Outcome =
  | { readonly kind: "completed"; readonly output: string | null }
  | { readonly kind: "retried"; readonly error: string; readonly delayMs: number }
  | { readonly kind: "failed"; readonly error: string }
  | {
      readonly kind: "rescheduled"
      readonly delayMs: number
      readonly extendExpirationMs: number
      readonly reason: string | null
    }
  | { readonly kind: "throttled"; readonly delayMs: number; readonly error: string; readonly status: number | null }
  /** Given back unfinished (drain, or a claim that came too late to start): burns nothing, keeps its place. */
  | { readonly kind: "released"; readonly reason: string }
  /** The handler stopped because the task's cancellation was requested. */
  | { readonly kind: "cancelled" }

export type OutcomeKind = Outcome["kind"]

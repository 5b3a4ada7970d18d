// How long a failed task waits: exponential with full jitter, so that what failed together does not return together.

export interface Backoff {
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
}

export const defaultBackoff: Backoff = { baseMs: 1_000, factor: 2, capMs: 60_000 }

/** `retry` counts from 1. `random` in [0, 1) comes from the caller. */
export function backoffMs(backoff: Backoff, retry: number, random: number): number {
  const ceilingMs = Math.min(backoff.capMs, backoff.baseMs * backoff.factor ** Math.max(0, retry - 1))
  return Math.floor(random * (ceilingMs + 1))
}

/** One random number spread over many rows, evenly and repeatably (the golden ratio never lines up). */
export function spread(random: number, index: number): number {
  return (random + index * 0.618_033_988_749_895) % 1
}

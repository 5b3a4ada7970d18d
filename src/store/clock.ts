// The store's clock: never backwards, never frozen. While the machine's clock is behind the highest time given out, it
// goes on at half speed, so that leases and windows neither shorten nor stop.

export interface ClockState {
  /** The last time given out. */
  readonly lastMs: number
  /** What the machine's clock showed then, while it was behind; null while it leads. */
  readonly behindAtMs: number | null
}

export const clockStart: ClockState = { lastMs: 0, behindAtMs: null }

export function tick(clock: ClockState, wallMs: number): ClockState {
  if (wallMs >= clock.lastMs) return { lastMs: wallMs, behindAtMs: null }
  if (clock.behindAtMs === null || wallMs < clock.behindAtMs) return { lastMs: clock.lastMs, behindAtMs: wallMs }
  const gainedMs = Math.floor((wallMs - clock.behindAtMs) / 2)
  // An odd millisecond stays on the account, else frequent readings would freeze the clock.
  return { lastMs: clock.lastMs + gainedMs, behindAtMs: clock.behindAtMs + gainedMs * 2 }
}

/** Of two readings of one clock the one to go on from: the later; of two alike the one that was further behind, for it knows of the last step back. */
export function laterClock(a: ClockState, b: ClockState): ClockState {
  if (a.lastMs !== b.lastMs) return a.lastMs > b.lastMs ? a : b
  return (a.behindAtMs ?? Number.POSITIVE_INFINITY) <= (b.behindAtMs ?? Number.POSITIVE_INFINITY) ? a : b
}

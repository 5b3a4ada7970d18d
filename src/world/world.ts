// The seam: everything that is not a function of its arguments enters Sluice here. Clock, timers, randomness and the
// network are taken from a World that is handed in, so that tests can stop time and simulations can replay a seed.

export interface Timer {
  cancel(): void
}

export interface World {
  /** Milliseconds since the epoch, a whole number. May step; compare only what the same store has stamped. */
  wallMs(): number
  /** Milliseconds from some start, never backwards. For deadlines inside one process. */
  monotonicMs(): number
  /** Runs once after the delay, however long it is. */
  timer(delayMs: number, run: () => void): Timer
  /** Runs once, after the input and output that is already waiting has been handled. */
  turn(run: () => void): void
  /** In [0, 1). */
  random(): number
  randomBytes(count: number): Uint8Array
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
}

/** Resolves after the delay, or at once when the signal fires: sleeping is never an error. */
export function sleep(world: World, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel()
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = world.timer(delayMs, done)
    signal?.addEventListener("abort", done, { once: true })
  })
}

/** A random name part of 4·n bits, for worker and process ids. */
export function randomHex(world: World, digits: number): string {
  return Buffer.from(world.randomBytes(Math.ceil(digits / 2)))
    .toString("hex")
    .slice(0, digits)
}

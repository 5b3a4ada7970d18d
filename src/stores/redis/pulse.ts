// Whether the other side is still there. A connection that is cut without a word says nothing, and what is written to it goes nowhere for
// a quarter of an hour. So one that is idle is pinged now and then, and one that owes an answer for too long is over. One timer a
// connection, and nothing for each call.

import type { Timer, World } from "../../world/index.ts"

export const pulseMs = 15_000
/** Longer than any step, and than a server takes to fork. */
export const mostSilentMs = 30_000

export interface Pulse {
  /** Something was sent; to be called again once it is answered, whatever the answer is. */
  sent(): () => void
  stop(): void
}

export function keepPulse(world: World, ping: () => Promise<unknown>, over: (cause: Error) => void): Pulse {
  let owed = 0
  let heardAtMs = world.monotonicMs()
  let timer: Timer = world.timer(pulseMs, beat)

  function sent(): () => void {
    if (owed++ === 0) heardAtMs = world.monotonicMs()
    return () => {
      owed--
      heardAtMs = world.monotonicMs()
    }
  }

  function beat(): void {
    const silentMs = world.monotonicMs() - heardAtMs
    if (owed > 0 && silentMs >= mostSilentMs) {
      over(new Error(`No answer for ${Math.round(silentMs)}ms`))
      return
    }
    timer = world.timer(pulseMs, beat)
    if (owed > 0 || silentMs < pulseMs) return
    const answered = sent()
    ping().then(answered, answered)
  }

  return { sent, stop: () => timer.cancel() }
}

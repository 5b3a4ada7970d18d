// The server's clock, as well as it can be known from here: countdowns run by it, whatever the clock of this machine says.

import { signal } from "@preact/signals"
import { every, wallMs } from "../browser.ts"

const tickMs = 500
let aheadMs = 0
let errorMs = Number.POSITIVE_INFINITY

/** Moves on twice a second: what reads it is drawn anew. */
export const nowMs = signal(wallMs())

/** `sentMs` and `receivedMs` by this machine's clock; the reading that was the quickest is kept. */
export function learnClock(serverNow: string, sentMs: number, receivedMs: number): void {
  const halfMs = Math.max(0, (receivedMs - sentMs) / 2)
  if (halfMs > errorMs + 50) return
  errorMs = halfMs
  aheadMs = Date.parse(serverNow) + halfMs - receivedMs
  tick()
}

/** What has just come from the server is not ahead of the time that it is held against. */
export function tick(): void {
  nowMs.value = wallMs() + aheadMs
}

export function startClock(): void {
  every(tickMs, tick)
}

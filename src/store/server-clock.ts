// The server's clock as this process knows it. Each answer's `Date` has whole seconds and was told between sending and receiving, so it
// bounds by how much the server's clock is ahead of this process's own; what all answers have said is intersected. Pure: times come in.

import type { Reply } from "./client.ts"

/** By so much two clocks part at most, per millisecond. */
const driftPerMs = 200e-6
const secondMs = 1_000

export interface Bounds {
  /** The server's time is no earlier, and no later. */
  readonly fromMs: number
  readonly toMs: number
}

export class ServerClock {
  private aheadFromMs = Number.NEGATIVE_INFINITY
  private aheadToMs = Number.POSITIVE_INFINITY
  private heardAtMs = 0

  hear({ dateMs, sentAtMs, receivedAtMs }: Pick<Reply, "dateMs" | "sentAtMs" | "receivedAtMs">): void {
    if (dateMs === null) return
    this.drift(receivedAtMs)
    const fromMs = dateMs - receivedAtMs
    const toMs = dateMs + secondMs - sentAtMs
    // The server's clock was set, or another server has answered: what was known does not hold any more.
    const isNew = fromMs > this.aheadToMs || toMs < this.aheadFromMs
    this.aheadFromMs = isNew ? fromMs : Math.max(this.aheadFromMs, fromMs)
    this.aheadToMs = isNew ? toMs : Math.min(this.aheadToMs, toMs)
  }

  /** Null before the first answer. */
  at(monotonicMs: number): Bounds | null {
    if (this.aheadFromMs === Number.NEGATIVE_INFINITY) return null
    this.drift(monotonicMs)
    return { fromMs: Math.floor(this.aheadFromMs + monotonicMs), toMs: Math.ceil(this.aheadToMs + monotonicMs) }
  }

  private drift(nowMs: number): void {
    const widerMs = Math.max(0, nowMs - this.heardAtMs) * driftPerMs
    this.heardAtMs = Math.max(this.heardAtMs, nowMs)
    this.aheadFromMs -= widerMs
    this.aheadToMs += widerMs
  }
}

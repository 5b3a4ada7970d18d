// A server's clock as this process knows it. What a server has told was so between sending and receiving, so each answer bounds by how much
// its clock is ahead of this process's own; what all answers have said is intersected. Pure: times come in.

/** By so much two clocks part at most, per millisecond. */
const driftPerMs = 200e-6

export interface Bounds {
  /** The server's time is no earlier, and no later. */
  readonly fromMs: number
  readonly toMs: number
}

/** What an answer says of the time, and between which moments, on the process's own clock, the server has read it. */
export interface Told {
  readonly atMs: number
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

export class ServerClock {
  /** What the server tells is cut off to this. */
  private readonly stepMs: number
  private aheadFromMs = Number.NEGATIVE_INFINITY
  private aheadToMs = Number.POSITIVE_INFINITY
  private heardAtMs = 0

  constructor(stepMs: number) {
    this.stepMs = stepMs
  }

  hear({ atMs, sentAtMs, receivedAtMs }: Told): void {
    this.drift(receivedAtMs)
    const fromMs = atMs - receivedAtMs
    const toMs = atMs + this.stepMs - sentAtMs
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

  /** On the process's own clock: what the server has told of this moment was so no earlier than then. */
  earliest(told: Told): number {
    this.hear(told)
    return Math.max(told.sentAtMs, told.atMs - this.aheadToMs)
  }

  private drift(nowMs: number): void {
    const widerMs = Math.max(0, nowMs - this.heardAtMs) * driftPerMs
    this.heardAtMs = Math.max(this.heardAtMs, nowMs)
    this.aheadFromMs -= widerMs
    this.aheadToMs += widerMs
  }
}

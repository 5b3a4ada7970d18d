// One call outside the queue, as its process knows it.
//
//   waiting ──granted by the store, or admitted under the share──▶ running ──released──▶ ended
//   waiting ──its time is over, or it is asked to stop──▶ ended
//   running ──its slot is lost──▶ running, with its signal fired, until it is released

import type { Acquired } from "../../store/index.ts"
import { gateName } from "../../task/index.ts"
import type { Noted } from "../../worker/requests.ts"

export interface CallWanted {
  readonly limit: string
  readonly key: string
  readonly cost: number
  /** A further request of a call that runs: charged, and takes no slot. */
  readonly isFurther: boolean
  /** 0: now or not at all. */
  readonly waitMs: number
  readonly signal: AbortSignal | null
}

/** What the store is told when a call ends; times on the monotonic clock. */
export interface Ending {
  readonly id: string
  readonly spent: number | null
  readonly sentAtMs: number | null
  readonly respondedAtMs: number | null
  readonly rttMs: number | null
  readonly heard: readonly Noted[]
}

export function nothingToTell(id: string): Ending {
  return { id, spent: null, sentAtMs: null, respondedAtMs: null, rttMs: null, heard: [] }
}

export class Call {
  readonly id: string
  readonly wanted: CallWanted
  readonly gate: string
  readonly askedAtMs: number
  state: "waiting" | "running" | "ended" = "waiting"
  /** A request with it has gone out: the store may know it. */
  isSent = false
  /** Waiting: it stands in line. Running: the store holds it for us. */
  isKnown = false
  isUnderShare = false
  isLost = false
  /** Its limit was unknown to the store, and has been declared again. */
  isDeclaredAgain = false
  /** On the monotonic clock: past this the slot cannot be relied on. */
  leaseEndsAtMs = Number.POSITIVE_INFINITY
  renewedAtMs = Number.NEGATIVE_INFINITY
  startedAtMs = 0
  /** Why it waits, as the store last said. */
  seen: Extract<Acquired, { kind: "waiting" | "refused" }> | null = null
  /** Fires when the slot is lost. */
  readonly lost = new AbortController()
  /** True where it runs now; false where it was to try, and may not. */
  readonly done: Promise<boolean>
  private settleDone: { resolve(isRunning: boolean): void; reject(error: unknown): void } | null = null
  private stopWaiting: () => void = () => {}

  constructor(id: string, wanted: CallWanted, nowMs: number) {
    this.id = id
    this.wanted = wanted
    this.gate = gateName(wanted)
    this.askedAtMs = nowMs
    this.done = new Promise((resolve, reject) => {
      this.settleDone = { resolve, reject }
    })
  }

  /** What ends with its waiting: timers and listeners. */
  onceDone(stop: () => void): void {
    this.stopWaiting = stop
  }

  start(nowMs: number): void {
    this.state = "running"
    this.startedAtMs = nowMs
    this.stopWaiting()
    this.settleDone?.resolve(true)
  }

  refuse(error: unknown): void {
    this.state = "ended"
    this.stopWaiting()
    if (error === null) this.settleDone?.resolve(false)
    else this.settleDone?.reject(error)
  }
}

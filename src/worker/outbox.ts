// What a worker has to tell the store: outcomes, and which leases to keep. What an exchange carries is that exchange's until it is
// answered, and is told again by another when it was not.

import { budgets, type HeartbeatRequest, type SettleRequest } from "../store/index.ts"
import type { Outcome, TaskRecord } from "../task/index.ts"
import { ageMs, type Noted, toAnswer } from "./requests.ts"
import type { Run } from "./run.ts"
import type { Runs } from "./runs.ts"

export interface Settling {
  readonly task: TaskRecord
  readonly outcome: Outcome
  readonly durationMs: number
  readonly spent: SettleRequest["spent"]
  /** On the monotonic clock: when the request that was paid for went out, and when its answer had come; null where there was none. */
  readonly sentAtMs: number | null
  readonly respondedAtMs: number | null
  readonly rttMs: number | null
  readonly heard: readonly Noted[]
}

/** What one exchange carries. */
export interface Carried {
  readonly settling: readonly Settling[]
  readonly beating: readonly Run[]
}

export class Outbox {
  private readonly runs: Runs
  private readonly heartbeatMs: number
  private settling: Settling[] = []
  /** Runs of this round of heartbeats that no exchange has carried yet. */
  private beating: Run[] = []
  private nextRoundAtMs = 0

  constructor(runs: Runs, heartbeatMs: number) {
    this.runs = runs
    this.heartbeatMs = heartbeatMs
  }

  /** Nothing is to be settled; leases are of no interest then. */
  get isSettled(): boolean {
    return this.settling.length === 0
  }

  /** How many outcomes wait for the next exchange. */
  get waiting(): number {
    return this.settling.length
  }

  settle(settling: Settling): void {
    this.settling.push(settling)
  }

  /** A lease that was just taken needs no heartbeat yet. */
  firstRunStarts(nowMs: number): void {
    this.nextRoundAtMs = nowMs + this.heartbeatMs
  }

  isDue(nowMs: number): boolean {
    return this.settling.length > 0 || this.beating.length > 0 || (this.runs.size > 0 && nowMs >= this.nextRoundAtMs)
  }

  get nextAtMs(): number | null {
    return this.runs.size > 0 ? this.nextRoundAtMs : null
  }

  take(nowMs: number): Carried {
    if (this.runs.size > 0 && nowMs >= this.nextRoundAtMs) {
      this.nextRoundAtMs = nowMs + this.heartbeatMs
      this.beating = this.runs.all()
    }
    const settling = this.settling.splice(0, budgets.stepRows)
    const beating = this.beating.splice(0, budgets.stepRows).filter((run) => this.runs.has(run))
    return { settling, beating }
  }

  /** Nobody knows whether the store was told: it is told again. */
  putBack({ settling, beating }: Carried): void {
    this.settling = [...settling, ...this.settling]
    this.beating = [...beating, ...this.beating]
  }
}

export function heartbeatRequest({ task, progress }: Run): HeartbeatRequest {
  return { id: task.id, fence: task.fence, progress }
}

/** Times are told as ages, of now: what is sent again has grown older. */
export function settleRequest({ task, outcome, spent, sentAtMs, respondedAtMs, rttMs, heard }: Settling, nowMs: number): SettleRequest {
  const sentAgoMs = sentAtMs === null ? null : ageMs(sentAtMs, nowMs)
  const respondedAgoMs = respondedAtMs === null ? null : ageMs(respondedAtMs, nowMs)
  // Written out: an object made by spreading is a slow one, and there are as many as there are tasks.
  const request = { id: task.id, fence: task.fence, outcome, spent, sentAgoMs, respondedAgoMs, rttMs }
  return heard.length === 0 ? request : { ...request, heard: heard.map((answer) => toAnswer(answer, nowMs)) }
}

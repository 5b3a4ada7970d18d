// What a worker has to tell the store: outcomes, and which leases to keep. What an exchange carried stays in hand until it
// is answered, and is told again when it was not.

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

interface Carried {
  readonly settling: readonly Settling[]
  readonly beating: readonly Run[]
}

const nothing: Carried = { settling: [], beating: [] }

export class Outbox {
  private readonly runs: Runs
  private readonly heartbeatMs: number
  private settling: Settling[] = []
  /** Runs of this round of heartbeats that no exchange has carried yet. */
  private beating: Run[] = []
  private nextRoundAtMs = 0
  private carried = nothing

  constructor(runs: Runs, heartbeatMs: number) {
    this.runs = runs
    this.heartbeatMs = heartbeatMs
  }

  /** Nothing is to be settled; leases are of no interest then. */
  get isSettled(): boolean {
    return this.settling.length === 0
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

  take(nowMs: number): { settles: SettleRequest[]; heartbeats: HeartbeatRequest[] } {
    if (this.runs.size > 0 && nowMs >= this.nextRoundAtMs) {
      this.nextRoundAtMs = nowMs + this.heartbeatMs
      this.beating = this.runs.all()
    }
    const settling = this.settling.splice(0, budgets.stepRows)
    const beating = this.beating.splice(0, budgets.stepRows).filter((run) => this.runs.has(run))
    this.carried = { settling, beating }
    return {
      settles: settling.map((one) => settleRequest(one, nowMs)),
      heartbeats: beating.map(({ task, progress }) => ({ id: task.id, fence: task.fence, progress })),
    }
  }

  /** What the answer is about. */
  delivered(): Carried {
    const { carried } = this
    this.carried = nothing
    return carried
  }

  putBack(): void {
    this.settling = [...this.carried.settling, ...this.settling]
    this.beating = [...this.carried.beating, ...this.beating]
    this.carried = nothing
  }
}

/** Times are told as ages, of now: what is sent again has grown older. */
function settleRequest({ task, outcome, spent, sentAtMs, respondedAtMs, rttMs, heard }: Settling, nowMs: number): SettleRequest {
  const age = (atMs: number | null) => (atMs === null ? null : ageMs(atMs, nowMs))
  const ages = { sentAgoMs: age(sentAtMs), respondedAgoMs: age(respondedAtMs), rttMs }
  const told = heard.length === 0 ? {} : { heard: heard.map((answer) => toAnswer(answer, nowMs)) }
  return { id: task.id, fence: task.fence, outcome, spent, ...ages, ...told }
}

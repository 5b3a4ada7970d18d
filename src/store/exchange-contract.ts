// The worker's one call: what has ended, what still runs, and what to run next, in one step. Times that a worker has measured are told as
// ages, because its clock is not the store's.

import type { Outcome, Status, TaskRecord } from "../task/index.ts"

/** Why a worker may have several exchanges under way, and how many. Claims have numbers, so they may be answered in any order. */
export interface Overlap {
  readonly exchanges: number
  /** The fewest outcomes, or tasks to claim, that are worth an exchange beside another: a step has a cost of its own. */
  readonly leastTasks: number
  readonly reason: string
}

export interface ExchangeRequest {
  readonly workerId: string
  readonly settles: readonly SettleRequest[]
  readonly heartbeats: readonly HeartbeatRequest[]
  readonly leaseMs: number
  readonly claim: ClaimRequest | null
}

export interface SettleRequest {
  readonly id: string
  readonly fence: number
  readonly outcome: Outcome
  /** What was really spent, where that differs from what was reserved. */
  readonly spent: readonly { readonly limit: string; readonly actual: number }[]
  /** How long ago the request that the claim has paid for went out, and how long ago its answer came: ages, because clocks differ. */
  readonly sentAgoMs: number | null
  readonly respondedAgoMs: number | null
  /** From sending to response, where somebody has measured it. */
  readonly rttMs: number | null
  /** What the other side has answered, of which no permit has told yet. Absent: nobody has looked; the outcome is all there is. */
  readonly heard?: readonly Answer[]
}

/** An answer of the other side to one request of a run. */
export interface Answer {
  /** The limit that it is about; null: every one that the task passes. */
  readonly limit: string | null
  /** `served`: it passed. `refused`: too fast, or too many at once. `told`: neither; what it says of quotas counts. */
  readonly kind: "served" | "refused" | "told"
  readonly reason: "rate" | "concurrency"
  readonly retryAfterMs: number | null
  readonly quotas: readonly AnsweredQuota[]
  readonly sentAgoMs: number
  readonly respondedAgoMs: number
  /** In [0, 1): the jitter of a cooldown. */
  readonly random: number
}

export interface AnsweredQuota {
  readonly name: string
  readonly limit: number | null
  readonly remaining: number | null
  /** From the answer on. */
  readonly resetMs: number | null
  readonly windowMs: number | null
}

export interface HeartbeatRequest {
  readonly id: string
  readonly fence: number
  /** JSON text, or null for no change. */
  readonly progress: string | null
}

export interface ClaimRequest {
  /** Grows with each claim of this worker. A number that was seen already is answered with what that claim got, and claims nothing. */
  readonly number: number
  readonly types: readonly { readonly type: string; readonly room: number }[]
  readonly max: number
}

export interface ExchangeAnswer {
  readonly nowMs: number
  /** How long the request waited in the store before its step began, for a lock or for others: so much younger is what it claimed. */
  readonly waitedMs: number
  /** One for each settle, in its order. */
  readonly settled: readonly SettleAnswer[]
  /** One for each heartbeat, in its order. */
  readonly kept: readonly ("ok" | "stale")[]
  readonly claimed: readonly TaskRecord[]
  /** Tasks that this worker runs and that were asked to stop. */
  readonly cancelled: readonly { readonly id: string; readonly fence: number }[]
  /** The budget ended the claim: ask again at once. */
  readonly more: boolean
  /** When something that is not due yet can be claimed, if nothing else happens. */
  readonly nextAtMs: number | null
  /** The gate that opens at `nextAtMs`, where one does. */
  readonly blockedBy: string | null
  /** The claim was asked before: `claimed` is what it got then. Absent: it was not. */
  readonly isRepeat?: true
  /** How many records the claim looked at. */
  readonly touched: number
  /** Those of the types asked for that have tasks which nobody has routed. */
  readonly unrouted: readonly string[]
  /** Gates that keep another distance, or have another number of slots, since they have heard these settles. Absent: none. */
  readonly paced?: readonly PacedGate[]
  /** The earliest instant of a schedule: somebody has to fire it then. Absent: there is none. */
  readonly scheduleAtMs?: number
}

export interface PacedGate {
  readonly gate: string
  /** The distance between two starts; 0: none. */
  readonly everyMs: number
  readonly slots: number | null
  /** Refusals in a row that were reacted to. */
  readonly errorStreak: number
}

export type SettleAnswer = { readonly kind: "ok"; readonly status: Status } | { readonly kind: "stale" }

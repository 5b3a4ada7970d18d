// The part of the contract that is about limits: what processes declare, what people change, what is asked about gates and
// answered. Plain JSON like the rest.

import type { GatePolicy, GateState, Learned, SeedFields, Taught } from "../limits/index.ts"
import type { GateRef, TaskRecord } from "../task/index.ts"
import type { Answer } from "./exchange-contract.ts"

/** Said by every process that has the code, when it starts and every so often: what it knows of types and limits. */
export interface HelloRequest {
  /** The worker that says it; null for a process that only submits. */
  readonly workerId: string | null
  /** Every type that the process knows, with the names of the limits that its tasks may pass. */
  readonly types: readonly { readonly type: string; readonly limits: readonly string[] }[]
  readonly limits: readonly { readonly name: string; readonly policy: GatePolicy }[]
}

export interface HelloAnswer {
  readonly nowMs: number
  /** Limits for which live processes have declared different policies: the stricter holds. */
  readonly disagreements: readonly string[]
}

/** Tasks that were submitted without the code: pending, and out of every claim's reach until somebody routes them. */
export interface UnroutedRequest {
  readonly types: readonly string[]
  readonly limit: number
}

export interface RouteRequest {
  readonly routes: readonly Route[]
}

/** The gates of a task, or why it cannot have any: then it fails. */
export type Route =
  | { readonly id: string; readonly gates: readonly GateRef[]; readonly flow: string | null }
  | { readonly id: string; readonly error: string }

export interface RouteAnswer {
  /** One for each route. `stale`: it is not waiting for a route any more. */
  readonly results: readonly (RouteResult | { readonly kind: "ok" } | { readonly kind: "stale" })[]
}

/** What is wrong with the gates of a task. */
export type RouteResult =
  | { readonly kind: "unknown_limit"; readonly limit: string }
  | { readonly kind: "cost_above_limit"; readonly gate: string; readonly cost: number; readonly largest: number }

/** One more request by a running task, at gates that it has passed: charged at all of them for one moment, or at none. */
export interface PermitRequest {
  readonly id: string
  readonly fence: number
  /** Null: at every gate that it has passed. */
  readonly limit: string | null
  /** Null: as much as the claim was charged at each. */
  readonly cost: number | null
  /** A permit that would come later than this is not charged. */
  readonly withinMs: number
  /** What the other side has answered to earlier requests of the run. Absent: nothing new. */
  readonly heard?: readonly Answer[]
}

export type PermitAnswer =
  /** Charged: the request may go out after so long. */
  | { readonly kind: "ok"; readonly nowMs: number; readonly waitMs: number }
  /** Not charged: closed, or too far away. Ask again after so long (null: when there is news). */
  | { readonly kind: "later"; readonly waitMs: number | null }
  | { readonly kind: "stale" }
  /** The task does not pass through this limit. */
  | { readonly kind: "not_passed" }
  | { readonly kind: "cost_above_limit"; readonly gate: string; readonly cost: number; readonly largest: number }

/** When a task is expected to start, if nothing more arrives and workers have room. */
export interface Forecast {
  /** Null: not before somebody does something (a pause, a missing route). */
  readonly atMs: number | null
  readonly latestMs: number | null
  readonly basis: ForecastBasis
  /** The gate that decides, where one does. */
  readonly gate: string | null
}

/** `pace`: what was learned of the other side spaces the starts, and may change. */
export type ForecastBasis = "now" | "schedule" | "rate" | "pace" | "slots" | "cooldown" | "closed" | "paused" | "unrouted"

/** What holds for a gate right now. Rates and concurrency as they are after override and declarations. */
export interface GateReport {
  readonly gate: string
  readonly limit: string
  readonly key: string
  readonly policy: GatePolicy
  readonly isOverridden: boolean
  /** One for each rate of the policy. */
  readonly levels: readonly { readonly used: number; readonly of: number; readonly perMs: number }[]
  readonly slots: { readonly held: number; readonly of: number } | null
  readonly waitingTasks: number
  readonly waitingCost: number
  /** Outside the queue: they go before the tasks. */
  readonly waitingCalls: number
  /** When a cost of one may pass; null while paused. */
  readonly opensAtMs: number | null
  readonly isPaused: boolean
  /** By hand, until a time. */
  readonly closedUntilMs: number | null
  /** Because the other side said so. */
  readonly cooldown: { readonly untilMs: number; readonly count: number } | null
  /** How often the other side has said "too fast", for as long as the gate is remembered. */
  readonly refusals: number
  /** The distance between starts, where one is kept; and when the next may come. */
  readonly pace: { readonly everyUs: number; readonly nextAtMs: number } | null
  readonly learned: Learned | null
  /** What there is to tell of it, in the words of the seed. */
  readonly adaptive: SeedFields
  /** All that is kept of it, closed as long as people have closed it; absent unless it was asked for. */
  readonly state?: GateState
}

export interface Explanation {
  readonly nowMs: number
  readonly task: TaskRecord
  /** Null unless pending. */
  readonly forecast: Forecast | null
  /** Every gate that the task passes, each with what is ahead of the task there. */
  readonly gates: readonly (GateReport & { readonly cost: number; readonly aheadCost: number; readonly opensForTaskAtMs: number | null })[]
  /** The gate that decides when it starts. */
  readonly heldBy: string | null
  /** Tasks before it in its lane; null where it stands in none. */
  readonly tasksAhead: number | null
  /** Workers that were heard of lately and handle its type. */
  readonly liveWorkers: number
  readonly isUnrouted: boolean
  readonly expiresFirst: boolean
}

export interface LimitReport {
  readonly name: string
  /** What live code says; the stricter where it disagrees. */
  readonly base: GatePolicy | null
  readonly declarations: readonly { readonly policy: GatePolicy; readonly seenAtMs: number }[]
  /** By key; "" is the limit as a whole. */
  readonly settings: Readonly<Record<string, LimitSetting>>
  readonly gateCount: number
  readonly waitingTasks: number
}

/** A part that is missing is as the code says. */
export interface Override {
  readonly rates?: GatePolicy["rates"]
  readonly concurrency?: number
}

/** What people have set. */
export interface LimitSetting {
  readonly override: Override | null
  /** Null: until somebody changes it. */
  readonly overrideUntilMs: number | null
  readonly isPaused: boolean
  readonly closedUntilMs: number | null
}

export interface LimitsRequest {
  readonly names: readonly string[] | null
}

export interface GatesRequest {
  readonly limit: string
  /** Null: all, by key. */
  readonly keys: readonly string[] | null
  readonly afterKey: string | null
  readonly count: number
  /** With the state of each, to reckon on from there. */
  readonly withStates?: true
}

export interface GatesAnswer {
  readonly nowMs: number
  readonly gates: readonly GateReport[]
  readonly nextAfterKey: string | null
}

export type LimitChange =
  | { readonly kind: "set"; readonly override: Override; readonly untilMs: number | null }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "close"; readonly untilMs: number }
  /** Back to what the code says: no override, no pause, no closing, no cooldown. What was charged and what was learned stays. */
  | { readonly kind: "reset" }
  /**
   * What one gate has learned is replaced, if it is still at this version (null: in any case). Where nothing takes its place
   * it is forgotten, with key "" of every gate of the limit.
   */
  | { readonly kind: "teach"; readonly version: number | null; readonly taught: Taught | null }

export interface ChangeLimitRequest {
  readonly limit: string
  /** "" for the whole limit. */
  readonly key: string
  readonly change: LimitChange
  /** Who, in words. */
  readonly by: string
}

export type ChangeLimitAnswer =
  | { readonly kind: "ok"; readonly nowMs: number; readonly limit: LimitReport }
  | { readonly kind: "unknown_limit"; readonly known: readonly string[] }
  /** What the gate has learned is at another version: look again. Nothing was changed. */
  | { readonly kind: "conflict"; readonly version: number }

/** One line of the change log. `base`: a deploy changed what the code says. */
export interface LoggedChange {
  readonly number: number
  readonly atMs: number
  readonly limit: string
  readonly key: string
  readonly change: LimitChange | { readonly kind: "base"; readonly policy: GatePolicy }
  readonly by: string
}

export interface ChangesRequest {
  readonly limit: string | null
  readonly beforeNumber: number | null
  readonly count: number
}

/** How far forecasts at submission were from the true start, for every task that has started of which something could be told. */
export interface ForecastErrors {
  /** For each type: how many started, by the size of the error: bucket b counts errors below 2^b ms. */
  readonly types: readonly { readonly type: string; readonly buckets: Readonly<Record<number, number>> }[]
}

// What a store keeps of limits and gates, as one atomic step sees it: declarations and settings, live states, what waits, and when
// it is worth looking again. Part of the records, and synchronous like them.

import type { GateState } from "../limits/index.ts"
import type { GateRef } from "../task/index.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "./limits-contract.ts"
import type { LimitRecord } from "./policies.ts"

/** A gate that nobody has used for so long is looked at, whether it may be forgotten. */
export const gateForgottenAfterMs = 60_000

/** A gate as it is kept. Its number is the store's own, and never 0: that is where ready lanes stand. */
export interface StoredGate {
  readonly number: number
  readonly limit: string
  readonly key: string
  readonly state: GateState
  /** Whether somebody waited there when the step began. */
  readonly hasWaiters: boolean
  /** The same of calls. */
  readonly hasCalls: boolean
}

export type GateKey = Pick<GateRef, "limit" | "key">

/** What waits at a gate, or some of it. */
export interface Demand {
  readonly tasks: number
  readonly cost: number
  readonly flows: number
}

export interface DueGate {
  readonly gate: number
  readonly atMs: number
}

/** How many lines of the change log are kept. */
export const loggedChanges = 10_000

export interface LimitRecords {
  limit(name: string): LimitRecord | null
  limitNames(): readonly string[]
  saveLimit(limit: LimitRecord): void
  logChange(change: Omit<LoggedChange, "number">): void
  changes(request: ChangesRequest): readonly LoggedChange[]
  /** The limits that tasks of this type may pass; null where nobody has said. */
  limitsOfType(type: string): readonly string[] | null
  saveType(type: string, limits: readonly string[]): void
  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void
  forecastErrors(): ForecastErrors

  /** `name`: the gate's, which whoever asks has at hand. */
  gate(key: GateKey, name: string): StoredGate | null
  gateByNumber(number: number): StoredGate | null
  /** By key, after the given one. */
  gatesOf(limit: string, afterKey: string | null, count: number): readonly StoredGate[]
  countGates(limit: string): { readonly gates: number; readonly waitingTasks: number }
  addGate(key: GateKey, state: GateState): StoredGate
  saveGate(number: number, state: GateState): void
  removeGates(numbers: readonly number[]): void
  /** Gates that neither task nor call waits at and that were not written for a while, the longest first. */
  idleGates(limit: number): readonly StoredGate[]

  /** What waits at the gate with at least this priority; of one flow of one type, or all. */
  demand(gate: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand
  /** The types that wait at the gate. */
  typesAt(gate: number): readonly string[]
  /** When the first of those who wait there may pass; null when nobody waits. Those who sleep hear of a new or an earlier one. */
  setDue(type: string, gate: number, atMs: number | null): void
  /** Gates of the limit that somebody waits at are looked at again, at once, and those who wait hear of it. */
  hurry(limit: string): void
  /** Gates whose time has come, earliest first. */
  dueGates(type: string, limit: number): readonly DueGate[]
  nextOpening(type: string): DueGate | null
}

// What is simulated, in plain whole numbers.

import type { GatePolicy, GateState } from "../limits/index.ts"
import type { Durations } from "./durations.ts"

export interface Plan {
  readonly tasks: number
  /** Every task passes one gate of each. */
  readonly limits: readonly PlannedLimit[]
  readonly durations: Durations
  /** How many all workers together run at once; null: any number. */
  readonly room: number | null
  /** So many in so long, evenly; null: all of them are there from the start. */
  readonly arrivals: { readonly limit: number; readonly perMs: number } | null
  readonly seed: number
  /** When it starts, on the clock that fixed windows and stored gates go by. */
  readonly startMs: number
}

export interface PlannedLimit {
  readonly name: string
  /** What one task costs. */
  readonly cost: number
  /** One for each key. */
  readonly gates: readonly PlannedGate[]
}

export interface PlannedGate {
  /** How often a task is for this key, relative to the others of the limit. */
  readonly weight: number
  readonly policy: GatePolicy
  /** What holds instead from a time on, the earliest first: an override that ends. */
  readonly later: readonly { readonly atMs: number; readonly policy: GatePolicy }[]
  /** As it stands at the start; null: nothing has passed yet. */
  readonly state: GateState | null
  /** What waits there already. It goes first. */
  readonly waiting: { readonly tasks: number; readonly cost: number }
}

export const nothingWaits: PlannedGate["waiting"] = { tasks: 0, cost: 0 }

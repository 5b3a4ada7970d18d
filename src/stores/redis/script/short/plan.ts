// What an exchange that goes the short way is going to write. All of it is known before the first command that writes.

import type { Context } from "../context.ts"
import type { ShortGate, ShortLimit } from "./gate.ts"

export interface Plan {
  readonly context: Context
  readonly base: string
  readonly nowMs: number
  readonly workerId: string
  /** Id and record, one after the other. */
  readonly tasks: string[]
  readonly finished: number[]
  readonly started: number[]
  /** By type: how many have completed, and how many have started. */
  readonly types: string[]
  readonly completed: Record<string, number>
  readonly claimed: Record<string, number>
  /** Gates by name; those that have changed. */
  readonly gates: Record<string, ShortGate | undefined>
  readonly changedGates: ShortGate[]
  readonly shortLimits: Record<string, ShortLimit | undefined>
  /** By limit: how many that waited at its gates have started. */
  readonly limits: string[]
  readonly leftLimit: Record<string, number>
}

export function newPlan(context: Context, workerId: string): Plan {
  const { base, nowMs } = context
  return {
    context,
    base,
    nowMs,
    workerId,
    tasks: [],
    finished: [],
    started: [],
    types: [],
    completed: {},
    claimed: {},
    gates: {},
    changedGates: [],
    shortLimits: {},
    limits: [],
    leftLimit: {},
  }
}

export function countType(plan: Plan, counts: Record<string, number>, type: string, more: number): void {
  if (plan.completed[type] === undefined) {
    plan.types.push(type)
    plan.completed[type] = 0
    plan.claimed[type] = 0
  }
  counts[type] = (counts[type] as number) + more
}

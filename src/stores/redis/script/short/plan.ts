// What an exchange that goes the short way is going to write. All of it is known before the first command that writes.

import type { Values } from "../batch.ts"
import type { Context } from "../context.ts"
import { pack } from "./bytes.ts"
import type { ShortLimit, TailChange } from "./gate.ts"

export interface Plan {
  readonly context: Context
  readonly base: string
  readonly nowMs: number
  readonly workerId: string
  /** Nothing will be due, and nobody has to be told of anything. */
  isQuiet: boolean
  /** Id and record, one after the other. */
  readonly tasks: string[]
  /** Their sequence numbers, in digits. */
  readonly finished: string[]
  readonly started: string[]
  /** By type: how many have completed, and how many have started. */
  readonly types: string[]
  readonly completed: Record<string, number>
  readonly claimed: Record<string, number>
  /** The time, packed. */
  readonly now: string
  /** Gates by name, packed; those that have changed, and those that nobody waits at any more: time and number, one after the other. */
  readonly gates: Record<string, string | undefined>
  readonly changedGates: string[]
  readonly isGateChanged: Record<string, boolean | undefined>
  readonly idleGates: Values
  /** What the latest passing and the latest leaving have made of a gate: the same again where all is alike. */
  readonly passed: TailChange
  readonly left: TailChange
  readonly shortLimits: Record<string, ShortLimit | undefined>
  /** By limit: how many more wait at its gates. */
  readonly limits: string[]
  readonly moreOfLimit: Record<string, number | undefined>
}

export function newPlan(context: Context, workerId: string): Plan {
  const { base, nowMs } = context
  return {
    context,
    base,
    nowMs,
    workerId,
    isQuiet: false,
    tasks: [],
    finished: [],
    started: [],
    types: [],
    completed: {},
    claimed: {},
    now: pack(nowMs),
    gates: {},
    changedGates: [],
    isGateChanged: {},
    idleGates: [],
    passed: { limit: "", cost: 0, atUs: 0, before: "", after: "" },
    left: { limit: "", cost: 0, atUs: 0, before: "", after: "" },
    shortLimits: {},
    limits: [],
    moreOfLimit: {},
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

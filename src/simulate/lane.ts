// A lane of the simulation: waiting tasks that pass the same gates, the first first.

import type { Gate } from "./gate.ts"

export interface Lane {
  readonly passes: readonly { readonly gate: Gate; readonly cost: number }[]
  /** Numbers of tasks; those before `at` have started. */
  readonly tasks: number[]
  at: number
  /** Where it waits; null while it is ready, or empty. */
  standsAt: Gate | null
  /** The gate that has called it, until it has tried. */
  calledBy: Gate | null
}

export function newLane(passes: Lane["passes"]): Lane {
  return { passes, tasks: [], at: 0, standsAt: null, calledBy: null }
}

/** The number of its first task: who came first goes first. */
export function headOf({ tasks, at }: Lane): number {
  return tasks[at] ?? Number.POSITIVE_INFINITY
}

export function costAt({ passes }: Lane, gate: Gate): number {
  return passes.find((pass) => pass.gate === gate)?.cost ?? 1
}

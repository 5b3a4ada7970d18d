// What a simulation tells, in names and milliseconds.

import type { Run } from "./engine.ts"
import type { HeldTime } from "./held.ts"
import type { Plan } from "./plan.ts"

export interface Simulation {
  readonly tasks: number
  /** Tasks that waited in the store already, and went first. */
  readonly ahead: number
  /** From the start to the end of the last task; null: some never start. */
  readonly endMs: number | null
  /** Tasks that end in a second, on average; null where they never end. */
  readonly perSecond: number | null
  /** From a task's coming to its start. */
  readonly wait: Waits
  /** How many ran at once at most. */
  readonly mostRunning: number
  /** When the last one came; and how many waited then. */
  readonly lastArrivalMs: number
  readonly waitingAtLastArrival: number
  /** What held the task that had waited longest, and for which share of the time until the last start; the longest first. */
  readonly binds: readonly Binding[]
  /** The same with one unit more: of each rate, each concurrency, and the room of the workers. */
  readonly oneMore: readonly OneMore[]
}

export interface Waits {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Binding {
  /** Null: the workers had no room. */
  readonly limit: string | null
  readonly by: "rate" | "concurrency" | "pace" | "closed" | "workers"
  /** From 0 to 1. */
  readonly share: number
}

export interface OneMore {
  /** Null: the room of the workers. */
  readonly limit: string | null
  readonly of: "rate" | "concurrency" | "workers"
  /** The window of the rate; null where it is none. */
  readonly perMs: number | null
  readonly from: number
  readonly to: number
  readonly endMs: number | null
  /** How much earlier all is done; 0: it buys nothing. Null where it never ends, with or without. */
  readonly earlierMs: number | null
  readonly wait: Waits
}

export type Told = Omit<Simulation, "oneMore">

export function toldOf(plan: Plan, run: Run, ahead: number): Told {
  const endMs = run.lengthUs === null ? null : run.lengthUs / 1_000
  return {
    tasks: plan.tasks,
    ahead,
    endMs,
    perSecond: endMs === null || endMs === 0 ? null : ((plan.tasks + ahead) * 1_000) / endMs,
    wait: waitsOf(run.waitsMs),
    mostRunning: run.mostRunning,
    lastArrivalMs: run.lastArrivalMs,
    waitingAtLastArrival: run.waitingAtLastArrival,
    binds: bindingsOf(plan, run),
  }
}

/** Of those that have started. */
export function waitsOf(waitsMs: Float64Array): Waits {
  const sorted = waitsMs.filter((ms) => !Number.isNaN(ms)).sort()
  const quantile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95), p99Ms: quantile(0.99), maxMs: quantile(1) }
}

function bindingsOf(plan: Plan, { held, lastStartUs, lengthUs }: Run): Binding[] {
  // What never ends is held by one thing from the last start on, for ever.
  const heldUs = held.reduce((sum, { us }) => sum + us, 0)
  const wholeUs = lengthUs === null ? heldUs : lastStartUs
  return [...held].sort((a, b) => b.us - a.us).map((one) => ({ ...bindingOf(plan, one), share: wholeUs === 0 ? 0 : one.us / wholeUs }))
}

function bindingOf({ limits }: Plan, { holder }: HeldTime): Pick<Binding, "limit" | "by"> {
  if (!holder) return { limit: null, by: "workers" }
  return { limit: limits[holder.limit]?.name ?? null, by: holder.holding.kind }
}

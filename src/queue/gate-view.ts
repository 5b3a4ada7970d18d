// A gate as people see it: times are Dates.

import type { GatePolicy } from "../limits/index.ts"
import type { GateReport } from "../store/index.ts"
import { type LearnedView, learnedView } from "./learned.ts"
import { everyText, windowText } from "./window-text.ts"

export interface GateView {
  /** "limit/key", or the limit's name alone where it is not split. */
  readonly gate: string
  readonly limit: string
  readonly key: string
  /** What holds now, after overrides. */
  readonly policy: GatePolicy
  readonly isOverridden: boolean
  /** One for each rate. */
  readonly levels: readonly { readonly used: number; readonly of: number; readonly perMs: number }[]
  readonly slots: { readonly held: number; readonly of: number } | null
  readonly waitingTasks: number
  readonly waitingCost: number
  /** Outside the queue: they go before the tasks. */
  readonly waitingCalls: number
  /** When a cost of one may pass; null while paused. */
  readonly opensAt: Date | null
  readonly isPaused: boolean
  readonly closedUntil: Date | null
  readonly cooldown: { readonly until: Date; readonly count: number } | null
  /** How often the other side has said "too fast", for as long as the gate is remembered. */
  readonly refusals: number
  /** What it has learned, also where that is nothing yet; null where it learns nothing. */
  readonly learned: LearnedView | null
}

export function gateView(report: GateReport): GateView {
  const { gate, limit, key, policy, isOverridden, levels, slots, waitingTasks, waitingCost, waitingCalls, isPaused, cooldown } = report
  return {
    gate,
    limit,
    key,
    policy,
    isOverridden,
    levels,
    slots,
    waitingTasks,
    waitingCost,
    waitingCalls,
    opensAt: dateOrNull(report.opensAtMs),
    isPaused,
    closedUntil: dateOrNull(report.closedUntilMs),
    cooldown: cooldown && { until: new Date(cooldown.untilMs), count: cooldown.count },
    refusals: report.refusals,
    learned: report.learned || report.pace || policy.adaptive ? learnedView(report) : null,
  }
}

/** "10 of 10 in 10s, a start every 1.5s, 3 of 5 slots"; "" where nothing bounds it. */
export function levelText({ levels, slots, learned }: Pick<GateView, "levels" | "slots" | "learned">): string {
  return [
    ...levels.map(({ used, of, perMs }) => `${used} of ${of} in ${windowText(perMs)}`),
    ...(learned?.everyMs == null ? [] : [`a start every ${everyText(learned.everyMs)}`]),
    ...(slots ? [`${slots.held} of ${slots.of} slots`] : []),
  ].join(", ")
}

/** Nothing but taken slots holds it: when one is free nobody can tell. */
export function isFull({ slots, cooldown, closedUntil, isPaused, levels }: GateView, now: Date): boolean {
  const isClosed = isPaused || [cooldown?.until, closedUntil].some((until) => until && until > now)
  return slots !== null && slots.held >= slots.of && !isClosed && levels.every(({ used, of }) => used < of)
}

export function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

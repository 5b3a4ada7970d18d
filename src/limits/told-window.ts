// A window that the other side has told of and nobody has declared. It is kept as a declared one is whose way of counting is unknown:
// for a window of a second or two the jitter of a request is a large part, which no pace allows for and the echo of its answer does.

import type { RatePolicy } from "./policy.ts"
import { charge, chargeAhead, correct, forecastRate, opensAtUs, type Spent } from "./rate.ts"
import { chargeWindow, freeAtUs, usedOfWindow, type WindowState } from "./window.ts"

export interface ToldWindow {
  readonly limit: number
  readonly counted: WindowState
}

/** How long a request may be under way before it is counted, as for a rate that is declared without saying so. */
const slackUs = 500_000

function policyOf({ limit, counted: { perUs } }: ToldWindow): RatePolicy {
  return { limit, perUs, provider: "unknown", burst: limit, phaseUs: 0, guardUs: 0, slackUs }
}

/** The earliest time, now or later, at which the cost may pass. What costs more than the limit passes alone. */
export function toldOpensAtUs(told: ToldWindow | undefined, nowUs: number, cost: number): number {
  return told ? opensAtUs(policyOf(told), told.counted, nowUs, cost) : nowUs
}

export function chargeTold(told: ToldWindow, nowUs: number, cost: number): ToldWindow {
  return kept(told, charge(policyOf(told), told.counted, nowUs, cost))
}

export function chargeToldAhead(told: ToldWindow, nowUs: number, atUs: number, cost: number): ToldWindow {
  return kept(told, chargeAhead(policyOf(told), told.counted, nowUs, atUs, cost))
}

/** A charge from before the window was heard of is added: the other side has counted it. */
export function correctTold(told: ToldWindow, nowUs: number, spent: Spent): ToldWindow {
  return kept(told, correct(policyOf(told), told.counted, nowUs, spent))
}

export function forecastTold(told: ToldWindow, nowUs: number, ahead: number, cost: number): number {
  return forecastRate(policyOf(told), told.counted, nowUs, ahead, Math.min(cost, told.limit))
}

export function usedOfTold({ counted }: ToldWindow, nowUs: number): number {
  return usedOfWindow(counted, nowUs)
}

/** `used`: what counts already when it is first heard of. It is taken to have been counted now. */
export function hearOfWindow(known: ToldWindow | undefined, nowUs: number, limit: number, perUs: number, used: number): ToldWindow {
  if (!known) return chargeTold({ limit, counted: { kind: "window", perUs, free: [], rttMinUs: null } }, nowUs, Math.min(limit, used))
  if (known.counted.perUs === perUs) return known.limit === limit ? known : { ...known, limit }
  // What was charged for a shorter window counts for longer now; for a longer one it stays, but nothing for longer than if it were charged now.
  const empty: ToldWindow = { limit, counted: { ...known.counted, perUs, free: [] } }
  const laterUs = Math.max(0, perUs - known.counted.perUs)
  const latestUs = freeAtUs(policyOf(empty), nowUs)
  let { counted } = empty
  for (const [atUs, cost] of known.counted.free) counted = chargeWindow(counted, Math.min(atUs + laterUs, latestUs), cost)
  return { limit, counted }
}

function kept(told: ToldWindow, counted: ReturnType<typeof charge>): ToldWindow {
  return counted.kind === "window" ? { ...told, counted } : told
}

// A rolling rate, kept as a histogram of free times: when how much of what was charged becomes free again. Sorted by time.

import { ceilTo, grainUs, type RatePolicy } from "./policy.ts"

export type FreeTime = readonly [atUs: number, cost: number]

export interface WindowState {
  readonly kind: "window"
  readonly perUs: number
  readonly free: readonly FreeTime[]
  /** The shortest time from sending to response seen; null before the first. */
  readonly rttMinUs: number | null
  /** `unknown`: how long after its admission a request is taken to have been counted, on average; absent before the first answer. */
  readonly lagUs?: number
}

export function emptyWindow({ perUs }: RatePolicy): WindowState {
  return { kind: "window", perUs, free: [], rttMinUs: null }
}

/** When a charge made now becomes free again if nothing more is heard of it. */
export function freeAtUs(policy: RatePolicy, nowUs: number): number {
  const slackUs = policy.provider === "unknown" ? policy.slackUs : 0
  return ceilTo(nowUs + policy.perUs + slackUs, grainUs(policy))
}

/** The same charges, each free again when it would be had it been made to a window of this length. Those that were free already are not known. */
export function windowOfLength(policy: RatePolicy, known: WindowState): WindowState {
  const laterUs = policy.perUs - known.perUs
  const free: FreeTime[] = []
  for (const [freeUs, cost] of known.free) {
    const atUs = ceilTo(Math.max(0, freeUs + laterUs), grainUs(policy))
    const last = free.at(-1)
    if (last && last[0] === atUs) free[free.length - 1] = [atUs, last[1] + cost]
    else free.push([atUs, cost])
  }
  return { ...known, perUs: policy.perUs, free }
}

export function pruneWindow(state: WindowState, nowUs: number): WindowState {
  const from = state.free.findIndex(([atUs]) => atUs > nowUs)
  if (from === 0) return state
  return { ...state, free: from < 0 ? [] : state.free.slice(from) }
}

/** The earliest time, now or later, at which the cost fits. */
export function windowOpensAtUs(policy: RatePolicy, state: WindowState, nowUs: number, cost: number): number {
  const live = pruneWindow(state, nowUs).free
  let used = usedOfWindow(state, nowUs)
  let atUs = nowUs
  for (const [freeUs, charged] of live) {
    if (used + cost <= policy.limit) break
    used -= charged
    atUs = freeUs
  }
  return atUs
}

export function chargeWindow(state: WindowState, atUs: number, cost: number): WindowState {
  if (cost === 0) return state
  const place = state.free.findIndex(([freeUs]) => freeUs >= atUs)
  const at = place < 0 ? state.free.length : place
  const there = state.free[at]
  const isThere = there !== undefined && there[0] === atUs
  const total = (isThere ? there[1] : 0) + cost
  const entry: readonly FreeTime[] = total > 0 ? [[atUs, total]] : []
  return { ...state, free: [...state.free.slice(0, at), ...entry, ...state.free.slice(at + (isThere ? 1 : 0))] }
}

export interface Echo {
  readonly admittedAtUs: number
  readonly sentAtUs: number | null
  readonly respondedAtUs: number | null
}

/**
 * When the other side counted lies between sending and response: the charge moves to the later end of that, but no further
 * from the sending than the slack, because a handler may go on for long after its request.
 */
export function echoAtUs(policy: RatePolicy, state: WindowState, { admittedAtUs, sentAtUs, respondedAtUs }: Echo): number {
  if (policy.provider !== "unknown") return freeAtUs(policy, admittedAtUs)
  const latestUs = (sentAtUs ?? admittedAtUs) + policy.slackUs
  const countedUs = respondedAtUs === null ? latestUs : Math.min(latestUs, respondedAtUs - backUs(policy, state))
  return ceilTo(Math.max(admittedAtUs, countedUs) + policy.perUs, grainUs(policy))
}

/**
 * How long an answer is on its way back at least. Safe is what the shortest way out and back together take: half of the shortest seen
 * while few have been, more where so many are seen in one window that the shortest is near the truth. Of a window of a second jitter is a
 * large part: there it is nearly all of it, and the shortest is soon known.
 */
function backUs({ limit, perUs }: RatePolicy, { rttMinUs }: WindowState): number {
  const twentieths = (limit < 20 ? 10 : 15) + (perUs > shortUs ? 0 : limit < 20 ? 5 : 4)
  return Math.floor(((rttMinUs ?? 0) * twentieths) / 20)
}

const shortUs = 2_000_000

/** When the last of `ahead + cost` units starts, if each starts as soon as it may. Slots come free, are used, and come free again. */
export function forecastWindow(policy: RatePolicy, state: WindowState, nowUs: number, ahead: number, cost: number): number {
  const index = ahead + cost - 1
  const slot = index % policy.limit
  const rounds = Math.floor(index / policy.limit)
  const atUs = windowOpensAtUs(policy, state, nowUs, slot + 1)
  if (rounds === 0) return atUs
  // Answers let go of a charge before its slack is over: what they do on average, they will do again.
  const heard = state.lagUs === undefined ? policy : { ...policy, slackUs: Math.min(policy.slackUs, state.lagUs) }
  const firstUs = freeAtUs(heard, atUs)
  // From then on the slot stands on the grain, and each round takes the same time.
  return firstUs + (rounds - 1) * (freeAtUs(heard, firstUs) - firstUs)
}

/** An answer has told when its request can have been counted. */
export function withLag(state: WindowState, lagUs: number): WindowState {
  const known = state.lagUs
  return { ...state, lagUs: known === undefined ? lagUs : known + Math.trunc((lagUs - known) / 16) }
}

export function usedOfWindow(state: WindowState, nowUs: number): number {
  return pruneWindow(state, nowUs).free.reduce((sum, [, charged]) => sum + charged, 0)
}

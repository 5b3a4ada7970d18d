// Scout finds a limit that nobody has told. It doubles its pace until the other side refuses, sends one request at a time until
// one passes, and takes what passed between two such moments as the limit: at both of them all of it was used, however the other
// side counts. A pace is verified before it is trusted, and probed again from time to time.
//
//   start ──refused──▶ blocked ──passed──▶ verify ──held──▶ verify a little faster ... ──refused, or known well enough──▶ rest
//   Any of them is blocked by a refusal. Rest ends with a verification of a little more.

import { isNews } from "../cooldown.ts"
import type { GateState } from "../gate.ts"
import type { GatePolicy, ScoutPolicy } from "../policy.ts"
import { isCounting } from "./found-window.ts"
import type { Heard } from "./heard.ts"
import { quotaEveryNs } from "./quota.ts"
import { hasListened, isListening } from "./quota-window.ts"
import { block, canaryEveryUs, unblock } from "./scout-episode.ts"
import { grow } from "./scout-search.ts"
import { everyUsOf, keep, looseUs, mode, noScout, type Scouting, type ScoutState, trusts } from "./scout-state.ts"
import { beginToCount, countRefused, countServed, mayCount, stillCounting } from "./scout-window.ts"

export const scoutDefaults: ScoutPolicy = {
  preset: "scout",
  startUs: 1_000_000,
  leastUs: 100,
  mostUs: 3_600_000_000,
  growAfter: 16,
  growEveryUs: 6_000_000,
  canaryUs: 500_000,
  canarySlowUs: 32_000_000,
  canaryLostUs: 30_000_000,
  burst: 10,
  gain: 80,
  gainLeast: 30,
  gainMost: 500,
  ease: 15,
  tolerated: 300,
  toleratedUs: 100_000_000,
  restUs: 180_000_000,
  restMostUs: 380_000_000,
  windowUs: 1_000_000,
  baseDelayUs: 0,
  maxRetries: null,
}

export function scout(policy: GatePolicy, own: ScoutPolicy, given: GateState, nowUs: number, heard: Heard): GateState {
  if (heard.kind === "told") return given
  const adopted = adopt(given.learned?.scout ?? firstState(policy, own, heard), own, given, nowUs)
  const state = stillCounting(policy, own, given, adopted, nowUs)
  const known = state === given ? adopted : (state.learned?.scout ?? adopted)
  const scouting: Scouting = {
    own,
    known,
    nowUs,
    heard,
    isBusy: (state.pace?.busy ?? 0) >= 600,
    closedUntilUs: state.closedUntilUs,
    leastNs: leastNs(policy, own, heard),
  }
  const news = isNews(state, heard.sentAtUs)
  if (heard.kind === "refused") return news ? block(state, scouting) : state
  const counted = count(scouting)
  const isBlocked = counted.known.mode === mode.blocked
  if (isBlocked && !news) return keep(state, counted, counted.known)
  const { found } = state.learned ?? {}
  const after = isBlocked ? unblock(state, counted) : state
  if (isCounting(found)) {
    const scout = after.learned?.scout ?? counted.known
    return isBlocked ? countRefused(after, { ...counted, known: scout }, found) : countServed(state, counted, found)
  }
  if (isFindingOut(state, counted)) return keep(state, counted, mayGrow(state, counted) ? grow(counted) : counted.known)
  const quotaNs = quotaEveryNs(state, nowUs)
  if (quotaNs !== null) return keep(after, counted, follow(after.learned?.scout ?? counted.known, quotaNs, counted))
  if (isBlocked) return after
  return mayCount(policy, state, counted) ? beginToCount(state, counted) : keep(state, counted, grow(counted))
}

/** Told of a short window, and not yet what that is. It takes a distance of its own: a declared rate has none before the first refusal. */
function isFindingOut({ pace, learned }: GateState, { known, nowUs }: Scouting): boolean {
  const isTold = learned?.quota !== undefined && isListening(learned.quota, nowUs)
  return isTold && known.mode === mode.start && pace !== undefined && pace.everyUs > 0
}

/** At each pace it listens for a while, but not for ever: not every answer tells of a quota. */
function mayGrow({ learned }: GateState, { known, own }: Scouting): boolean {
  return (learned?.quota !== undefined && hasListened(learned.quota)) || known.answers >= 4 * own.growAfter
}

/**
 * Who is told the limit does not look for it; what is told is where the search would go on. From the start it gets there by a
 * quarter at a time: the first answers of a bucket that is nearly full say little of how fast it fills.
 */
function follow(known: ScoutState, quotaNs: number, { own, nowUs, leastNs }: Scouting): ScoutState {
  const soonestNs = known.trust === trusts.guess ? Math.ceil(0.8 * known.everyNs) : 0
  const everyNs = Math.min(own.mostUs * 1_000, Math.max(leastNs, quotaNs, soonestNs))
  const trust = quotaNs >= soonestNs ? trusts.sure : known.trust
  return { ...known, mode: mode.rest, trust, everyNs, heldNs: everyNs, refusedNs: null, restUs: own.restUs, sinceUs: nowUs, answers: 0 }
}

/** Somebody has set another pace: it is taken for one that has held. */
function adopt(known: ScoutState, own: ScoutPolicy, { pace, window }: GateState, nowUs: number): ScoutState {
  const setUs = known.mode === mode.blocked ? canaryEveryUs(own) : everyUsOf(known, own)
  if (!pace || pace.everyUs === 0 || pace.everyUs === setUs) return known
  if (window && pace.everyUs === looseUs(setUs)) return known
  const everyNs = pace.everyUs * 1_000
  return { ...known, mode: mode.rest, trust: trusts.sure, everyNs, heldNs: everyNs, refusedNs: null, sinceUs: nowUs, answers: 0 }
}

function firstState(policy: GatePolicy, own: ScoutPolicy, heard: Heard): ScoutState {
  const everyNs = policy.rates.length === 0 ? own.startUs * 1_000 : leastNs(policy, own, heard)
  const atUs = heard.sentAtUs
  return { ...noScout, everyNs, gain: own.gain, restUs: own.restUs, sinceUs: atUs, sentAtUs: atUs, cycleAtUs: atUs }
}

function leastNs({ rates }: GatePolicy, own: ScoutPolicy, { delayUs }: Heard): number {
  const declaredNs = rates.map(({ perUs, limit }) => Math.ceil((perUs / limit) * 1_000))
  return Math.min(own.mostUs * 1_000, Math.max(own.leastUs * 1_000, (delayUs === 0 ? own.baseDelayUs : delayUs) * 1_000, ...declaredNs))
}

/** Counts what has passed. A hole in the sending ends the cycle, because during it the limit was not used up, and all evidence. */
function count(scouting: Scouting): Scouting {
  const { known, heard } = scouting
  const holeUs = Math.max(1_000_000, (4 * known.everyNs * heard.cost) / 1_000)
  if (known.mode !== mode.blocked && heard.sentAtUs - known.sentAtUs > holeUs) return { ...scouting, known: afterHole(known, heard) }
  const sentAtUs = Math.max(known.sentAtUs, heard.sentAtUs)
  const answers = known.answers + (heard.sentAtUs >= known.sinceUs ? 1 : 0)
  const passed = known.passed + (heard.sentAtUs >= known.cycleAtUs ? heard.cost : 0)
  return { ...scouting, known: { ...known, sentAtUs, answers, passed } }
}

/** A rest goes on; whatever was to be verified begins anew. */
function afterHole(known: ScoutState, { sentAtUs, cost }: Heard): ScoutState {
  const sinceUs = known.mode === mode.rest ? known.sinceUs : sentAtUs
  return { ...known, sentAtUs, sinceUs, answers: 1, cycleAtUs: sentAtUs, slackUs: 0, passed: cost }
}

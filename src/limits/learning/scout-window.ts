// A limit of so many a second that nobody has told. Of a second the jitter of a request is a large part, and no even pace keeps such a limit
// well: the one that is refused hardly ever leaves a sixth of it unused. Counting does better. So a gate that rests at a pace that has held
// tries whether its limit is one of a second: it keeps a window, and lets one more into it every few windows until that is refused.
//
//   none ──at rest──▶ rising ──refused──▶ holding ──faster than the pace was──▶ kept ──after a rest──▶ more ──refused──▶ kept
//   No faster, or refused again and again: none, at the pace that had held; the next try is a day later.
//   Nothing is refused of far more than had held: none. It was no such window, or, where one was kept, the limit is another now.

import type { GateState } from "../gate.ts"
import type { GatePolicy, ScoutPolicy } from "../policy.ts"
import { usedOfTold } from "../told-window.ts"
import { evenNs, type FoundState, isCounting, noFound, stage, windowOfFound } from "./found-window.ts"
import { type Learned, withLearned } from "./learned.ts"
import { windowOf } from "./quota-window.ts"
import { probe, rest } from "./scout-search.ts"
import { keep, mode, type Scouting, type ScoutState, trusts } from "./scout-state.ts"

/** In a window, at the pace that has held: of fewer one more is a large step, of more each that is one too many is a refusal too many. */
const fewest = 8
const most = 1_000
/** In windows: how long one more is watched, and how long what is left has to hold. */
const risingWindows = 4
const holdingWindows = 60
/** A pace that is as good now will be so tomorrow. What was not refused may have been spared, by a bucket that was full. */
const againUs = 86_400_000_000
const soonUs = 3_600_000_000
/** In thousandths of the pace that had held. Who was refused a little above it has no room for the most. The least is not faster: a tenth is lost to jitter. */
const mostShare = 1_450
const leastShare = 1_050
const fasterShare = 1_020
/** In thousandths: of the window, what is nearly full; and of what passed, how much has to find it so. With less to send nothing is learned. */
const fullShare = 800
const busyShare = 600
const mostRefusals = 4
/** A quota that was told within this. */
const toldUs = 60_000_000

/** It rests at a pace at which counting may be better. */
export function mayCount({ rates }: GatePolicy, { learned }: GateState, { own, known, nowUs, heard, isBusy, leastNs }: Scouting): boolean {
  if (own.windowUs === 0 || rates.length > 0 || known.mode !== mode.rest || known.trust !== trusts.sure || !isBusy) return false
  const held = atPace(own.windowUs, known.everyNs)
  // The window is let into at half the distance, and comes to more.
  if (held < fewest || held > most || known.everyNs < 3 * leastNs || isTold(learned, nowUs)) return false
  return heard.sentAtUs - known.sinceUs >= own.restUs && nowUs >= (learned?.found?.againAtUs ?? 0)
}

export function beginToCount(state: GateState, scouting: Scouting): GateState {
  const { own, known } = scouting
  const limit = Math.round(atPace(own.windowUs, known.everyNs))
  const found = { ...noFound, stage: stage.rising, limit, perUs: own.windowUs, paceNs: known.everyNs }
  return count(state, scouting, anew(found, scouting))
}

/** One more has passed. */
export function countServed(state: GateState, scouting: Scouting, before: FoundState): GateState {
  const { known, nowUs, heard } = scouting
  // There was nothing to send for a while: what passed is no measure of what would have.
  if (known.cycleAtUs > before.sinceUs) return count(state, scouting, anew(before, scouting))
  const found = counted(before, state, scouting)
  const lastedUs = heard.sentAtUs - found.sinceUs
  if (lastedUs < enoughUs(scouting, found)) return withLearned(state, nowUs, { found, scout: known })
  if (found.full * 1_000 < found.passed * busyShare) return count(state, scouting, anew(found, scouting))
  if (found.stage === stage.holding) return judged(state, scouting, found, lastedUs)
  if (found.limit * 1_000 >= heldBefore(found) * mostShare) return farMore(state, scouting, found)
  const more = { ...found, limit: found.limit + stepOf(found), ...(found.stage === stage.kept && { stage: stage.more, refusals: 0 }) }
  return count(state, scouting, anew(more, scouting))
}

function counted(found: FoundState, { window }: GateState, { nowUs, heard }: Scouting): FoundState {
  if (heard.sentAtUs < found.sinceUs) return found
  const isFull = window !== undefined && usedOfTold(window, nowUs) * 1_000 >= found.limit * fullShare
  return { ...found, passed: found.passed + heard.cost, full: found.full + (isFull ? heard.cost : 0) }
}

function enoughUs({ own }: Scouting, { stage: now, perUs }: FoundState): number {
  if (now === stage.kept) return own.restMostUs
  return perUs * (now === stage.holding ? holdingWindows : risingWindows)
}

/** An episode is over that began while it was counted. */
export function countRefused(state: GateState, scouting: Scouting, found: FoundState): GateState {
  if (isStray(scouting, found)) return count(state, scouting, { ...found, refusals: found.refusals + 1 })
  const isOneMore = found.stage === stage.rising || found.stage === stage.more
  const less = { ...found, limit: found.limit - (isOneMore ? stepOf(found) : 1), refusals: found.refusals + 1 }
  if (found.stage === stage.more) return count(state, scouting, anew({ ...less, stage: stage.kept, refusals: 0 }, scouting))
  if (less.limit * 1_000 < heldBefore(found) * leastShare || less.refusals >= mostRefusals) return giveUp(state, scouting, found, againUs)
  return count(state, scouting, anew({ ...less, stage: stage.holding }, scouting))
}

/** Now and then, of what is kept: as often as a pace that has held may be refused. */
function isStray({ own, heard }: Scouting, { stage: now, limit, passed, refusals, sinceUs }: FoundState): boolean {
  if (now !== stage.kept) return false
  const times = refusals + 1
  return passed >= times * Math.max(10 * limit, own.tolerated) && heard.sentAtUs - sinceUs >= times * own.toleratedUs
}

function judged(state: GateState, scouting: Scouting, found: FoundState, lastedUs: number): GateState {
  if (found.passed * found.perUs * 1_000 < heldBefore(found) * lastedUs * fasterShare) return giveUp(state, scouting, found, againUs)
  return count(state, scouting, anew({ ...found, stage: stage.kept, refusals: 0 }, scouting))
}

/** Goes on at the pace that had held. */
function giveUp(state: GateState, scouting: Scouting, { paceNs }: FoundState, afterUs: number): GateState {
  const { own, known, nowUs } = scouting
  const held = rest(scouting, { ...known, everyNs: paceNs, heldNs: paceNs }, own.restUs)
  return stop(state, scouting, held, nowUs + afterUs)
}

/** A bucket that is full lets as much pass for a while. But of a window that was kept the limit is another now: it is looked for from there. */
function farMore(state: GateState, scouting: Scouting, found: FoundState): GateState {
  if (found.stage === stage.rising) return giveUp(state, scouting, found, soonUs)
  const { own, known, nowUs } = scouting
  const held = { ...known, heldNs: evenNs(found), refusedNs: null, gain: 9 * own.gainLeast }
  return stop(state, scouting, probe(scouting, held), nowUs + own.restUs)
}

function count(state: GateState, scouting: Scouting, found: FoundState): GateState {
  const { nowUs, known } = scouting
  const window = windowOfFound(found, state.window, nowUs)
  const after = withLearned(state, nowUs, { found })
  return keep(window ? { ...after, window } : after, scouting, { ...known, everyNs: evenNs(found) })
}

function stop({ window: _window, ...state }: GateState, scouting: Scouting, known: ScoutState, againAtUs: number): GateState {
  return keep(withLearned(state, scouting.nowUs, { found: { ...noFound, againAtUs } }), scouting, known)
}

/** A quota goes before what is looked for: two who keep one window would not agree on it. */
function isTold(learned: Learned | undefined, nowUs: number): boolean {
  return learned?.quota !== undefined && nowUs <= learned.quota.atUs + toldUs
}

/**
 * It is counted no more where somebody has set another pace, a quota is told, or the policy is another: then the pace that had held is taken up
 * again, and another try waits. A window that is the quota's stays.
 */
export function stillCounting(policy: GatePolicy, own: ScoutPolicy, state: GateState, known: ScoutState, nowUs: number): GateState {
  const { window, ...others } = state
  const { found, quota } = state.learned ?? {}
  if (!isCounting(found)) return state
  const isSet = known.everyNs !== evenNs(found)
  const isAsBefore = found.perUs === own.windowUs && policy.rates.length === 0
  if (window && !isSet && isAsBefore && !isTold(state.learned, nowUs)) return state
  const scout = isSet ? known : { ...known, everyNs: found.paceNs, heldNs: found.paceNs, sinceUs: nowUs, answers: 0 }
  const told = quota && windowOf(quota, window, nowUs)
  return withLearned(told ? { ...others, window: told } : others, nowUs, { found: { ...noFound, againAtUs: nowUs + soonUs }, scout })
}

function anew(found: FoundState, { nowUs }: Scouting): FoundState {
  return { ...found, sinceUs: nowUs, passed: 0, full: 0 }
}

function stepOf({ limit }: FoundState): number {
  return Math.max(1, Math.floor(limit / 40))
}

function heldBefore({ perUs, paceNs }: FoundState): number {
  return atPace(perUs, paceNs)
}

/** How much passes in a window. */
function atPace(perUs: number, everyNs: number): number {
  return (perUs * 1_000) / everyNs
}

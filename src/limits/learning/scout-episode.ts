// An episode: from the first refusal until a request passes again. One request at a time is sent meanwhile, at growing distances;
// what it costs is at most a refusal each. The end of it says what the limit is.

import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { ScoutPolicy } from "../policy.ts"
import { isCounting } from "./found-window.ts"
import { mostRetryAfterUs } from "./quota.ts"
import { probe, rest } from "./scout-search.ts"
import { keep, mode, type Scouting, type ScoutState, trusts } from "./scout-state.ts"

/** Too fast: closed until the next canary. */
export function block(state: GateState, scouting: Scouting): GateState {
  const { own, known, nowUs, heard, isBusy } = scouting
  const isFirst = known.mode !== mode.blocked
  const nextUs = isFirst ? firstWaitUs(own, known, heard.sentAtUs) : longerWaitUs(own, known, heard.sentAtUs)
  const waitUs = Math.min(mostRetryAfterUs, own.mostUs, nextUs)
  const closedUs =
    heard.retryAfterUs === null
      ? Math.ceil(waitUs * (1 + heard.random / 10))
      : Math.ceil(Math.min(mostRetryAfterUs, Math.max(0, heard.retryAfterUs)))
  const closedUntilUs = Math.max(state.closedUntilUs, nowUs + closedUs)
  const after: ScoutState = {
    ...known,
    ...(isFirst && { mode: mode.blocked, from: known.mode, blockedAtUs: heard.sentAtUs, wasBusy: isBusy ? 1 : 0 }),
    refusedAtUs: heard.sentAtUs,
    toldUntilUs: heard.retryAfterUs === null ? 0 : heard.sentAtUs + closedUs,
    // What was asked for is no step of the ladder.
    waitUs: heard.retryAfterUs === null || isFirst ? waitUs : known.waitUs,
  }
  const pace = { ...repace(state.pace, nowUs, canaryEveryUs(own)), nextAtUs: closedUntilUs }
  return { ...keep(state, scouting, after), closedUntilUs, pace, cooldown: { count: state.cooldown.count + 1, reactedAtUs: nowUs } }
}

/** Keeps a second canary back until the first is answered, or has to be taken for lost. */
export function canaryEveryUs({ leastUs, mostUs, canaryLostUs }: ScoutPolicy): number {
  return Math.min(mostUs, Math.max(leastUs, canaryLostUs))
}

/** How long it should take: one more has to flow in, and what was too much has to be paid back. */
function firstWaitUs(own: ScoutPolicy, known: ScoutState, sentAtUs: number): number {
  return Math.ceil(
    Math.max(
      own.canaryUs,
      known.everyNs / 1_000,
      known.mode === mode.start ? startWaitUs(own, known, sentAtUs) : excessUs(own, known, sentAtUs),
    ),
  )
}

/** After a long start a little longer is no loss, and each canary less is a refusal less. */
function startWaitUs(own: ScoutPolicy, { cycleAtUs }: ScoutState, sentAtUs: number): number {
  return Math.min(own.canarySlowUs / 8, (sentAtUs - cycleAtUs) / 12)
}

/** What may have been sent too much, as the time in which it flows in. Who comes late to a long window has lost much of it. */
function excessUs(own: ScoutPolicy, { mode: from, everyNs, heldNs, spanUs, trust, sinceUs }: ScoutState, sentAtUs: number): number {
  const leastUs = (spanUs * own.ease) / 1_000
  if (spanUs > own.restMostUs) return leastUs
  if (trust === trusts.guess) return (spanUs * 1.5 * own.gain) / 1_000
  if (from !== mode.verify || heldNs === null) return leastUs
  const faster = heldNs / everyNs - 1
  return Math.max(faster * Math.min(0.75 * spanUs, sentAtUs - sinceUs), (Math.min(1_000 * faster, own.gainLeast) * 1.3 * spanUs) / 1_000)
}

/** Where a span is known, the end of a block is looked for with its measure; where it is not, in few steps. */
function longerWaitUs(own: ScoutPolicy, { waitUs, spanUs, blockedAtUs }: ScoutState, sentAtUs: number): number {
  const step = spanUs === 0 ? 2.5 : 2
  const mostUs = spanUs === 0 ? own.mostUs : Math.max(own.canarySlowUs, waitUs, spanUs / 24, (sentAtUs - blockedAtUs) / 6)
  return Math.ceil(Math.min(mostUs, waitUs * (waitUs < own.canarySlowUs ? step : 1.3)))
}

/** Of so few units that have passed nothing can be measured. */
const few = 6

/** What an episode that has just ended says. Rates are in units of cost a microsecond. */
interface Episode {
  /** When it ended, as far as can be told, and how long it lasted at least. */
  readonly endedAtUs: number
  readonly blockedUs: number
  /** From the end of the last episode to the end of this. */
  readonly cycleUs: number
  readonly passed: number
  /** The rate that was refused. */
  readonly rate: number
  /** What has passed over the cycle. */
  readonly measured: number
  /** The same, if the cycle was as short as it may have been. */
  readonly measuredMost: number
  /** It was measured over so much, and between ends so well known, that it can be relied on. */
  readonly isSure: boolean
}

function episodeOf({ known, heard, closedUntilUs }: Scouting): Episode {
  // It ended between the last refused canary and the one that passed, which may have come late for want of work.
  const passedAtUs = Math.max(known.refusedAtUs, Math.min(heard.sentAtUs, closedUntilUs))
  const endedAtUs = known.toldUntilUs > 0 ? Math.min(passedAtUs, known.toldUntilUs) : Math.round((known.refusedAtUs + passedAtUs) / 2)
  const cycleUs = Math.max(1, endedAtUs - known.cycleAtUs)
  const passed = known.passed - heard.cost
  const unsureUs = known.slackUs + Math.max(0, passedAtUs - endedAtUs)
  const isSure = passed >= 20 && unsureUs < cycleUs / 16
  const blockedUs = known.refusedAtUs - known.blockedAtUs
  const rate = 1_000 / known.everyNs
  // With little to send it is no measure of the limit. A start is measured all the same: nothing else is known.
  const isMeasure = known.wasBusy === 1 || known.from === mode.start
  return {
    endedAtUs,
    blockedUs,
    cycleUs,
    passed,
    rate,
    measured: isMeasure ? passed / cycleUs : rate,
    measuredMost: isMeasure ? passed / Math.max(cycleUs / 2, cycleUs - unsureUs) : rate,
    isSure,
  }
}

/** A canary has passed: the episode is over, and the next cycle begins with it. */
export function unblock(state: GateState, scouting: Scouting): GateState {
  const { known, heard, nowUs } = scouting
  const episode = episodeOf(scouting)
  const slackUs = Math.max(0, heard.sentAtUs - episode.endedAtUs)
  // A few are no measure: they are added to what follows.
  const cycle = episode.passed < few ? {} : { cycleAtUs: episode.endedAtUs, slackUs, passed: heard.cost }
  const fresh: ScoutState = { ...known, mode: known.from, ...cycle }
  // Who counts concludes from the count.
  const found = isCounting(state.learned?.found) ? fresh : conclude({ ...scouting, known: fresh }, episode)
  const concluded = { ...found, sinceUs: nowUs, answers: 0, steps: 0 }
  const after = keep({ ...state, cooldown: { ...state.cooldown, count: 0 } }, scouting, concluded)
  // What is left of the distance that kept the others back is forgotten.
  const everyUs = after.pace?.everyUs ?? 0
  return { ...after, pace: { busy: 1_000, ...after.pace, everyUs, nextAtUs: heard.sentAtUs + everyUs * heard.cost } }
}

function conclude(scouting: Scouting, episode: Episode): ScoutState {
  const { known } = scouting
  if (known.from === mode.rest) return heldWasRefused(scouting, episode)
  if (known.from === mode.start) return startWasRefused(scouting, episode)
  return known.heldNs === null ? unverifiedWasRefused(scouting, episode) : probeWasRefused(scouting, episode)
}

/** Over a start the pace has grown: of a window all that has passed counts, of a bucket only what has passed lately. It lies between. */
function startWasRefused(scouting: Scouting, episode: Episode): ScoutState {
  const { known, heard } = scouting
  const lately = ((known.answers - 1) * heard.cost) / Math.max(1, episode.endedAtUs - known.sinceUs)
  const between = Math.sqrt(episode.measured * Math.max(episode.measured, lately))
  return verify(scouting, Math.min(eased(scouting, episode), between), episode.cycleUs)
}

/** It would take hours to find out by trial. */
function isLong({ own }: Scouting, spanUs: number): boolean {
  return spanUs > own.restMostUs
}

function unverifiedWasRefused(scouting: Scouting, episode: Episode): ScoutState {
  const kept = episode.passed < few ? 1 : 0.8
  return believe(scouting, measuredOf(scouting, episode), Math.max(episode.cycleUs, kept * scouting.known.spanUs), episode.isSure)
}

function probeWasRefused(scouting: Scouting, episode: Episode): ScoutState {
  const { known, own } = scouting
  const atLeast = recent(scouting, episode)
  const heldNs = Math.min(known.heldNs ?? known.everyNs, atLeast > 0 ? Math.round(1_000 / atLeast) : Number.POSITIVE_INFINITY)
  // Far more was missing than the probe was faster by: the limit is another now.
  const left = episode.rate * (1 - episode.blockedUs / spanOf(known, episode))
  if (left < (1_000 / heldNs) * 0.85) return believe(scouting, Math.max(left, atLeast), spanOf(known, episode), false)
  if (isSoon(known, episode) && episode.isSure && episode.measured < 1_000 / heldNs)
    return believe(scouting, measuredOf(scouting, episode), known.spanUs, episode.isSure)
  const gain = Math.max(own.gainLeast, Math.round(known.gain / 4))
  const refusedNs = isAtEdge(scouting, heldNs) ? Math.max(known.everyNs, Math.round(heldNs / (1 + own.gainLeast / 1_000))) : known.everyNs
  return probe(scouting, { ...known, refusedNs, heldNs, everyNs: heldNs, gain })
}

/** Refused before the probe had sent much more than what had held would have: no window has more room than that. */
function isAtEdge({ known, own }: Scouting, heldNs: number): boolean {
  const probedUs = Math.max(0, known.blockedAtUs - known.sinceUs)
  return (heldNs / known.everyNs - 1) * probedUs <= (1.5 * own.gainLeast * known.spanUs) / 1_000
}

/** What has passed over a cycle that is not much longer than the other side's memory: the limit is not less. */
function recent(scouting: Scouting, episode: Episode): number {
  const { spanUs } = scouting.known
  const isOfSpans = isLong(scouting, spanUs) && episode.cycleUs > spanUs / 2 && episode.cycleUs < 3 * spanUs
  return isOfSpans && episode.isSure ? measuredOf(scouting, episode) : 0
}

/** What had held is refused: by jitter, if it is only for a moment and not often, or because it holds no longer. */
function heldWasRefused(scouting: Scouting, episode: Episode): ScoutState {
  const { known, own } = scouting
  const { rate, blockedUs, cycleUs, passed, measured } = episode
  const spanUs = spanOf(known, episode)
  const isShort = blockedUs <= Math.max(2 * own.canaryUs, (2 * known.everyNs) / 1_000, (spanUs * 2 * own.ease) / 1_000)
  if (isShort && passed >= own.tolerated && cycleUs >= own.toleratedUs) return rest(scouting, trimmed(scouting), known.restUs)
  if (isSoon(known, episode))
    return believe(scouting, measuredOf(scouting, episode), measured < rate * 0.9 ? Math.max(spanUs, cycleUs) : spanUs, episode.isSure)
  if (!isShort) return believe(scouting, Math.min(eased(scouting, episode), rate * (1 - blockedUs / spanUs)), spanUs, false)
  const everyNs = Math.min(own.mostUs * 1_000, Math.round(1_000 / eased(scouting, episode)))
  return rest(scouting, { ...known, everyNs, heldNs: everyNs }, known.restUs)
}

/** What is refused now and then is a hair too fast: in the end it is no longer refused, where jitter is not the cause. */
function trimmed({ known, own }: Scouting): ScoutState {
  const everyNs = Math.min(own.mostUs * 1_000, Math.ceil(known.everyNs * (1 + own.ease / 5_000)))
  return { ...known, everyNs, heldNs: everyNs }
}

/** So soon after the last episode, and never slower meanwhile than what had held: what has passed is the limit. */
function isSoon({ spanUs, steps, from }: ScoutState, { cycleUs, passed }: Episode): boolean {
  return steps <= (from === mode.rest ? 1 : 0) && (cycleUs < 2 * spanUs || passed < 200)
}

function spanOf(known: ScoutState, { blockedUs }: Episode): number {
  return Math.max(1, known.spanUs, blockedUs * 1.2)
}

/** A little less than what was refused. */
function eased({ own }: Scouting, { rate }: Episode): number {
  return rate * (1 - own.ease / 1_000)
}

/** What has passed over the cycle, and a little less; of a few alone not much can be told. */
function measuredOf(scouting: Scouting, { cycleUs, passed, rate, measured, measuredMost, isSure }: Episode): number {
  const { known, own } = scouting
  const least = passed < few ? rate * (known.trust === trusts.guess ? 0.35 : 0.65) : 0
  const found = isLong(scouting, cycleUs) && !isSure ? measuredMost : measured * (1 - own.ease / 2_000)
  return Math.max(least, Math.min(rate * (1 - own.ease / 1_000), found))
}

/**
 * Both ends of what was measured were refusals: it is the limit. Where that is sure, a little above it need not be tried before the
 * next rest; else it is looked for at once, below what was refused.
 */
function believe(scouting: Scouting, rate: number, spanUs: number, isSure: boolean): ScoutState {
  const { known, own } = scouting
  const isAnother = Math.abs(rate * (known.heldNs ?? 0) - 1_000) > 100
  const restUs = isAnother ? own.restUs : known.restUs
  const gain = isSure ? own.gain : 2 * own.gain
  const trust = isSure ? trusts.sure : trusts.rough
  const after = verify({ ...scouting, known: { ...known, heldNs: null, gain, restUs, trust } }, rate, spanUs)
  return { ...after, refusedNs: known.everyNs }
}

function verify(scouting: Scouting, rate: number, spanUs: number): ScoutState {
  const { known, own, leastNs } = scouting
  const everyNs = Math.round(Math.min(own.mostUs * 1_000, Math.max(leastNs, 1_000 / Math.max(rate, 1e-12))))
  return { ...known, mode: mode.verify, everyNs, spanUs: Math.round(Math.min(spanUs, 86_400_000_000)), refusedNs: null }
}

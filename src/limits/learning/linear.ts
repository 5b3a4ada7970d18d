// The distance grows by a step with each refusal and shrinks by a step after many answers. It reacts once to each episode, keeps
// as its floor the last distance that held, never the one that failed, and lets floors sink, so that one bad hour does not last.
//
// A refusal: a step longer. Enough answers in a row, while there is enough to send: a probe, a step shorter. Refused during a probe:
// back to the distance before it, which becomes the floor. As many answers again: the probe held, and the next one begins.

import { isNews, relax } from "../cooldown.ts"
import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { GatePolicy, LinearPolicy } from "../policy.ts"
import type { Heard } from "./heard.ts"
import { withLearned } from "./learned.ts"

export interface LinearState {
  /** What was learned; 0: nothing. A task that asks for more keeps its own. */
  readonly delayMs: number
  /** No probe goes below it. As it stood at that time; 0: none. */
  readonly floorMs: number
  readonly floorAtMs: number
  readonly errorStreak: number
  readonly successStreak: number
  readonly lastSuccessAtMs: number | null
  /** The distance before the probe, and when that began; null: there is none under way. */
  readonly probedFromMs: number | null
  readonly probedAtMs: number | null
}

export const noLinear: LinearState = {
  delayMs: 0,
  floorMs: 0,
  floorAtMs: 0,
  errorStreak: 0,
  successStreak: 0,
  lastSuccessAtMs: null,
  probedFromMs: null,
  probedAtMs: null,
}

export const linearDefaults: LinearPolicy = {
  preset: "linear",
  stepUs: 1_000_000,
  mostUs: 60_000_000,
  probeAfter: 20,
  baseDelayUs: 500_000,
  slotUs: 5_000_000,
  floorDecayUs: 600_000_000,
  maxRetries: 3,
}

/** In thousandths of admissions that came as soon as they might: with less to send, nothing is learned of a shorter distance. */
const busyEnough = 600
/** Of so many steps one goes at a time: step by step, the way back from a minute would take ten hours. */
const largeSteps = 8

export function linear(policy: GatePolicy, own: LinearPolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  if (heard.kind === "told" || !isNews(state, heard.sentAtUs)) return state
  const known = knownOf(own, state, nowUs)
  if (heard.kind === "refused") return refuse(policy, own, state, nowUs, heard, lengthen(own, known, nowUs, heard))
  const after = shorten(own, count(known, nowUs, heard), nowUs, heard, state.pace?.busy ?? 0)
  return relax(enforce(policy, own, state, nowUs, heard.delayUs, after), heard.sentAtUs)
}

function lengthen(own: LinearPolicy, known: LinearState, nowUs: number, heard: Heard): LinearState {
  const { probedFromMs, floorMs } = known
  const errorStreak = known.errorStreak + 1
  const reacted = { ...known, errorStreak, successStreak: 0, probedFromMs: null, probedAtMs: null }
  if (probedFromMs !== null && isOfProbe(known, heard))
    return { ...reacted, delayMs: probedFromMs, floorMs: probedFromMs, floorAtMs: Math.floor(nowUs / 1_000) }
  // One that went out before the probe says that the distance before it was too short already.
  const failedMs = Math.max(msOf(heard.delayUs), probedFromMs ?? known.delayMs)
  const delayMs = Math.min(mostMs(own), failedMs + msOf(own.stepUs))
  // A floor that failed is none: the next probe that fails finds another. Refused again before anything passed, it may still pay for the probe.
  const isFloorUnsafe = failedMs <= floorMs && known.errorStreak === 0
  return { ...reacted, delayMs, floorMs: isFloorUnsafe ? 0 : floorMs }
}

/** Closed for the new distance or for what the other side asks, whichever is longer. */
function refuse(policy: GatePolicy, own: LinearPolicy, state: GateState, nowUs: number, heard: Heard, after: LinearState): GateState {
  const waitUs = Math.max(heard.retryAfterUs ?? 0, heard.delayUs, after.delayMs * 1_000)
  const untilUs = nowUs + waitUs + Math.ceil((waitUs * heard.random) / 10)
  return {
    ...enforce(policy, own, state, nowUs, heard.delayUs, after),
    closedUntilUs: Math.max(state.closedUntilUs, untilUs),
    cooldown: { count: after.errorStreak, reactedAtUs: nowUs },
  }
}

/** One that went out before the probe says nothing about it. */
function count(known: LinearState, nowUs: number, heard: Heard): LinearState {
  const successStreak = known.successStreak + (known.probedAtMs === null || isOfProbe(known, heard) ? 1 : 0)
  return { ...known, errorStreak: 0, successStreak, lastSuccessAtMs: Math.floor(nowUs / 1_000) }
}

function shorten(own: LinearPolicy, known: LinearState, nowUs: number, heard: Heard, busy: number): LinearState {
  if (known.successStreak < own.probeAfter) return known
  const held = { ...known, probedFromMs: null, probedAtMs: null }
  if (busy < busyEnough) return held
  const delayMs = Math.max(known.delayMs - shareMs(own, known.delayMs), known.floorMs, msOf(heard.delayUs))
  if (delayMs >= known.delayMs) return held
  return { ...held, delayMs, successStreak: 0, probedFromMs: known.delayMs, probedAtMs: Math.ceil(nowUs / 1_000) }
}

function isOfProbe({ probedAtMs }: LinearState, { sentAtUs }: Heard): boolean {
  return probedAtMs !== null && sentAtUs > probedAtMs * 1_000
}

/** The policy may have been another when it was learned. */
function knownOf(own: LinearPolicy, state: GateState, nowUs: number): LinearState {
  const known = sink(own, state.learned?.linear ?? noLinear, nowUs)
  const most = mostMs(own)
  const { delayMs, floorMs, probedFromMs } = known
  if (Math.max(delayMs, floorMs, probedFromMs ?? 0) <= most) return known
  const isProbing = delayMs < most
  return {
    ...known,
    delayMs: Math.min(delayMs, most),
    floorMs: Math.min(floorMs, most),
    probedFromMs: isProbing && probedFromMs !== null ? Math.min(probedFromMs, most) : null,
    probedAtMs: isProbing ? known.probedAtMs : null,
  }
}

/** What the floor has come to by now. */
function sink(own: LinearPolicy, known: LinearState, nowUs: number): LinearState {
  const decayMs = Math.max(1, msOf(own.floorDecayUs))
  let times = Math.floor((nowUs / 1_000 - known.floorAtMs) / decayMs)
  if (known.floorMs === 0 || times <= 0) return known
  const floorAtMs = known.floorAtMs + times * decayMs
  let { floorMs } = known
  for (; times > 0 && floorMs > 0; times--) floorMs = Math.max(0, floorMs - shareMs(own, floorMs))
  return { ...known, floorMs, floorAtMs }
}

/** The learned distance becomes the pace; a slot less for each `slotUs` that it is above what the task asks for itself. */
function enforce(
  { concurrency }: GatePolicy,
  own: LinearPolicy,
  state: GateState,
  nowUs: number,
  baseUs: number,
  after: LinearState,
): GateState {
  const { slots: _before, ...rest } = withLearned(state, nowUs, { linear: after })
  const pace = repace(state.pace, nowUs, after.delayMs * 1_000)
  if (concurrency === null) return { ...rest, pace }
  const fewer = Math.floor(Math.max(0, after.delayMs * 1_000 - baseUs) / own.slotUs)
  return fewer === 0 ? { ...rest, pace } : { ...rest, pace, slots: Math.max(1, concurrency - fewer) }
}

/** Set by hand: a probe that was under way is over. A gate that is closed stays closed. */
export function setLinear(
  policy: GatePolicy,
  own: LinearPolicy,
  state: GateState,
  nowUs: number,
  wanted: { readonly delayMs?: number; readonly floorMs?: number },
): GateState {
  const known = knownOf(own, state, nowUs)
  const within = (ms: number) => Math.min(mostMs(own), Math.max(0, Math.ceil(ms)))
  const floor = wanted.floorMs === undefined ? {} : { floorMs: within(wanted.floorMs), floorAtMs: Math.floor(nowUs / 1_000) }
  const delayMs = within(wanted.delayMs ?? known.delayMs)
  const after: LinearState = { ...known, ...floor, delayMs, successStreak: 0, probedFromMs: null, probedAtMs: null }
  return enforce(policy, own, state, nowUs, own.baseDelayUs, after)
}

/** By how much a distance shrinks: a step, and more of them where it is many. */
function shareMs({ stepUs }: LinearPolicy, ms: number): number {
  const stepMs = Math.max(1, msOf(stepUs))
  return stepMs * Math.max(1, Math.floor(ms / stepMs / largeSteps))
}

function msOf(us: number): number {
  return Math.ceil(us / 1_000)
}

function mostMs({ mostUs }: LinearPolicy): number {
  return Math.floor(mostUs / 1_000)
}

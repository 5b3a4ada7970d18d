// What the other side says of its quota: how much is left, and until when. A gate that looks for its limit takes its pace from it.
// Every gate closes when nothing is left, until something is again, and when an answer asks for it. Nobody closes a gate for ever.

import { isNews } from "../cooldown.ts"
import type { GateState } from "../gate.ts"
import { repace } from "../pace.ts"
import type { GatePolicy } from "../policy.ts"
import type { Heard, HeardQuota } from "./heard.ts"
import { withLearned } from "./learned.ts"
import { follow, type Told } from "./quota-pace.ts"
import { counting, keepsWindow, windowOf } from "./quota-window.ts"
import { looseUs } from "./scout-state.ts"

/** The longest that a gate is closed by a Retry-After, and by the end of a quota's window. */
export const mostRetryAfterUs = 3_600_000_000
export const mostResetUs = 25 * 3_600_000_000

export interface QuotaState {
  /** When the last answer that told it had come, and when its request was sent. */
  readonly atUs: number
  readonly sentAtUs: number
  readonly limit: number
  readonly remaining: number
  /** When the window ends: the earliest that was said of it, because what is said is rounded up. A bucket: when it is full. */
  readonly resetAtUs: number
  /** How long a window is, as it was told, else the longest time to a reset that was. */
  readonly windowUs: number
  /** How many windows have ended since it is heard of; no more than one matters. */
  readonly ended: number
  /** How long an answer takes, on average: so far apart may be what was sent together. */
  readonly tookUs: number
  /** In thousandths: how much it looks like a bucket, or a window that slides, whose reset moves away. */
  readonly moves: number
  /** Since the window was first heard of: when that was, what was left, and what own requests have used. */
  readonly sinceUs: number
  readonly first: number
  readonly own: number
  /** What others use, in thousandths of a unit an hour. */
  readonly foreign: number
  /** In millionths: how much longer the distance is because of refusals near the end of the quota. */
  readonly caution: number
  /** In thousandths of the last answers: what was refused near the end of the quota. */
  readonly refused: number
  /** Something was refused although much was left, or again and again: until then it is not what the other side goes by. */
  readonly doubtedUntilUs: number
  /** The distance that follows from it, in nanoseconds; 0 while it says too little. */
  readonly everyNs: number
  /** 1: times were told to less than a second, or the length of the window was told. */
  readonly isExact: number
  /** The longest reset that was told. */
  readonly longestUs: number
  /** Of a short window: how it is counted, see quota-window.ts. */
  readonly counting: number
  /** The pace that it is listened to at, since when, how many answers, how many of them with much used, and the most that was. */
  readonly paceUs: number
  readonly paceAtUs: number
  readonly heard: number
  readonly above: number
  readonly most: number
}

export const noQuota: QuotaState = {
  atUs: 0,
  sentAtUs: 0,
  limit: 0,
  remaining: 0,
  resetAtUs: 0,
  windowUs: 0,
  ended: 0,
  tookUs: 0,
  moves: 0,
  sinceUs: 0,
  first: 0,
  own: 0,
  foreign: 0,
  caution: 0,
  refused: 0,
  doubtedUntilUs: 0,
  everyNs: 0,
  isExact: 0,
  longestUs: 0,
  counting: counting.unknown,
  paceUs: 0,
  paceAtUs: 0,
  heard: 0,
  above: 0,
  most: 0,
}

/** Not every answer tells it. */
const freshUs = 60_000_000
const doubtedUs = 3_600_000_000
/** Of about so many answers it is remembered how many were refused. */
const refusedAnswers = 64
/** In thousandths of the last answers: more refusals than that are not jitter. */
const mostRefused = 60

/** The distance that the quota asks for; null where nothing was heard of one lately, or it is doubted. */
export function quotaEveryNs({ learned }: GateState, nowUs: number): number | null {
  const quota = learned?.quota
  if (!quota || quota.everyNs === 0 || nowUs < quota.doubtedUntilUs) return null
  return nowUs > Math.max(quota.atUs + freshUs, quota.resetAtUs) ? null : quota.everyNs
}

export function hearQuota(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  const asked = heard.kind === "refused" ? state : closeUntil(state, nowUs + Math.min(mostRetryAfterUs, heard.retryAfterUs ?? 0), nowUs)
  const told = complete(heard.quota)
  const known = doubt(state, nowUs, heard, told)
  if (!told) return known === state.learned?.quota || !known ? asked : withLearned(asked, nowUs, { quota: known })
  // An answer to an older request knows less than is known, except that it was one of the own.
  if (known && heard.sentAtUs < known.sentAtUs) return withLearned(asked, nowUs, { quota: { ...known, own: known.own + heard.cost } })
  const sent = inFlight(state, nowUs, heard)
  const { busy, everyUs } = state.pace ?? { busy: 0, everyUs: 0 }
  const quota = follow(known ?? noQuota, nowUs, { heard, told, left: told.remaining - sent, isBusy: busy >= 600, everyUs })
  const isScout = policy.adaptive?.preset === "scout"
  const after = keepWindow(withLearned(asked, nowUs, { quota }), nowUs, isScout ? quota : noQuota, told.limit - told.remaining + sent)
  if (after.window) return told.remaining >= 1 || isWhole(told) ? after : closeUntil(after, quota.resetAtUs - quota.tookUs, nowUs)
  if ((isScout ? told.remaining - sent : told.remaining) >= 1) return after
  return closeUntil(after, emptyUntilUs(quota, heard) - (isScout ? 0 : roundedUs(quota, told)), nowUs)
}

/** A short window is kept by counting; whatever was told once and holds no longer is not. */
function keepWindow({ window: known, ...state }: GateState, nowUs: number, quota: QuotaState, used: number): GateState {
  const window = windowOf(quota, known, nowUs, used)
  if (window) return { ...state, window }
  return known ? tightened(state, nowUs) : state
}

/** Nothing is counted any more: the distance alone has to do. */
function tightened(state: GateState, nowUs: number): GateState {
  const { pace, learned } = state
  const evenUs = Math.round((learned?.scout?.everyNs ?? 0) / 1_000)
  return pace && pace.everyUs === looseUs(evenUs) ? { ...state, pace: repace(pace, nowUs, evenUs) } : state
}

/** What says nothing about either the amount or the time is of no use. */
function complete(quota: HeardQuota | null): Told | null {
  if (!quota || quota.remaining === null || quota.resetUs === null || quota.limit === null || quota.limit < 1) return null
  const resetUs = Math.round(Math.min(mostResetUs, Math.max(0, quota.resetUs)))
  const windowUs = quota.windowUs === null ? null : Math.round(Math.min(mostResetUs, Math.max(1, quota.windowUs)))
  const limit = Math.floor(Math.min(quota.limit, 1e12))
  return { limit, remaining: Math.min(limit, Math.max(0, Math.floor(quota.remaining))), resetUs, windowUs }
}

/** A refusal while much is left is of another limit than this one; near the end of it, it asks for more distance. Each answer that is served counts against that, whatever it tells. */
function doubt(state: GateState, nowUs: number, heard: Heard, told: Told | null): QuotaState | undefined {
  const known = state.learned?.quota
  if (known && heard.kind === "served" && known.refused > 0)
    return { ...known, refused: known.refused - Math.ceil(known.refused / refusedAnswers) }
  if (!known || heard.kind !== "refused" || heard.reason !== "rate" || !isNews(state, heard.sentAtUs)) return known
  const { limit, remaining } = told ?? known
  if (remaining >= Math.max(2, limit / 10)) return { ...known, doubtedUntilUs: nowUs + doubtedUs }
  const refused = known.refused + Math.round(1_000 / refusedAnswers)
  // Refused again and again: others use what is left, and what is told does not say how much. Who looks for the limit by himself does better.
  if (refused > mostRefused) return { ...known, refused: 0, doubtedUntilUs: nowUs + doubtedUs }
  const step = keepsWindow(known) ? Math.max(20_000, Math.round(250_000 / limit)) : 20_000
  return { ...known, refused, caution: Math.min(1_000_000, known.caution + step) }
}

/** What was sent since this request: the other side had not counted it. */
function inFlight({ pace }: GateState, nowUs: number, heard: Heard): number {
  if (!pace || pace.everyUs === 0) return 0
  return Math.round(Math.max(0, Math.min(nowUs, pace.nextAtUs - pace.everyUs) - heard.sentAtUs) / pace.everyUs)
}

/** A window is empty until it ends, a bucket until one has flowed in since the other side has counted. */
function emptyUntilUs({ limit, windowUs, resetAtUs, moves, atUs }: QuotaState, { sentAtUs }: Heard): number {
  const isBucket = moves > 500 && resetAtUs - atUs > 0.8 * windowUs
  return isBucket ? Math.round((atUs + sentAtUs) / 2 + windowUs / limit) : resetAtUs
}

/** A gate with a rate of its own keeps that. It need not also wait for what whole seconds were rounded up by. */
function roundedUs({ atUs, sinceUs }: QuotaState, { resetUs }: Told): number {
  return isWhole({ resetUs }) && atUs - sinceUs < 3_000_000 ? 1_000_000 : 0
}

function isWhole({ resetUs }: Pick<Told, "resetUs">): boolean {
  return resetUs % 1_000_000 === 0
}

function closeUntil(state: GateState, untilUs: number, nowUs: number): GateState {
  const closedUntilUs = Math.round(Math.min(untilUs, nowUs + mostResetUs))
  return closedUntilUs > Math.max(nowUs, state.closedUntilUs) ? { ...state, closedUntilUs } : state
}

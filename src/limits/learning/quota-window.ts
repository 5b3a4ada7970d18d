// Short windows. A reset in whole seconds does not say where a window of one second begins, and how long a bucket takes to fill it says
// no better. How what is used follows the own pace does: of a window as much is used as was sent during it, of a bucket that fills
// faster than that hardly more than the request that asks. So a gate that is told of a short window first listens while it speeds up by
// itself, and from then on keeps the window as if it had been declared.

import { hearOfWindow, type ToldWindow } from "../told-window.ts"
import type { QuotaState } from "./quota.ts"
import type { Told } from "./quota-pace.ts"

/**
 * How the other side counts within a short window. `unknown`: it is listened to. `longest`: a window, as long as was told or, where whole
 * seconds were rounded up, a second less. `window`: its length is known. `other`: no window, or not the own traffic alone.
 */
export const counting = { unknown: 0, longest: 1, window: 2, other: 3 } as const

const secondUs = 1_000_000
/** Longer ones are kept well by a pace. */
const mostUs = { whole: 4 * secondUs, exact: 5 * secondUs }
/** Of shorter ones requests are under way for longer than they last. */
const leastUs = 250_000
/** Answers at one pace that say something: about the way of counting, and about the length. */
const fewest = 10
const fewestOfLength = 100
/** Nothing told for so long: it goes on without. */
const freshUs = 60 * secondUs
/** So many in the own window, as far as is told: with less nothing is seen of it. */
const leastExpected = 3
/** Refusals near the end of it, in millionths of caution: with so many a distance has to help, with so many it is not what counts. */
const fewCaution = 40_000
const mostCaution = 500_000
/** Of a window the longest reset is told when little is used of it, of a bucket when much is: so many requests are little. */
const little = 2

export interface Listening {
  readonly told: Told
  /** The longest reset that was told before. */
  readonly longestUs: number
  readonly nowUs: number
  readonly sentAtUs: number
  /** What the request itself has used. */
  readonly cost: number
  /** The distance of the own requests; 0 where they keep none. */
  readonly everyUs: number
  readonly isBusy: boolean
}

export function isShort({ windowUs, isExact }: QuotaState): boolean {
  return windowUs > 0 && windowUs <= (isExact === 1 ? mostUs.exact : mostUs.whole)
}

/** Nothing is concluded yet: a gate that starts goes on by itself meanwhile. */
export function isListening(quota: QuotaState, nowUs: number): boolean {
  return isShort(quota) && quota.counting === counting.unknown && nowUs <= quota.atUs + freshUs && nowUs >= quota.doubtedUntilUs
}

/** At this pace something was heard: it may be made shorter. */
export function hasListened({ heard }: QuotaState): boolean {
  return heard >= fewest
}

/** Whether the window is kept as if it had been declared. */
export function keepsWindow(quota: QuotaState): boolean {
  return isShort(quota) && quota.windowUs >= leastUs && (quota.counting === counting.longest || quota.counting === counting.window)
}

/** The window as it is kept; undefined where none is. `used`: what counts already where none was. */
export function windowOf(quota: QuotaState, known: ToldWindow | undefined, nowUs: number, used = 0): ToldWindow | undefined {
  if (!keepsWindow(quota) || quota.limit < 1 || nowUs < quota.doubtedUntilUs) return undefined
  return hearOfWindow(known, nowUs, quota.limit, quota.windowUs, used)
}

/** Who counts needs no distance, only not all at once: half of it, unless the window was refused more than once. */
export function isLoose(quota: QuotaState): boolean {
  return keepsWindow(quota) && quota.counting === counting.window && quota.caution < fewCaution
}

/** The longest reset of a short window that was told; once its length is known, what is rounded up does not change it. Null for others. */
export function shortWindowUs(known: QuotaState, { resetUs }: Told): number | null {
  if (!isShort(known) || known.counting === counting.other) return null
  const isRounded = known.counting === counting.window && known.isExact === 0 && resetUs <= known.longestUs
  return isRounded ? known.windowUs : Math.max(known.windowUs, resetUs)
}

/** One more answer: what is used, beside what the own pace would have used of the window. */
export function listen(quota: QuotaState, listening: Listening): QuotaState {
  // One that was longer once, and seems to be short now, is most likely a bucket of which less is used.
  if (!isShort(quota)) return quota.windowUs === 0 ? quota : { ...quota, counting: counting.other }
  const { told, longestUs, nowUs, sentAtUs, cost, everyUs, isBusy } = listening
  if (quota.counting === counting.other || quota.caution > mostCaution) return { ...quota, counting: counting.other }
  const used = told.limit - told.remaining
  // Where less than a second is told, a whole one may be rounded.
  const isAlike = quota.isExact === 0 || told.resetUs % secondUs !== 0
  if (isAlike && longestUs > 0 && told.resetUs > 1.02 * longestUs) return grown(quota, used > little * cost)
  if (quota.counting === counting.window) return quota
  const isSamePace = Math.abs(everyUs - quota.paceUs) * 10 <= quota.paceUs
  if (everyUs === 0 || !isBusy || !isSamePace) return { ...quota, paceUs: everyUs, paceAtUs: nowUs, heard: 0, above: 0, most: 0 }
  // What was sent at the last pace is still counted.
  if (sentAtUs < quota.paceAtUs + quota.windowUs) return quota
  const isUnknown = quota.counting === counting.unknown
  const much = isUnknown ? Math.max(cost, expectedOf(quota) / 4) : told.limit * (1 - halfASecondOf(quota))
  const above = quota.above + (used > much ? 1 : 0)
  const after = { ...quota, heard: quota.heard + 1, above, most: Math.max(quota.most, used) }
  return isUnknown ? countingOf(after, cost) : lengthOf(after)
}

function grown(quota: QuotaState, isMuchUsed: boolean): QuotaState {
  if (isMuchUsed) return { ...quota, counting: counting.other, moves: 1_000 }
  const isLonger = quota.counting === counting.window && quota.isExact === 0
  return isLonger ? { ...quota, counting: counting.longest, heard: 0, above: 0, most: 0 } : quota
}

/** What the own pace uses of a window that is as long as was told. */
function expectedOf({ windowUs, paceUs }: QuotaState): number {
  return windowUs / paceUs
}

function countingOf(quota: QuotaState, cost: number): QuotaState {
  const { heard, above, most, limit } = quota
  const expected = expectedOf(quota)
  const other = { ...quota, counting: counting.other }
  if (heard < fewest) return quota
  if (quota.windowUs < leastUs) return other
  // A bucket is told from a window best while it fills much faster than it is used: as soon as two of the own fall into a window.
  if (limit > cost && above * 12 < heard && shortestOf(quota) >= 2 * cost * quota.paceUs) return other
  // Twice as fast might be too fast: then what is known has to do.
  if (expected < leastExpected * cost && most * 3 < limit) return quota
  if (limit > cost && above * 4 < heard) return other
  // More than was sent: others use it, or it is longer than was told.
  if (most > 2 * (expected + cost)) return other
  const isLengthKnown = shortestOf(quota) === quota.windowUs
  return { ...quota, counting: isLengthKnown ? counting.window : counting.longest, heard: 0, above: 0, most: 0 }
}

/** A moment in whole seconds, from another in whole seconds: a second more than it is. */
function shortestOf({ windowUs, isExact }: QuotaState): number {
  return isExact === 1 || windowUs <= secondUs ? windowUs : windowUs - secondUs
}

/** As a share of the window. */
function halfASecondOf({ windowUs }: QuotaState): number {
  return secondUs / (2 * windowUs)
}

/** At the pace of the longer window the last half second of it would be used. Where it hardly ever is, it is a second shorter. */
function lengthOf(quota: QuotaState): QuotaState {
  if (quota.heard < fewestOfLength) return quota
  const isLonger = quota.above >= (quota.heard * halfASecondOf(quota)) / 2
  return { ...quota, counting: counting.window, windowUs: isLonger ? quota.windowUs : quota.windowUs - secondUs }
}

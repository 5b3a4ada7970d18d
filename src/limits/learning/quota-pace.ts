// The pace that follows from a quota. A window's reset stays where it is while what is left falls: that is spread over the time
// until then. The reset of a bucket, or of a window that slides, moves away: then as much may pass as comes back.

import type { Heard } from "./heard.ts"
import type { QuotaState } from "./quota.ts"
import { keepsWindow, listen, shortWindowUs } from "./quota-window.ts"

/** A quota as an answer tells it, complete and within bounds. */
export interface Told {
  readonly limit: number
  readonly remaining: number
  readonly resetUs: number
  readonly windowUs: number | null
}

export interface Telling {
  readonly heard: Heard
  readonly told: Told
  /** Without what is under way. */
  readonly left: number
  /** There is more to send than the pace lets through. */
  readonly isBusy: boolean
  /** The distance that the gate keeps. */
  readonly everyUs: number
}

const hourUs = 3_600_000_000
const mostWindowUs = 25 * hourUs

/** Said in whole seconds, and under way for a while: less than this does not move a reset. */
const steadyUs = 1_500_000

export function follow(known: QuotaState, nowUs: number, telling: Telling): QuotaState {
  const { heard, told, isBusy, everyUs } = telling
  const atUs = heard.respondedAtUs ?? nowUs
  const resetAtUs = atUs + told.resetUs
  const isOver = known.resetAtUs <= atUs && !isStraggler(known, told)
  // A window that is over leaves much more than was left of it; of what moves, about as much is left as before.
  const isAlike = told.remaining - known.remaining < Math.max(1, told.limit / 4)
  const isMoved = isOver ? isAlike && !isFresh(known, told) : resetAtUs > known.resetAtUs + steadyUs
  const isNew = isOver || isMoved
  const after: QuotaState = {
    ...known,
    atUs,
    sentAtUs: heard.sentAtUs,
    limit: told.limit,
    remaining: told.remaining,
    resetAtUs: isNew ? resetAtUs : Math.min(known.resetAtUs, resetAtUs),
    windowUs:
      told.windowUs ??
      shortWindowUs(known, told) ??
      longestUs(known, told, isBusy, isMoved && !isOver && resetAtUs - known.resetAtUs < known.windowUs / 2),
    ended: isOver && known.atUs > 0 ? 1 : known.ended,
    tookUs: tookUs(known, atUs - heard.sentAtUs),
    moves: judge(known, told, isOver, isMoved),
    sinceUs: isNew ? atUs : known.sinceUs,
    first: isNew ? told.remaining : known.first,
    own: isNew ? 0 : known.own + heard.cost,
    foreign: isNew ? foreignOf(known) : known.foreign,
    caution: known.caution - Math.floor(known.caution / 65_536),
    longestUs: Math.max(known.longestUs, told.resetUs),
    isExact: told.windowUs !== null || told.resetUs % 1_000_000 !== 0 ? 1 : known.isExact,
  }
  const listened = listen(after, { told, longestUs: known.longestUs, nowUs, sentAtUs: heard.sentAtUs, cost: heard.cost, everyUs, isBusy })
  return { ...listened, everyNs: everyNsOf(listened, telling.left) }
}

/** Counted at the end of the last window, and so long under way that it has ended meanwhile: it says nothing about the next one. */
function isStraggler(known: QuotaState, { remaining, resetUs }: Told): boolean {
  // Said in whole seconds, it is rounded up.
  const roundedUs = resetUs % 1_000_000 === 0 ? 1_000_000 : 0
  return remaining < known.remaining && resetUs <= known.tookUs + roundedUs
}

/**
 * The start of a window that was hardly used before: nothing of it is used, and yet it takes long. A bucket that is nearly full takes
 * as long for each unit as it did before.
 */
function isFresh(known: QuotaState, { limit, remaining, resetUs }: Told): boolean {
  const used = limit - remaining
  const beforeUs = Math.max(0, known.resetAtUs - known.atUs) / Math.max(1, known.limit - known.remaining)
  return used <= Math.max(1, limit / 20) && resetUs / Math.max(1, used) > 3 * beforeUs
}

/**
 * That a reset stays says little: one that is near does so for a while in any case. A new window that is not full is none: it
 * counts the last one in, or slides.
 */
function judge({ atUs, moves, windowUs }: QuotaState, { resetUs }: Told, isOver: boolean, isMoved: boolean): number {
  if (atUs === 0) return 0
  const share = isOver && isMoved && resetUs * 2 >= windowUs ? 0.6 : isOver ? 1 / 3 : 1 / 8
  if (isMoved) return moves + Math.round((1_000 - moves) * share)
  return isOver ? moves - Math.round(moves / 8) : moves
}

function tookUs(known: QuotaState, us: number): number {
  const took = Math.min(mostWindowUs, Math.max(0, us))
  return known.atUs === 0 ? took : known.tookUs + Math.round((took - known.tookUs) / 16)
}

/** What jitter may bring together: of a short window it is much. */
function jitterShare({ tookUs, windowUs }: QuotaState): number {
  return Math.min(0.4, tookUs / Math.max(1, windowUs))
}

/**
 * The longest reset told. A bucket that is nearly empty tells how long it takes to fill; where half of it is left although there
 * is much to send, it takes less than was thought. A reset that stays, of two windows that fade into each other, tells none of it.
 */
function longestUs(known: QuotaState, { limit, remaining, resetUs }: Told, isBusy: boolean, isMoving: boolean): number {
  if (known.moves <= 500) return Math.max(resetUs, known.windowUs)
  const used = limit - remaining
  const isWhole = resetUs % 1_000_000 === 0
  const exactUs = isWhole ? Math.max(0, resetUs - 500_000) : resetUs
  const fillUs = isMoving && used * 4 >= limit * 3 ? Math.min(mostWindowUs, Math.round((exactUs * limit) / used)) : 0
  const lessUs = isBusy && used * 2 < limit ? Math.round(known.windowUs / (isWhole ? 64 : 1_024)) : 0
  return Math.max(exactUs, fillUs, known.windowUs - lessUs, 1)
}

/** What is missing from a window that is over, and was not used here: a part of it, so that one window alone does not decide. */
function foreignOf({ sinceUs, atUs, first, remaining, own, foreign, windowUs }: QuotaState): number {
  const heardUs = atUs - sinceUs
  if (heardUs < windowUs / 4 || heardUs <= 0) return foreign
  const others = Math.max(0, first - remaining - own - 2)
  const hourly = Math.min(1e15, (others * 1_000 * hourUs) / heardUs)
  return Math.round(foreign + (hourly - foreign) / 3)
}

function everyNsOf(quota: QuotaState, left: number): number {
  const { limit, windowUs, resetAtUs, atUs, moves, foreign, caution } = quota
  if (windowUs === 0) return 0
  const evenNs = (windowUs / limit) * 1_000 * (1 + caution / 1_000_000)
  if (keepsWindow(quota)) return Math.ceil(evenNs)
  if (moves > 500) {
    // A little more while much is left, less while little is. What is left is room for jitter, too.
    const room = jitterShare(quota) * (1 - Math.min(1, Math.max(0, left) / (limit / 2)))
    return Math.ceil(evenNs / (1 - room) / (0.9 + 0.15 * Math.min(1, Math.max(0, left) / Math.max(3, 0.3 * limit))))
  }
  // The first window heard of may be one of two that fade into each other: what is used of it counts in the next one as well.
  const leftUs = Math.max(0, resetAtUs - atUs) * (quota.ended === 0 ? 2 : 1)
  const others = (1.2 * foreign * leftUs) / (1_000 * hourUs)
  return Math.ceil(Math.max(evenNs / 2, (leftUs * 1_000) / Math.max(1, left - others)))
}

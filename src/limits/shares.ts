// Shares: what part of a limit a process may use while it cannot reach the store. A share is an interval of the line from 0 to
// `wholeShare`; intervals that do not overlap give parts of any limit whose sum is no more than the limit, whatever it is.

import type { GatePolicy, RatePolicy } from "./policy.ts"

/** From the first to before the second. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** Divisible by every number up to 16. */
export const wholeShare = 720_720

export const noShare: Interval = { from: 0, to: 0 }

export function isNoShare({ from, to }: Interval): boolean {
  return to <= from
}

/** The interval that the `index`-th of `count` has, where all have the same. */
export function evenShare(index: number, count: number): Interval {
  const at = (i: number) => Math.floor((i * wholeShare) / count)
  return { from: at(index), to: at(index + 1) }
}

/** How many of `limit` whole units belong to the interval. */
export function partOf({ from, to }: Interval, limit: number): number {
  return to <= from ? 0 : floorAt(to, limit) - floorAt(from, limit)
}

/** Exact: the product is a whole number below 2^53, and so is what is left of it. */
function floorAt(at: number, limit: number): number {
  const product = at * limit
  return (product - (product % wholeShare)) / wholeShare
}

/** The longest piece of the interval that none of the others covers; the first of several. */
export function freePiece(wanted: Interval, taken: readonly Interval[]): Interval {
  let longest = noShare
  let from = wanted.from
  const inOrder = taken.filter((one) => !isNoShare(one)).sort((a, b) => a.from - b.from)
  for (const one of [...inOrder, { from: wanted.to, to: wanted.to }]) {
    const piece = { from, to: Math.min(one.from, wanted.to) }
    if (piece.to - piece.from > longest.to - longest.from) longest = piece
    from = Math.max(from, one.to)
  }
  return longest
}

/** The same points, in intervals that do not overlap. */
export function merged(intervals: readonly Interval[]): readonly Interval[] {
  const list: Interval[] = []
  for (const one of intervals.filter((each) => !isNoShare(each)).sort((a, b) => a.from - b.from)) {
    const last = list.at(-1)
    if (last && one.from <= last.to) list[list.length - 1] = { from: last.from, to: Math.max(last.to, one.to) }
    else list.push(one)
  }
  return list
}

/**
 * What the interval allows of a policy; null where that is nothing of one of its parts, or where the pace is all there is: what was
 * learned cannot be parted by whoever does not know it.
 */
export function sharePolicy({ rates, concurrency, adaptive }: GatePolicy, share: Interval): GatePolicy | null {
  if (adaptive && rates.length === 0) return null
  if (rates.length === 0 && concurrency === null) return null
  const slots = concurrency === null ? null : partOf(share, concurrency)
  const parts = rates.map((rate) => ({ ...rate, limit: partOf(share, rate.limit), burst: partOf(share, rate.burst) }))
  const isNothing = slots === 0 || parts.some(({ limit, burst, provider }) => limit === 0 || (provider === "bucket" && burst === 0))
  return isNothing ? null : { rates: parts, concurrency: slots }
}

/** How long a rate remembers what has passed. */
export function memoryUs({ provider, perUs, slackUs, burst, limit }: RatePolicy): number {
  if (provider === "bucket") return Math.ceil((perUs * burst) / limit)
  return provider === "unknown" ? perUs + slackUs : perUs
}

export function longestMemoryUs({ rates }: GatePolicy): number {
  return Math.max(0, ...rates.map(memoryUs))
}

// How much of a provider's word is believed. A response may come from anyone: what it asks for is bounded, and what is no plain
// number is not heard at all.

const hourMs = 3_600_000

export const mostRetryAfterMs = hourMs
/** A daily quota, and an hour for clocks and daylight saving. */
export const mostResetMs = 25 * hourMs
export const mostWindowMs = 366 * 24 * hourMs
export const mostCount = 1_000_000_000
export const mostQuotas = 8
export const mostHeaderChars = 4_096
export const mostNameChars = 128

/** Rounded up: a wait is never shorter than was asked for. What binary fractions add is not: 2.007 s are 2007 ms, not 2008. */
export function wholeMs(ms: number): number | null {
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(Number(ms.toPrecision(15)))) : null
}

export function atMost(most: number, ms: number | null): number | null {
  return ms === null ? null : Math.min(ms, most)
}

/** One that is too long is dropped, not cut: a shorter window would mean a faster rate. */
export function cappedWindow(ms: number | null): number | null {
  return ms !== null && ms >= 1 && ms <= mostWindowMs ? ms : null
}

/** Rounded down: half a request cannot be sent. */
export function cappedCount(count: number | null): number | null {
  return count !== null && Number.isFinite(count) && count >= 0 ? Math.min(Math.max(0, Math.floor(count)), mostCount) : null
}

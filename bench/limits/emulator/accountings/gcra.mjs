// The generic cell rate algorithm: one time, at which everything accepted so far would have been due at the steady rate. A request may
// be ahead of it by `burst` requests, few as a rule. `resetMs` is the time until all of the burst is free again.

const defaultBurst = 2
/** In ms: what is early by less is a rounding error. */
const tolerance = 1e-6

export class Gcra {
  constructor({ limit, perMs, burst }) {
    this.limit = limit
    this.perMs = perMs
    this.burst = burst ?? defaultBurst
    this.intervalMs = perMs / limit
    this.dueAtMs = Number.NEGATIVE_INFINITY
  }

  get capacity() {
    return this.burst
  }

  /** How far ahead of the steady rate the provider is, in requests. */
  ahead(atMs) {
    return Math.max(0, this.dueAtMs - atMs) / this.intervalMs
  }

  fits(atMs, cost) {
    return this.waitMs(atMs, cost) === 0
  }

  /** Where refused requests count, they put it behind by one more burst at most. */
  take(atMs, cost) {
    const dueAtMs = Math.max(this.dueAtMs, atMs) + cost * this.intervalMs
    this.dueAtMs = Math.min(dueAtMs, atMs + 2 * this.burst * this.intervalMs)
  }

  remaining(atMs) {
    return Math.max(0, this.burst - this.ahead(atMs) + tolerance / this.intervalMs)
  }

  resetMs(atMs) {
    return Math.max(0, this.dueAtMs - atMs)
  }

  waitMs(atMs, cost) {
    if (cost > this.burst) return Number.POSITIVE_INFINITY
    const waitMs = Math.max(this.dueAtMs, atMs) - atMs + (cost - this.burst) * this.intervalMs
    return waitMs <= tolerance ? 0 : waitMs
  }

  change(atMs, limit) {
    const ahead = this.ahead(atMs)
    this.limit = limit
    this.intervalMs = this.perMs / limit
    this.dueAtMs = atMs + ahead * this.intervalMs
  }
}

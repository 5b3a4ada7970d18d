// Two aligned windows, interpolated: the last one counts with the share of it that is still within one length of now. It takes the last
// window's requests as spread evenly, so smooth traffic gets one less than the limit. `resetMs` is the end of the current window.

/** Sums of products: what is refused by less than this is a rounding error. */
const tolerance = 1e-9

export class Counter {
  constructor({ limit, perMs, offsetMs }) {
    this.limit = limit
    this.perMs = perMs
    this.offsetMs = offsetMs
    this.index = Number.NEGATIVE_INFINITY
    this.last = 0
    this.current = 0
  }

  get capacity() {
    return this.limit
  }

  advance(atMs) {
    const index = Math.floor((atMs - this.offsetMs) / this.perMs)
    if (index <= this.index) return
    this.last = index === this.index + 1 ? this.current : 0
    this.current = 0
    this.index = index
  }

  get startsAtMs() {
    return this.index * this.perMs + this.offsetMs
  }

  used(atMs) {
    this.advance(atMs)
    const elapsed = Math.min(1, Math.max(0, (atMs - this.startsAtMs) / this.perMs))
    return this.last * (1 - elapsed) + this.current
  }

  fits(atMs, cost) {
    return this.used(atMs) + cost <= this.limit + tolerance
  }

  take(atMs, cost) {
    this.advance(atMs)
    this.current += cost
  }

  remaining(atMs) {
    return Math.max(0, this.limit - this.used(atMs))
  }

  resetMs(atMs) {
    this.advance(atMs)
    return this.startsAtMs + this.perMs - atMs
  }

  waitMs(atMs, cost) {
    if (cost > this.limit) return Number.POSITIVE_INFINITY
    if (this.fits(atMs, cost)) return 0
    const room = this.limit - this.current - cost
    // Within this window the last one fades; in the next, what is counted now fades.
    if (room > 0) return Math.max(0, this.startsAtMs + (1 - room / this.last) * this.perMs - atMs)
    const faded = this.current === 0 ? 0 : Math.max(0, 1 - (this.limit - cost) / this.current)
    return this.startsAtMs + (1 + faded) * this.perMs - atMs
  }

  change(atMs, limit) {
    this.advance(atMs)
    this.limit = limit
  }
}

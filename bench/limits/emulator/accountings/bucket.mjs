// A bucket of tokens that fills steadily: `limit` tokens in `perMs`, at most `burst` of them. `resetMs` is the time until it is full.

/** In tokens: what is missing by less is a rounding error. */
const tolerance = 1e-9

export class Bucket {
  constructor({ limit, perMs, burst }) {
    this.limit = limit
    this.perMs = perMs
    this.isBurstGiven = burst !== undefined
    this.burst = burst ?? limit
    this.tokens = this.burst
    this.countedAtMs = Number.NEGATIVE_INFINITY
  }

  get capacity() {
    return this.burst
  }

  advance(atMs) {
    if (atMs <= this.countedAtMs) return
    this.tokens = Math.min(this.burst, this.tokens + ((atMs - this.countedAtMs) * this.limit) / this.perMs)
    this.countedAtMs = atMs
  }

  fits(atMs, cost) {
    this.advance(atMs)
    return cost <= this.tokens + tolerance
  }

  /** Where refused requests count, they put it into debt, by one burst at most. */
  take(atMs, cost) {
    this.advance(atMs)
    this.tokens = Math.max(-this.burst, this.tokens - cost)
  }

  remaining(atMs) {
    this.advance(atMs)
    return Math.max(0, this.tokens + tolerance)
  }

  resetMs(atMs) {
    this.advance(atMs)
    return this.fillMs(this.burst - this.tokens)
  }

  waitMs(atMs, cost) {
    if (cost > this.burst) return Number.POSITIVE_INFINITY
    this.advance(atMs)
    return this.fillMs(Math.max(0, cost - this.tokens))
  }

  fillMs(tokens) {
    return (tokens * this.perMs) / this.limit
  }

  change(atMs, limit) {
    this.advance(atMs)
    this.limit = limit
    if (this.isBurstGiven) return
    this.burst = limit
    this.tokens = Math.min(this.burst, this.tokens)
  }
}

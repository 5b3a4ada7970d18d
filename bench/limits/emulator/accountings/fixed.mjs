// Windows of one length, each with its own count. Aligned windows begin at multiples of their length after `offsetMs`; an anchored one
// begins with the first request after the last one ended.

class Window {
  constructor({ limit, perMs }) {
    this.limit = limit
    this.perMs = perMs
    this.endsAtMs = Number.NEGATIVE_INFINITY
    this.used = 0
  }

  get capacity() {
    return this.limit
  }

  advance(atMs) {
    if (atMs < this.endsAtMs) return
    this.used = 0
    this.endsAtMs = this.endAfter(atMs)
  }

  fits(atMs, cost) {
    this.advance(atMs)
    return this.used + cost <= this.limit
  }

  take(atMs, cost) {
    this.advance(atMs)
    this.used += cost
  }

  remaining(atMs) {
    this.advance(atMs)
    return Math.max(0, this.limit - this.used)
  }

  resetMs(atMs) {
    this.advance(atMs)
    return this.endsAtMs - atMs
  }

  waitMs(atMs, cost) {
    if (cost > this.limit) return Number.POSITIVE_INFINITY
    return this.fits(atMs, cost) ? 0 : this.endsAtMs - atMs
  }

  change(atMs, limit) {
    this.advance(atMs)
    this.limit = limit
  }
}

export class Aligned extends Window {
  constructor(budget) {
    super(budget)
    this.offsetMs = budget.offsetMs
  }

  endAfter(atMs) {
    const endsAtMs = (Math.floor((atMs - this.offsetMs) / this.perMs) + 1) * this.perMs + this.offsetMs
    // With a fractional offset the division may come out just below a whole number at the very start of a window.
    return endsAtMs > atMs ? endsAtMs : endsAtMs + this.perMs
  }
}

export class Anchored extends Window {
  /** A window is opened by a request alone: to look does not open one. */
  advance(atMs) {
    if (atMs >= this.endsAtMs) this.used = 0
  }

  take(atMs, cost) {
    if (atMs >= this.endsAtMs) {
      this.used = 0
      this.endsAtMs = atMs + this.perMs
    }
    this.used += cost
  }

  resetMs(atMs) {
    return Math.max(0, this.endsAtMs - atMs)
  }
}

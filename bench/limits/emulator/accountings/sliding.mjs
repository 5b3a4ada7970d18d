// The exact log: what was counted during the last window, at every moment. `resetMs` is when the oldest entry leaves, as the common
// sorted-set implementations tell it: from then on there is room again, not all of it.

export class Sliding {
  constructor({ limit, perMs }) {
    this.limit = limit
    this.perMs = perMs
    this.times = []
    this.costs = []
    this.head = 0
    this.used = 0
  }

  get capacity() {
    return this.limit
  }

  advance(atMs) {
    const { times, costs, perMs } = this
    while (this.head < times.length && times[this.head] + perMs <= atMs) this.used -= costs[this.head++]
    if (this.head < 1_024 || this.head * 2 < times.length) return
    this.times = times.slice(this.head)
    this.costs = costs.slice(this.head)
    this.head = 0
  }

  fits(atMs, cost) {
    this.advance(atMs)
    return this.used + cost <= this.limit
  }

  take(atMs, cost) {
    this.advance(atMs)
    this.times.push(atMs)
    this.costs.push(cost)
    this.used += cost
  }

  remaining(atMs) {
    this.advance(atMs)
    return Math.max(0, this.limit - this.used)
  }

  resetMs(atMs) {
    this.advance(atMs)
    return this.head < this.times.length ? this.times[this.head] + this.perMs - atMs : 0
  }

  waitMs(atMs, cost) {
    if (cost > this.limit) return Number.POSITIVE_INFINITY
    this.advance(atMs)
    let used = this.used
    let i = this.head
    while (used + cost > this.limit) used -= this.costs[i++]
    return i === this.head ? 0 : this.times[i - 1] + this.perMs - atMs
  }

  change(atMs, limit) {
    this.advance(atMs)
    this.limit = limit
  }
}

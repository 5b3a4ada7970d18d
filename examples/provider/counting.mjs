// How the provider counts: plain arithmetic of its own, so that no limiter is measured with its own ruler.

/**
 * What was served during the last window, at every moment. `ask` answers null for "served", else how long to wait. `most` is the most that
 * was asked for within any window, refusals included: what the clients did, and not what the provider let them do.
 */
export class SlidingWindow {
  constructor({ limit, windowMs }) {
    this.limit = limit
    this.windowMs = windowMs
    this.served = []
    this.asked = []
    this.most = 0
    this.refused = 0
  }

  ask(atMs, cost) {
    this.forget(atMs)
    this.asked.push({ atMs, cost })
    this.most = Math.max(this.most, sum(this.asked))
    let used = sum(this.served)
    if (used + cost <= this.limit) return null
    this.refused++
    for (const one of this.served) {
      used -= one.cost
      if (used + cost <= this.limit) return one.atMs + this.windowMs - atMs
    }
    return this.windowMs
  }

  /** Only what every window of a request lets pass is counted by any. */
  serve(atMs, cost) {
    this.served.push({ atMs, cost })
  }

  forget(atMs) {
    for (const log of [this.served, this.asked]) while (log.length > 0 && log[0].atMs <= atMs - this.windowMs) log.shift()
  }
}

function sum(entries) {
  return entries.reduce((total, { cost }) => total + cost, 0)
}

/** How many are being served at once, and how many were at most, refusals included. */
export class AtOnce {
  constructor(limit) {
    this.limit = limit ?? Number.POSITIVE_INFINITY
    this.now = 0
    this.most = 0
    this.refused = 0
  }

  enter() {
    this.most = Math.max(this.most, ++this.now)
    if (this.now <= this.limit) return true
    this.refused++
    return false
  }

  leave() {
    this.now--
  }
}

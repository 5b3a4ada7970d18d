// How long requests take there and back at the least, for each limit, as this process has seen it. A gate relies on that: it takes a request for
// counted half a round trip before its answer. So a figure is told only once enough is known. In a process that starts, all requests have a connection
// to make; the shortest of those let a gate begin its second window up to 90 ms too early.

import type { GateRef } from "../task/index.ts"

/** Of requests that went out after a first answer had come. */
const enough = 10

interface Known {
  readonly firstAtMs: number
  count: number
  leastMs: number
}

export class RoundTrips {
  private readonly byLimit = new Map<string, Known>()

  /** Notes the answer to a request that has passed these gates. Answers with the shortest way known at all of them, null while it is not. */
  leastMs(gates: readonly Pick<GateRef, "limit">[], sentAtMs: number, respondedAtMs: number): number | null {
    const rttMs = Math.max(0, Math.round(respondedAtMs - sentAtMs))
    let least: number | null = rttMs
    for (const { limit } of gates) {
      const known = this.known(limit, respondedAtMs)
      if (sentAtMs >= known.firstAtMs) known.count++
      known.leastMs = Math.min(known.leastMs, rttMs)
      least = least === null || known.count < enough ? null : Math.min(least, known.leastMs)
    }
    return least
  }

  private known(limit: string, respondedAtMs: number): Known {
    const known = this.byLimit.get(limit) ?? { firstAtMs: respondedAtMs, count: 0, leastMs: Number.POSITIVE_INFINITY }
    this.byLimit.set(limit, known)
    return known
  }
}

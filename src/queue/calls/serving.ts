// While the store is out of reach: who has no slot any more loses it, and who may start does, in order.

import type { Detached } from "./detached.ts"
import type { Roster } from "./roster.ts"
import type { Shares } from "./shares.ts"

/** Answers with when to look again. */
export function serveUnderShare(roster: Roster, shares: Shares, detached: Detached, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY
  for (const [gate, { wanted }] of roster.gates()) {
    const { limit, key } = wanted
    const most = detached.slots({ limit, key, gate }, nowMs)
    for (const call of roster.runningAt(gate)) if (roster.inUse(gate, nowMs) > most) roster.lose(call)
    nextMs = Math.min(nextMs, detached.nextAtMs(gate, shares.allowance(limit, key, nowMs), nowMs))
    for (const call of roster.waitingAt(gate)) {
      const atMs = detached.admit(call, roster.inUse(gate, nowMs), nowMs)
      if (atMs !== null) {
        nextMs = Math.min(nextMs, Math.max(atMs, nowMs + 1))
        break
      }
      Object.assign(call, { isUnderShare: true, isKnown: false, leaseEndsAtMs: Number.POSITIVE_INFINITY })
      roster.start(call)
    }
  }
  // Those who were to try are told at once.
  for (const call of [...roster.waiting.values()]) if (call.wanted.waitMs <= 0) roster.giveUp(call, null)
  return nextMs
}

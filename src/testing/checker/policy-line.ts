// What held for a limit, and when. An event that falls into the same millisecond as a change may have come before it or after it:
// it is judged by the milder of the two.

import type { PolicySet, RateSet } from "./events.ts"

export class PolicyLine {
  private readonly changes: PolicySet[] = []
  private isSorted = true

  add(change: PolicySet): void {
    this.changes.push(change)
    this.isSorted = false
  }

  /** Everything that held at some moment from `fromMs` to `toMs`, the ends included. */
  during(fromMs: number, toMs: number): PolicySet[] {
    if (!this.isSorted) this.changes.sort((a, b) => a.atMs - b.atMs || a.seq - b.seq)
    this.isSorted = true
    const last = this.changes.findLastIndex(({ atMs }) => atMs < fromMs)
    return this.changes.filter(({ atMs }, i) => i >= last && atMs <= toMs)
  }

  /** The most slots that held at the moment; null for no bound. */
  slotsAt(atMs: number): number | null {
    const found = this.during(atMs, atMs)
    if (found.length === 0) return null
    return found.reduce<number | null>((most, { slots }) => (most === null || slots === null ? null : Math.max(most, slots)), 0)
  }

  isClosedAt(atMs: number): boolean {
    const found = this.during(atMs, atMs)
    return found.length > 0 && found.every(({ closedUntilMs }) => closedUntilMs === null || closedUntilMs > atMs)
  }

  /** Rates that are counted alike are one rate. */
  rates(): RateSet[] {
    const kinds = new Map<string, RateSet>()
    for (const rate of this.changes.flatMap(({ rates }) => rates)) kinds.set(kindOf(rate), rate)
    return [...kinds.values()]
  }

  /** The most that this kind of rate allowed; Infinity where at some moment of it nothing bounded it. */
  mostDuring(rate: RateSet, fromMs: number, toMs: number): { limit: number; burst: number } {
    const most = { limit: 0, burst: 0 }
    const found = this.during(fromMs, toMs)
    for (const { rates } of found) {
      const same = rates.find((other) => kindOf(other) === kindOf(rate))
      most.limit = Math.max(most.limit, same?.limit ?? Number.POSITIVE_INFINITY)
      most.burst = Math.max(most.burst, same?.burst ?? Number.POSITIVE_INFINITY)
    }
    return found.length > 0 ? most : { limit: Number.POSITIVE_INFINITY, burst: Number.POSITIVE_INFINITY }
  }

  /** Whether cost counts as slots: where a limit has slots alone. */
  get isSlotsAlone(): boolean {
    return this.changes.every(({ rates }) => rates.length === 0)
  }
}

function kindOf({ provider, perMs, phaseMs }: RateSet): string {
  return `${provider} ${perMs} ${phaseMs}`
}

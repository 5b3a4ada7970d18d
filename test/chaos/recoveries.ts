// How soon work goes on once the store can be reached again: from the end of an outage of all to the next claim of anybody.

import type { HistoryEvent } from "../../src/testing/index.ts"

export interface RecoveryTimes {
  readonly count: number
  readonly p50Ms: number
  readonly maxMs: number
}

const everybody = "*"

export class Recoveries {
  private readonly claimedAtMs: number[] = []
  private readonly overAtMs: number[] = []

  add(event: HistoryEvent): void {
    if (event.op === "claim") this.claimedAtMs.push(event.atMs)
    else if (event.op === "fault" && event.fault === "outage" && event.victim === everybody) this.overAtMs.push(event.untilMs ?? event.atMs)
  }

  /** An outage after the last claim is left out: there was nothing left to do. */
  times(): RecoveryTimes {
    const claims = this.claimedAtMs.toSorted((a, b) => a - b)
    const times = this.overAtMs.flatMap((overAtMs) => {
      const next = claims.find((atMs) => atMs >= overAtMs)
      return next === undefined ? [] : [next - overAtMs]
    })
    times.sort((a, b) => a - b)
    return { count: times.length, p50Ms: times[Math.floor(times.length / 2)] ?? 0, maxMs: times.at(-1) ?? 0 }
  }
}

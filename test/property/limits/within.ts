// Whether what was let through keeps to a rate, counted by hand. Times in any order.

import type { RatePolicy } from "../../../src/limits/index.ts"

export interface Admitted {
  readonly atUs: number
  readonly cost: number
}

/** The most that lies in any interval of the length, its end included and its beginning not. */
export function mostIn(admitted: readonly Admitted[], lengthUs: number): number {
  const sorted = [...admitted].sort((a, b) => a.atUs - b.atUs)
  let [first, sum, most] = [0, 0, 0]
  for (const { atUs, cost } of sorted) {
    sum += cost
    while (atUs - (sorted[first]?.atUs ?? atUs) >= lengthUs) sum -= sorted[first++]?.cost ?? 0
    most = Math.max(most, sum)
  }
  return most
}

export function isWithin(rate: RatePolicy, admitted: readonly Admitted[]): boolean {
  if (rate.provider === "fixed") return isWithinWindows(rate, admitted)
  if (rate.provider === "bucket") return isWithinBucket(rate, admitted)
  return mostIn(admitted, rate.perUs) <= rate.limit
}

/** At most the limit in every aligned window, and nothing near its ends. */
function isWithinWindows({ limit, perUs, phaseUs, guardUs }: RatePolicy, admitted: readonly Admitted[]): boolean {
  const byWindow = new Map<number, number>()
  for (const { atUs, cost } of admitted) {
    const window = Math.floor((atUs - phaseUs) / perUs)
    const intoUs = atUs - (window * perUs + phaseUs)
    if (intoUs < guardUs || intoUs > perUs - guardUs) return false
    byWindow.set(window, (byWindow.get(window) ?? 0) + cost)
  }
  return [...byWindow.values()].every((used) => used <= limit)
}

/** At most the burst and what has flowed in since, from each admission on. */
function isWithinBucket({ limit, perUs, burst }: RatePolicy, admitted: readonly Admitted[]): boolean {
  const sorted = [...admitted].sort((a, b) => a.atUs - b.atUs)
  return sorted.every((from, i) => {
    let sum = 0
    return sorted.slice(i).every(({ atUs, cost }) => {
      sum += cost
      // sum ≤ burst + limit · elapsed / per, without a fraction
      return BigInt(sum) * BigInt(perUs) <= BigInt(burst) * BigInt(perUs) + BigInt(limit) * BigInt(atUs - from.atUs)
    })
  })
}

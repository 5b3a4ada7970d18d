// How far forecasts were from the true start, out of counts by size: bucket b counts errors below 2^b ms.

import { formatDuration } from "../units/index.ts"

export interface ErrorSummary {
  readonly count: number
  /** Half of the errors were below this, and 99 in 100 below that. */
  readonly p50Ms: number
  readonly p99Ms: number
}

export function summarise(buckets: Readonly<Record<number, number>>): ErrorSummary {
  const sorted = Object.entries(buckets)
    .map(([bucket, count]) => ({ belowMs: 2 ** Number(bucket), count }))
    .sort((a, b) => a.belowMs - b.belowMs)
  const count = sorted.reduce((sum, bucket) => sum + bucket.count, 0)
  const quantile = (share: number): number => {
    let left = Math.ceil(count * share)
    for (const bucket of sorted) {
      left -= bucket.count
      if (left <= 0) return bucket.belowMs
    }
    return 0
  }
  return { count, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/** "< 512ms", "< 8.2s", "< 18m": rounded up, so that it stays true. */
export function boundText(ms: number): string {
  if (ms < 1_000) return `< ${ms}ms`
  if (ms < 60_000) return `< ${Math.ceil(ms / 100) / 10}s`
  const unitMs = ms < 3_600_000 ? 60_000 : 3_600_000
  return `< ${formatDuration(Math.ceil(ms / unitMs) * unitMs)}`
}

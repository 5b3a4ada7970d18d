// How far forecasts were from the true start, out of counts by size: bucket b counts errors below 2^b ms.

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

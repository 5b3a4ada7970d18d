// How values are spread, in a few figures.

export function spread(values) {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
  return { count: sorted.length, least: sorted[0], median: at(0.5), p99: at(0.99), most: sorted.at(-1) }
}

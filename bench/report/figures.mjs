// Arithmetic and print of figures, for every benchmark.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)]

export const whole = (value) => Math.round(value).toLocaleString("en-US")
export const tenths = (value) => value.toFixed(1)
export const ratio = (value) => (value >= 10 ? value.toFixed(1) : value.toFixed(2))
export const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** A table for a terminal: the first column to the left, the others to the right. */
export function textTable([head, ...rows]) {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i].length)))
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ")
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}

/** The same table in Markdown. */
export function markdownTable([head, ...rows]) {
  const line = (row) => `| ${row.join(" | ")} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n")
}

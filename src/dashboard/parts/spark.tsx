// The recent course of a number, small enough for a cell: steps, because it holds until it changes.

export interface SparkProps {
  readonly label: string
  readonly points: readonly { readonly atMs: number; readonly value: number }[]
  readonly toMs: number
}

const width = 88
const height = 20

export function Spark({ label, points, toMs }: SparkProps) {
  const first = points[0]
  if (!first || points.length < 2) return null
  const spanMs = Math.max(1, toMs - first.atMs)
  const most = Math.max(...points.map(({ value }) => value), 1)
  const x = (atMs: number) => Math.round(((atMs - first.atMs) / spanMs) * (width - 2) * 10) / 10 + 1
  const y = (value: number) => Math.round((height - 2 - (value / most) * (height - 4)) * 10) / 10
  const steps = points.slice(1).map(({ atMs, value }) => `H${x(atMs)}V${y(value)}`)
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <path d={`M${x(first.atMs)} ${y(first.value)}${steps.join("")}H${width - 1}`} />
    </svg>
  )
}

// Spans of time in words: "2h 30m", "45s", "120ms", as on the command line. The two largest units, the rest dropped.

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

export function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const first = units.findIndex(([, unitMs]) => ms >= unitMs)
  let leftMs = ms
  const parts: string[] = []
  for (const [unit, unitMs] of units.slice(first, first + 2)) {
    const count = Math.floor(leftMs / unitMs)
    leftMs -= count * unitMs
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.join(" ")
}

/** Learned distances are fractions of seconds: "1.25s", "340ms", "2m 5s". */
export function distanceText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms * 10) / 10}ms`
  return ms < 60_000 ? `${Math.round(ms / 10) / 100}s` : durationText(ms)
}

/** What is left, rounded up: it says "1s" until it is over. "now" then. */
export function leftText(ms: number): string {
  if (ms <= 0) return "now"
  return durationText(Math.ceil(ms / 1_000) * 1_000)
}

/** "3m ago", "in 20s", "now". */
export function relativeText(ms: number): string {
  if (Math.abs(ms) < 1_000) return "now"
  return ms > 0 ? `in ${leftText(ms)}` : `${durationText(Math.floor(-ms / 1_000) * 1_000)} ago`
}

/** As people write it into a field: "10s", "1h30m", "250ms". */
export function exactText(ms: number): string {
  const unit = ms % 1_000 === 0 ? units.find(([, unitMs]) => ms > 0 && ms % unitMs === 0) : undefined
  return unit ? `${ms / unit[1]}${unit[0]}` : `${ms}ms`
}

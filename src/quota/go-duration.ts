// Durations as Go prints them: "6m0s", "12ms", "1.5s", "1h2m3s".

import { wholeMs } from "./caps.ts"

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, Âµs: 1e-3, ns: 1e-6 } as const
// Both letters that look like a micro sign, and its UTF-8 read as Latin-1, which is what HTTP makes of it.
const part = /(\d{1,15}(?:\.\d{1,18})?)(h|ms|m|s|us|µs|μs|Âµs|ns)/y

export function readGoDuration(text: string | null): number | null {
  if (text === null || text === "") return null
  let totalMs = 0
  let at = 0
  while (at < text.length) {
    part.lastIndex = at
    const match = part.exec(text)
    if (!match) return null
    totalMs += Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
    at = part.lastIndex
  }
  return wholeMs(totalMs)
}

// Sizes of forecast errors in words.

import { formatDuration } from "../units/index.ts"

/** "< 512ms", "< 8.2s", "< 18m": rounded up, so that it stays true. */
export function boundText(ms: number): string {
  if (ms < 1_000) return `< ${ms}ms`
  if (ms < 60_000) return `< ${Math.ceil(ms / 100) / 10}s`
  const unitMs = ms < 3_600_000 ? 60_000 : 3_600_000
  return `< ${formatDuration(Math.ceil(ms / unitMs) * unitMs)}`
}

// How long a refusal asks to wait. Retry-After wins over resets, which say when a quota is whole again and not when the next
// request would pass.

import type { Heard } from "./quota.ts"

/** Null where nothing was refused, or nothing says for how long. Without a Retry-After: until the last empty quota resets. */
export function waitMs({ isRefused, retryAfterMs, quotas }: Heard): number | null {
  if (!isRefused || retryAfterMs !== null) return isRefused ? retryAfterMs : null
  const resets = quotas.flatMap(({ remaining, resetMs }) => (remaining === 0 && resetMs !== null ? [resetMs] : []))
  return resets.length > 0 ? Math.max(...resets) : null
}

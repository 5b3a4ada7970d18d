// An instant: how far away it is, by the server's clock, with the exact time behind it.

import { nowMs } from "../api/clock.ts"
import { relativeText } from "../text/duration.ts"
import { instantText } from "../text/instant.ts"

export function When({ at, none = "–" }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={at}>
      {relativeText(atMs - nowMs.value)}
    </time>
  )
}

/** The time of day first, how far away it is after. */
export function Instant({ at }: { readonly at: string }) {
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={at}>
      {instantText(atMs, nowMs.value)} <span class="muted">{relativeText(atMs - nowMs.value)}</span>
    </time>
  )
}

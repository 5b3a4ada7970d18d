// The rule for changes of clocks, told minute by minute: what a cron has to give around one, without any cleverness.

import type { Transition } from "./transitions.ts"

export interface Times {
  readonly cron: string
  readonly hours: ReadonlySet<number>
  readonly minutes: ReadonlySet<number>
}

export function times(cron: string, hours: readonly number[], minutes: readonly number[]): Times {
  return { cron, hours: new Set(hours), minutes: new Set(minutes) }
}

const minuteMs = 60_000
/** Times of the day are asked for this long before and after. */
export const windowMs = 26 * 3_600_000

/** Instants after the one and up to the other, in whole minutes around a transition. */
export function expectedAround({ atMs, before, after }: Transition, { hours, minutes }: Times): number[] {
  const localAt = (at: number) => at + (at < atMs ? before : after)
  const isNamed = (local: number) => hours.has(Math.floor(local / 3_600_000) % 24) && minutes.has(Math.floor(local / minuteMs) % 60)
  const found = new Set<number>()
  const [from, to] = [atMs - windowMs, atMs + windowMs]
  if (hours.size === 24) {
    for (let at = from + minuteMs; at <= to; at += minuteMs) if (isNamed(localAt(at))) found.add(at)
  } else {
    // The clocks go on, minute by minute. What they have come past for the first time happens now.
    let shown = localAt(from)
    for (let at = from + minuteMs; at <= to; at += minuteMs) {
      for (let local = shown + minuteMs; local <= localAt(at); local += minuteMs) if (isNamed(local)) found.add(at)
      shown = Math.max(shown, localAt(at))
    }
  }
  return [...found].sort((a, b) => a - b)
}

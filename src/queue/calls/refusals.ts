// Why a call could not be made, in words.

import { SluiceError } from "../../errors/index.ts"
import { RateLimitError } from "../../task/index.ts"
import { formatDuration } from "../../units/index.ts"
import type { Call } from "./call.ts"
import type { CallsSettings } from "./settings.ts"

/** What stood in the way when it was given up. */
export interface Standing {
  /** The store's time, as far as one can tell. */
  readonly storeNowMs: number
  /** Why the store is out of reach; null where it is not. */
  readonly away: Error | null
  readonly fallback: CallsSettings["fallback"]
}

/** No gate cools down for it: the other side has not been asked. */
export function couldNotAcquire(call: Call, standing: Standing): RateLimitError {
  const waited = formatDuration(call.wanted.waitMs)
  const why = standing.away ? awayText(standing) : gateText(call, standing)
  return new RateLimitError({
    message: `Could not acquire API slot: expected gate ${call.gate} to open within ${waited}, but ${why}`,
    limit: call.wanted.limit,
    scope: "task",
    ...(standing.away ? { cause: standing.away } : {}),
  })
}

function awayText({ away, fallback }: Standing): string {
  const meanwhile = fallback === "share" ? "this process's share of the limit is used up" : "calls are refused meanwhile, as configured"
  return `the store is out of reach (${away?.message}), and ${meanwhile}`
}

function gateText({ seen }: Call, { storeNowMs }: Standing): string {
  if (!seen) return "the store has not answered yet"
  const held = seen.slots ? [`${seen.slots.held} of ${seen.slots.of} slots were held`] : []
  const ahead = seen.ahead === 1 ? "1 call waited before it" : `${seen.ahead} calls waited before it`
  const opens =
    seen.opensAtMs === null
      ? "it opens only when somebody changes the limit"
      : seen.opensAtMs > storeNowMs
        ? `it was expected to open in ${formatDuration(seen.opensAtMs - storeNowMs)}`
        : "it was about to open"
  return `${[...held, ahead, opens].join(", ")}; wait longer, or ask for less at once`
}

export function slotLost(call: Call): SluiceError {
  return new SluiceError(
    "lease_lost",
    `gate ${call.gate}: expected to keep the slot, but its lease could not be renewed in time; stop, because another may have it`,
  )
}

export function callsClosed(gate: string): SluiceError {
  return new SluiceError("store_closed", `gate ${gate}: expected an open queue, this one was closed`)
}

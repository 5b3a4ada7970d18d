// The short way for what nearly all exchanges are: completions, and a claim of tasks that wait in order and may pass. It decides before it
// writes whether it can do the whole of it; where it cannot, or something is not as it should be, nothing was done, and the engine does it.
// What it writes is the same to the byte.

import { attempt } from "../builtins.ts"
import type { Context } from "../context.ts"
import type { SentExchange } from "../sent-settle.ts"
import { redis } from "../server.ts"
import { type Claim, planClaim } from "./claim.ts"
import { newPlan, type Plan } from "./plan.ts"
import { planSettles } from "./settles.ts"
import { toldOf } from "./told.ts"
import { write } from "./write.ts"

export interface Exchange {
  readonly plan: Plan
  readonly settles: number
  readonly claim: Claim | null
}

/** Null where it is not for the short way. */
export function shortExchange(context: Context, request: SentExchange): string[] | null {
  const [isSound, exchange] = attempt(planExchange, context, request)
  if (!isSound || !exchange) return null
  const told = toldOf(exchange)
  write(exchange)
  return told
}

function planExchange(this: void, context: Context, { workerId, settles, heartbeats, claim: asked, leaseMs }: SentExchange) {
  if (heartbeats.length > 0) return null
  const plan = newPlan(context, workerId)
  const { base } = plan
  if (settles.length > 0 && !planSettles(plan, settles)) return null
  const claim = asked ? planClaim(plan, asked, leaseMs) : null
  if (asked && !claim) return null
  const kept = [`${base}cancel:${workerId}`]
  if (asked) for (const { type } of asked.types) kept.push(`${base}unrouted:${type}`)
  // Somebody has to be told to stop, or to route.
  if (redis.call("EXISTS", kept[0] as string, ...kept.slice(1)) !== 0) return null
  return { plan, settles: settles.length, claim }
}

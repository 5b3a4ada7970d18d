// The short way for what nearly all exchanges are: completions, and a claim of tasks that wait in order and may pass. It decides before it
// writes whether it can do the whole of it; where it cannot, or something is not as it should be, nothing was done, and the engine does it.
// What it writes is the same to the byte.

import type { ClaimRequest } from "../../../../store/exchange-contract.ts"
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
  plan.isQuiet = !isAnyThere(awaited(plan, asked))
  // Somebody has to be told to stop, or to route.
  if (!plan.isQuiet && isAnyThere(telling(plan, asked))) return null
  if (settles.length > 0 && !planSettles(plan, settles)) return null
  const claim = asked ? planClaim(plan, asked, leaseMs) : null
  if (asked && !claim) return null
  return { plan, settles: settles.length, claim }
}

/** Keys that are not there where all is quiet, so that one command finds it out. */
function awaited(plan: Plan, asked: ClaimRequest | null): string[] {
  const { base } = plan
  const keys = telling(plan, asked)
  keys.push(`${base}schedules-next`)
  if (asked) for (const { type } of asked.types) keys.push(`${base}due:${type}`, `${base}dues:${type}`)
  return keys
}

function telling({ base, workerId }: Plan, asked: ClaimRequest | null): string[] {
  const keys = [`${base}cancel:${workerId}`]
  if (asked) for (const { type } of asked.types) keys.push(`${base}unrouted:${type}`)
  return keys
}

function isAnyThere(keys: readonly string[]): boolean {
  return redis.call("EXISTS", keys[0] as string, ...keys.slice(1)) !== 0
}

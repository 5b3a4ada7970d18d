// One unit more of something: the same plan with a rate, a concurrency or the room of the workers larger by one.

import type { GatePolicy, RatePolicy } from "../limits/index.ts"
import type { Plan, PlannedGate } from "./plan.ts"
import type { OneMore } from "./result.ts"

export interface Variation extends Pick<OneMore, "limit" | "of" | "perMs" | "from" | "to"> {
  readonly plan: Plan
  /** Which of the plan's limits; null: the room of the workers. */
  readonly changed: number | null
}

export function variationsOf(plan: Plan): readonly Variation[] {
  const room = plan.room === null ? [] : [withMoreRoom(plan, plan.room)]
  return [...plan.limits.flatMap((_, i) => withMoreOf(plan, i)), ...room]
}

function withMoreRoom(plan: Plan, room: number): Variation {
  return { plan: { ...plan, room: room + 1 }, changed: null, limit: null, of: "workers", perMs: null, from: room, to: room + 1 }
}

/** Keys with settings of their own get one more of the same part, where they have it. */
function withMoreOf(plan: Plan, changed: number): Variation[] {
  const limit = plan.limits[changed]
  const policy = limit?.gates[0]?.policy
  if (!limit || !policy) return []
  const vary = (change: (policy: GatePolicy) => GatePolicy): Plan => ({
    ...plan,
    limits: plan.limits.map((one, i) => (i === changed ? { ...one, gates: one.gates.map((gate) => withPolicies(gate, change)) } : one)),
  })
  const rates = policy.rates.map((rate, index): Variation => {
    const more = (of: GatePolicy) => ({ ...of, rates: of.rates.map((one, i) => (i === index ? withMore(one) : one)) })
    const numbers = { perMs: rate.perUs / 1_000, from: rate.limit, to: rate.limit + 1 }
    return { plan: vary(more), changed, limit: limit.name, of: "rate", ...numbers }
  })
  const { concurrency } = policy
  if (concurrency === null) return rates
  const more = (of: GatePolicy) => ({ ...of, concurrency: of.concurrency === null ? null : of.concurrency + 1 })
  const numbers = { perMs: null, from: concurrency, to: concurrency + 1 }
  return [...rates, { plan: vary(more), changed, limit: limit.name, of: "concurrency", ...numbers }]
}

function withPolicies(gate: PlannedGate, change: (policy: GatePolicy) => GatePolicy): PlannedGate {
  return { ...gate, policy: change(gate.policy), later: gate.later.map(({ atMs, policy }) => ({ atMs, policy: change(policy) })) }
}

/** What a bucket lets pass at once is a number of its own, and stays. */
function withMore(rate: RatePolicy): RatePolicy {
  const limit = rate.limit + 1
  return { ...rate, limit, burst: rate.provider === "bucket" ? rate.burst : limit }
}

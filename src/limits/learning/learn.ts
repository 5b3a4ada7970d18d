// A gate hears an answer of the other side. What is declared is believed until the other side contradicts it; an adaptive gate
// asks its controller. Whatever comes of it is a pace, a number of slots or a time until which the gate is closed: admission
// knows nothing else.

import { cooldown, relax } from "../cooldown.ts"
import type { GateState } from "../gate.ts"
import type { GatePolicy } from "../policy.ts"
import type { Heard } from "./heard.ts"
import { hearLatency } from "./latency.ts"
import { linear } from "./linear.ts"
import { margin } from "./margin.ts"
import { hearQuota } from "./quota.ts"
import { scout } from "./scout.ts"
import { learnSlots } from "./slots.ts"

export function learn(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  if (isUneventful(policy, state, heard)) return state
  let after = hearQuota(policy, hearLatency(policy, state, nowUs, heard), nowUs, heard)
  if (heard.kind === "refused" && heard.reason === "concurrency" && policy.concurrency !== null)
    return cooldown(policy, learnSlots(policy, after, nowUs, heard), nowUs, heard)
  after = control(policy, after, nowUs, heard)
  return learnSlots(policy, after, nowUs, heard)
}

/** Nearly all are: a declared limit has let something pass, the other side said no more, and nothing was ever learned there. */
function isUneventful(policy: GatePolicy, state: GateState, heard: Heard): boolean {
  if (heard.kind !== "served" || heard.quota !== null || heard.retryAfterUs !== null) return false
  return isContent(policy, state)
}

/** Whether it learns nothing from one more that was served, about which the other side said no more. */
export function isContent({ adaptive }: GatePolicy, { learned, pace, window, slots, cooldown: { count } }: GateState): boolean {
  return !adaptive && !learned && !pace && !window && slots === undefined && count === 0
}

function control(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  switch (policy.adaptive?.preset) {
    case "scout":
      return scout(policy, policy.adaptive, state, nowUs, heard)
    case "linear":
      return linear(policy, policy.adaptive, state, nowUs, heard)
    case undefined:
      return believe(policy, state, nowUs, heard)
  }
}

/** The declared limit holds. A refusal of what it allows closes the gate for a while, and spaces what follows. */
function believe(policy: GatePolicy, state: GateState, nowUs: number, heard: Heard): GateState {
  if (heard.kind === "told") return state
  const after = margin(policy, state, nowUs, heard)
  return heard.kind === "served" ? relax(after, heard.sentAtUs) : cooldown(policy, after, nowUs, heard, state.pace)
}

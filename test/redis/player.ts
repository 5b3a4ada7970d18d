// Plays a trace of what can happen to a gate, step by step. Compiled twice, like the algebra that it plays on: the test runs it here and
// inside Redis, and compares what comes after each step.

import { cooldown, endCooldown, relax } from "../../src/limits/cooldown.ts"
import {
  type Ahead,
  admit,
  chargePermit,
  emptyGate,
  forecast,
  type GateState,
  gateOpensAtUs,
  type Passage,
  permitOpensAtUs,
  releaseHolder,
  renewHolder,
  type Settlement,
  settleGate,
} from "../../src/limits/gate.ts"
import type { Heard } from "../../src/limits/learning/heard.ts"
import { learn } from "../../src/limits/learning/learn.ts"
import type { GatePolicy } from "../../src/limits/policy.ts"

export type TraceStep = { readonly atUs: number } & (
  | { readonly kind: "admit"; readonly passage: Passage }
  | { readonly kind: "settle"; readonly settlement: Settlement }
  | { readonly kind: "release"; readonly id: string; readonly fence: number; readonly admittedAtUs: number }
  | { readonly kind: "renew"; readonly passage: Passage }
  | { readonly kind: "permit"; readonly cost: number; readonly delayUs: number }
  | { readonly kind: "cooldown"; readonly sentAtUs: number; readonly retryAfterUs: number | null; readonly random: number }
  | { readonly kind: "relax"; readonly sentAtUs: number }
  | { readonly kind: "end" }
  | { readonly kind: "hear"; readonly heard: Heard }
  | { readonly kind: "forecast"; readonly ahead: Ahead; readonly cost: number }
)

export interface Trace {
  readonly policy: GatePolicy
  readonly steps: readonly TraceStep[]
}

export interface Played {
  /** A time that was answered, where one was. */
  readonly atUs?: number
  readonly state: GateState
}

export function play({ policy, steps }: Trace): Played[] {
  let state = emptyGate(policy)
  return steps.map((step): Played => {
    const played = playStep(policy, state, step)
    state = played.state
    return played
  })
}

function playStep(policy: GatePolicy, state: GateState, step: TraceStep): Played {
  const { atUs } = step
  switch (step.kind) {
    case "admit": {
      const admission = admit(policy, state, atUs, step.passage)
      return admission.kind === "admitted" ? { state: admission.state } : { atUs: admission.atUs, state }
    }
    case "settle":
      return { state: settleGate(policy, state, atUs, step.settlement) }
    case "release":
      return { state: releaseHolder(state, step.id, step.fence, atUs, step.admittedAtUs) }
    case "renew":
      return { state: renewHolder(policy, state, step.passage) }
    case "permit": {
      const opensAtUs = permitOpensAtUs(policy, state, atUs, step.cost)
      return {
        atUs: opensAtUs,
        state: chargePermit(policy, state, atUs, { atUs: opensAtUs, cost: step.cost, delayUs: step.delayUs ?? 0, lateUs: 0 }),
      }
    }
    case "cooldown":
      return { state: cooldown(policy, state, atUs, step) }
    case "relax":
      return { state: relax(state, step.sentAtUs) }
    case "end":
      return { state: endCooldown(state) }
    case "hear":
      return { state: learn(policy, state, atUs, step.heard) }
    case "forecast":
      return { atUs: forecast(policy, state, atUs, step.ahead, step.cost) + gateOpensAtUs(policy, state, atUs, step.cost), state }
  }
}

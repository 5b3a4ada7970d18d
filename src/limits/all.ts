// Several gates at once: all of them admit, or none is charged.

import { admit, chargePermit, type GateState, neverUs, type Passage, permitOpensAtUs } from "./gate.ts"
import type { PassingPolicy } from "./policy.ts"

export interface GateToPass {
  readonly name: string
  readonly policy: PassingPolicy
  readonly state: GateState
  readonly passage: Passage
}

export type AdmissionOfAll =
  /** The new states, in the order of the gates. */
  | { readonly kind: "admitted"; readonly states: readonly GateState[] }
  /** The gate that opens last: whoever waits, waits there. */
  | { readonly kind: "refused"; readonly blockedBy: string; readonly atUs: number }

export function admitAll(gates: readonly GateToPass[], nowUs: number): AdmissionOfAll {
  const states: GateState[] = []
  let last: { blockedBy: string; atUs: number } | null = null
  for (const { name, policy, state, passage } of gates) {
    const admission = admit(policy, state, nowUs, passage)
    if (admission.kind === "admitted") states.push(admission.state)
    else if (!last || admission.atUs > last.atUs || (admission.atUs === last.atUs && name < last.blockedBy)) {
      last = { blockedBy: name, atUs: admission.atUs }
    }
  }
  return last ? { kind: "refused", ...last } : { kind: "admitted", states }
}

export interface GateToAsk {
  readonly policy: PassingPolicy
  readonly state: GateState
  readonly cost: number
  /** The distance that is asked for; 0: none. */
  readonly delayUs: number
}

export interface Reserved {
  readonly atUs: number
  readonly states: readonly GateState[]
}

/**
 * One more request of somebody who has passed all of them: charged now, at each of them for one and the same moment. Charged one after
 * the other, a request that the second holds back would go out long after the moment that the first has reckoned with.
 */
export function reserveAll(gates: readonly GateToAsk[], nowUs: number, lateUs = 0): Reserved {
  let atUs = nowUs
  for (let look = 0; ; look++) {
    const laterUs = Math.max(atUs, ...gates.map(({ policy, state, cost }) => permitOpensAtUs(policy, state, atUs, cost)))
    if (laterUs === atUs) break
    atUs = look < mostLooks ? laterUs : neverUs
    if (atUs >= neverUs) break
  }
  return {
    atUs,
    states: gates.map(({ policy, state, cost, delayUs }) => chargePermit(policy, state, nowUs, { atUs, cost, delayUs, lateUs })),
  }
}

/** Windows of several gates may take turns at being closed; not for long. */
const mostLooks = 100

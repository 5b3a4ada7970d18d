// Several gates at once: all of them admit, or none is charged.

import { admit, type GateState, type Passage } from "./gate.ts"
import type { GatePolicy } from "./policy.ts"

export interface GateToPass {
  readonly name: string
  readonly policy: GatePolicy
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

// Calls that wait at a gate: served in order, before any task, by whatever step looks at the gate or changes it. One that was not
// renewed in time is dropped by whoever meets it.

import { admit, type GatePolicy, type GateState } from "../limits/index.ts"
import type { CallAsked } from "./calls-contract.ts"
import { budgets } from "./contract.ts"
import { closedBy } from "./costs.ts"
import type { Gates, OpenGate } from "./gates.ts"
import type { Records } from "./records.ts"

export class Lines {
  private readonly records: Records
  private readonly gates: Gates
  /** The state that each line was served at, and until when its first may stand there: it need not be asked again. */
  private readonly served = new Map<OpenGate, { readonly state: GateState; readonly untilMs: number }>()
  /** Gates whose line has changed: tasks that wait behind it have to hear of that. */
  private readonly moved = new Set<OpenGate>()
  /** Whose hold this step is: he hears of it by the answer. */
  owner: string | null = null

  constructor(records: Records, gates: Gates) {
    this.records = records
    this.gates = gates
  }

  /** Those of the line that may pass now do. Until when the first of those who stay may stand there; null where nobody waits. */
  serve(gate: OpenGate): number | null {
    if (!gate.hasCalls) return null
    const known = this.served.get(gate)
    if (known && known.state === gate.state) return known.untilMs
    const { calls, nowMs } = this.records
    for (let looks = 0; ; looks++) {
      this.moved.add(gate)
      const call = calls.firstAt(gate.number)
      if (!call) {
        calls.setLine(gate.number, null)
        gate.hasCalls = false
        this.served.delete(gate)
        return null
      }
      if (call.untilMs <= nowMs) {
        calls.remove([call.id])
        continue
      }
      const atMs = looks < budgets.stepRows ? this.admit(gate, call, nowMs + call.leaseMs) : nowMs
      if (atMs !== null) {
        calls.setLine(gate.number, { ownerId: call.ownerId, atMs: Math.min(atMs, gate.force.changesAtMs ?? atMs) })
        this.served.set(gate, { state: gate.state, untilMs: call.untilMs })
        return call.untilMs
      }
      calls.save({ ...call, ...this.granted(), untilMs: nowMs + call.leaseMs })
      if (call.ownerId !== this.owner) calls.tellNews()
    }
  }

  /** Passes the gate; or tells when it may. */
  admit(gate: OpenGate, { id, cost, isFurther }: Pick<CallAsked, "id" | "cost" | "isFurther">, untilMs: number): number | null {
    const passage = { id, fence: callFence, cost, untilUs: untilMs * 1_000, lateUs: this.lateMs() * 1_000 }
    const admission = admit(policyFor(gate, isFurther), closedBy(gate), this.records.nowMs * 1_000, passage)
    if (admission.kind === "refused") return Math.ceil(admission.atUs / 1_000)
    // A hand that has closed the gate is no part of its state.
    this.gates.change(gate, { ...admission.state, closedUntilUs: gate.state.closedUntilUs })
    return null
  }

  /** When it was admitted, and by how much later it was charged. */
  granted(): { readonly grantedAtMs: number; readonly lateMs?: number } {
    const { nowMs } = this.records
    const lateMs = this.lateMs()
    return lateMs > 0 ? { grantedAtMs: nowMs, lateMs } : { grantedAtMs: nowMs }
  }

  private lateMs(): number {
    return this.records.clockErrorMs ?? 0
  }

  /** Who stands in line has changed: it is looked at again. */
  changed(gate: OpenGate): void {
    this.served.delete(gate)
    this.serve(gate)
  }

  /** Told once. */
  takeMoved(): readonly OpenGate[] {
    const moved = [...this.moved]
    this.moved.clear()
    return moved
  }

  forget(): void {
    this.served.clear()
    this.moved.clear()
  }
}

/** A call holds a gate once. */
export const callFence = 1

/** A further request takes no slot. */
export function policyFor({ force }: OpenGate, isFurther: boolean): GatePolicy {
  return isFurther ? { ...force.policy, concurrency: null } : force.policy
}

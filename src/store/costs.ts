// What a run costs at a gate: what was declared, or what was learned from runs of its type, between the least and the most.

import { type GateState, isMetered, largestCost, learnedCost } from "../limits/index.ts"
import type { GateRef, TaskRecord } from "../task/index.ts"
import type { OpenGate } from "./gates.ts"
import type { GateKey } from "./limit-records.ts"

/** Slots are not spent: only what is counted over time is learned. */
export function isLearned({ force }: OpenGate, ref: GateRef): boolean {
  return isMetered(force.policy) && (ref.most !== undefined || ref.cost === 1)
}

/** What to charge now. Before anything is learned it is the most, where somebody has said so. */
export function costToReserve(gate: OpenGate, type: string, ref: GateRef): number {
  if (!isLearned(gate, ref)) return ref.cost
  const { policy } = gate.force
  return Math.min(
    learnedCost(gate.state, type, ref.cost) ?? ref.most ?? ref.cost,
    ref.most ?? Number.POSITIVE_INFINITY,
    largestCost(policy),
  )
}

/** As the claim leaves it: with what was charged where that is not simply the cost, and by how much later. */
export function reservedRef(ref: GateRef, reserved: number, lateMs: number): GateRef {
  const charged = reserved === ref.cost && ref.reserved === undefined ? ref : { ...ref, reserved }
  return lateMs === (ref.lateMs ?? 0) ? charged : { ...charged, lateMs }
}

export function refAt(task: Pick<TaskRecord, "gates">, { limit, key }: GateKey): GateRef {
  return task.gates?.find((ref) => ref.limit === limit && ref.key === key) ?? { limit, key, cost: 1 }
}

/** The least distance between two starts: what the task asks for, else what the limit has for all. */
export function delayUsOf({ force }: OpenGate, ref: GateRef): number {
  return ref.delayMs === undefined ? (force.policy.adaptive?.baseDelayUs ?? 0) : ref.delayMs * 1_000
}

/** With what people have closed by hand. */
export function closedBy({ state, force }: OpenGate): GateState {
  return force.closedUntilUs > state.closedUntilUs ? { ...state, closedUntilUs: force.closedUntilUs } : state
}

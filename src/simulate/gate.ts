// A gate of the simulation: the state that src/limits keeps, the lanes that wait for it, and when the first of them may pass.

import { emptyGate, type GatePolicy, type GateState, gateOpensAtUs, isMetered, neverUs } from "../limits/index.ts"
import { Heap } from "./heap.ts"
import { headOf, type Lane } from "./lane.ts"
import type { PlannedGate } from "./plan.ts"

export interface Gate {
  /** Which of the plan's limits. */
  readonly limit: number
  readonly name: string
  force: Force
  /** What holds then instead. */
  readonly later: { readonly atUs: number; readonly force: Force }[]
  state: GateState
  readonly waiting: Heap<Lane>
  /** When the first of those who wait may pass; `neverUs` where nobody does, or where the first has been called. */
  dueUs: number
}

/** What holds for a gate. */
export interface Force {
  readonly policy: GatePolicy
  readonly parts: readonly Part[]
  /** The distance that every task asks for. */
  readonly delayUs: number
  /** Whether it matters to the gate that a task has ended. */
  readonly hearsOfEnds: boolean
}

/** What of a gate holds somebody: one of its rates, its slots, a learned distance, a closing. */
export type Holding = { readonly kind: "rate"; readonly index: number } | { readonly kind: "concurrency" | "pace" | "closed" }

interface Part {
  readonly holding: Holding
  /** The policy with nothing but this part. */
  readonly alone: GatePolicy
}

export function openGate(limit: number, name: string, planned: PlannedGate, startUs: number, heldMs: () => number): Gate {
  const { policy } = planned
  const state = planned.state ?? emptyGate(policy)
  return {
    limit,
    name,
    force: forceOf(policy, state),
    later: planned.later.map(({ atMs, policy: then }) => ({ atUs: atMs * 1_000, force: forceOf(then, state) })),
    // What runs at the start goes on for as long as tasks do, and not until its lease would end.
    state: { ...state, holders: state.holders.map((holder) => ({ ...holder, untilUs: startUs + heldMs() * 1_000 })) },
    waiting: new Heap<Lane>((a, b) => headOf(a) < headOf(b)),
    dueUs: neverUs,
  }
}

function forceOf(policy: GatePolicy, { window }: GateState): Force {
  return {
    policy,
    parts: partsOf(policy),
    delayUs: policy.adaptive?.baseDelayUs ?? 0,
    hearsOfEnds: policy.concurrency !== null || window !== undefined || policy.rates.some(({ provider }) => provider === "unknown"),
  }
}

function partsOf({ rates, concurrency }: GatePolicy): Part[] {
  return [
    ...rates.map((rate, index): Part => ({ holding: { kind: "rate", index }, alone: { rates: [rate], concurrency: null } })),
    ...(concurrency === null ? [] : [{ holding: { kind: "concurrency" }, alone: { rates: [], concurrency } } as const]),
  ]
}

/** An override that has ended holds no more. */
export function inForce(gate: Gate, nowUs: number): Force {
  for (let next = gate.later[0]; next && next.atUs <= nowUs; next = gate.later[0]) {
    gate.force = next.force
    gate.later.shift()
  }
  return gate.force
}

/** The part that opens last for this cost. */
export function holdingOf({ force: { policy, parts }, state }: Gate, nowUs: number, cost: number): Holding {
  const paceUs = state.pace?.nextAtUs ?? 0
  let latestUs = Math.max(state.closedUntilUs, paceUs)
  const [first] = parts
  if (first && parts.length === 1 && latestUs <= nowUs) return first.holding
  // A window that was told goes with the pace that was learned.
  let holding: Holding = { kind: state.closedUntilUs <= Math.max(nowUs, paceUs) ? "pace" : "closed" }
  for (const part of parts) {
    const own = part.holding.kind === "concurrency" && isMetered(policy) ? 1 : cost
    const atUs = gateOpensAtUs(part.alone, state, nowUs, own)
    if (atUs <= latestUs) continue
    latestUs = atUs
    holding = part.holding
  }
  return holding
}

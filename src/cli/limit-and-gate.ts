// A limit together with one of its gates: what holds there. The gate with the key "" stands for the limit as a whole.

import type { GateView, LimitView, Queue } from "../queue/index.ts"
import { gateName } from "../task/index.ts"
import type { Target } from "./target.ts"

export interface LimitAndGate {
  readonly limit: LimitView
  readonly gate: GateView
}

export async function limitAndGate(queue: Queue, target: Target): Promise<LimitAndGate> {
  const limit = await queue.limits.get(target.limit)
  const { gates } = await queue.limits.gates(target.limit, { key: target.key })
  const [gate] = gates
  // A limit that is known answers for every key, also for one that nothing has passed yet.
  if (!gate) throw new Error(`no gate ${gateName(target)}`)
  return { limit, gate }
}

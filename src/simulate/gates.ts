// The gates of a run, opened as lanes come to pass them.

import { heldDurations } from "./draw.ts"
import { type Gate, openGate } from "./gate.ts"
import type { Plan } from "./plan.ts"

export class Gates {
  private readonly plan: Plan
  private readonly heldMs: () => number
  private readonly byName = new Map<string, Gate>()

  constructor(plan: Plan) {
    this.plan = plan
    this.heldMs = heldDurations(plan)
  }

  gate(limit: number, key: number): Gate {
    const planned = this.plan.limits[limit]
    // Of gates that open at the same time the first by name is waited at, here as in a store.
    const name = `${planned?.name}/${key}`
    const known = this.byName.get(name)
    if (known) return known
    const found = planned?.gates[key]
    if (!found) throw new RangeError(`no gate ${name}`)
    const gate = openGate(limit, name, found, this.plan.startMs * 1_000, this.heldMs)
    this.byName.set(name, gate)
    return gate
  }
}

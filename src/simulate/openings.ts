// When gates open for those who wait there, and who is called then.

import { gateOpensAtUs, neverUs } from "../limits/index.ts"
import { type Gate, inForce } from "./gate.ts"
import { Heap } from "./heap.ts"
import { costAt, type Lane } from "./lane.ts"

interface Opening {
  readonly gate: Gate
  readonly atUs: number
}

export class Openings {
  /** A gate may stand here several times: only what it says itself counts. */
  private readonly heap = new Heap<Opening>((a, b) => a.atUs < b.atUs)

  /** The gate, or who is first there, has changed. */
  tell(gate: Gate, nowUs: number): void {
    const first = gate.waiting.peek()
    this.set(gate, first ? gateOpensAtUs(inForce(gate, nowUs).policy, gate.state, nowUs, costAt(first, gate)) : neverUs)
  }

  /** Where that is known already. */
  set(gate: Gate, opensUs: number): void {
    // Not later than something else holds; in whole milliseconds, as a store tells it.
    const soonestUs = Math.min(opensUs, gate.later[0]?.atUs ?? neverUs)
    const atUs = soonestUs >= neverUs ? neverUs : Math.ceil(soonestUs / 1_000) * 1_000
    if (atUs === gate.dueUs) return
    gate.dueUs = atUs
    if (atUs < neverUs) this.heap.push({ gate, atUs })
  }

  /** The first lane of each gate that is open; the next one is called when that has tried. */
  called(nowUs: number): readonly Lane[] {
    const lanes: Lane[] = []
    for (let next = this.next(); next && next.atUs <= nowUs; next = this.next()) {
      const { gate } = next
      gate.dueUs = neverUs
      const lane = gate.waiting.pop()
      if (!lane) continue
      lane.standsAt = null
      lane.calledBy = gate
      lanes.push(lane)
    }
    return lanes
  }

  next(): Opening | undefined {
    for (let first = this.heap.peek(); first; first = this.heap.peek()) {
      if (first.gate.dueUs === first.atUs) return first
      this.heap.pop()
    }
    return undefined
  }
}

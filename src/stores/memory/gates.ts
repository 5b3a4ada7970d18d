// Limits and gates in memory: what is declared and set, the live states, what waits, and what is due.

import type { GateState } from "../../limits/index.ts"
import type { ChangesRequest, LoggedChange } from "../../store/limits-contract.ts"
import type { LimitRecord } from "../../store/policies.ts"
import type { Demand, DueGate, GateKey, StoredGate } from "../../store/records.ts"
import { gateName, type TaskRecord } from "../../task/index.ts"
import { SortedSet } from "./sorted.ts"

/** How many lines of the change log are kept. */
export const loggedChanges = 10_000

interface Kept extends Omit<StoredGate, "hasWaiters"> {
  state: GateState
  touchedAtMs: number
  /** What waits, by type, flow and priority. */
  readonly waiting: Map<string, Waiting>
  /** When it is due, by type. */
  readonly due: Map<string, number>
}

interface Waiting {
  readonly type: string
  readonly flow: string
  readonly priority: number
  tasks: number
  cost: number
}

const byTime = () => new SortedSet<DueGate>((a, b) => a.atMs - b.atMs || a.gate - b.gate)

export class MemoryGates {
  readonly limits = new Map<string, LimitRecord>()
  readonly typeLimits = new Map<string, readonly string[]>()
  private readonly byName = new Map<string, Kept>()
  private readonly byNumber = new Map<number, Kept>()
  private readonly dueByType = new Map<string, SortedSet<DueGate>>()
  private log: LoggedChange[] = []
  private made = 0
  private logged = 0

  get(key: GateKey): StoredGate | null {
    return stored(this.byName.get(gateName(key)))
  }

  getByNumber(number: number): StoredGate | null {
    return stored(this.byNumber.get(number))
  }

  of(limit: string, afterKey: string | null, count: number): StoredGate[] {
    const found = [...this.byName.values()].filter((gate) => gate.limit === limit && (afterKey === null || gate.key > afterKey))
    return found
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, count)
      .flatMap((gate) => stored(gate) ?? [])
  }

  count(limit: string): { gates: number; waitingTasks: number } {
    let [gates, waitingTasks] = [0, 0]
    for (const gate of this.byName.values()) {
      if (gate.limit !== limit) continue
      gates++
      for (const { tasks } of gate.waiting.values()) waitingTasks += tasks
    }
    return { gates, waitingTasks }
  }

  add({ limit, key }: GateKey, state: GateState, nowMs: number): StoredGate {
    const gate: Kept = { number: ++this.made, limit, key, state, touchedAtMs: nowMs, waiting: new Map(), due: new Map() }
    this.byName.set(gateName(gate), gate)
    this.byNumber.set(gate.number, gate)
    return { ...gate, hasWaiters: false }
  }

  save(number: number, state: GateState, nowMs: number): void {
    const gate = this.byNumber.get(number)
    if (!gate) return
    gate.state = state
    gate.touchedAtMs = nowMs
  }

  remove(numbers: readonly number[]): void {
    for (const number of numbers) {
      const gate = this.byNumber.get(number)
      if (gate) this.byName.delete(gateName(gate))
      this.byNumber.delete(number)
    }
  }

  idle(beforeMs: number, limit: number): StoredGate[] {
    const found = [...this.byNumber.values()].filter(({ waiting, due, touchedAtMs }) => {
      return waiting.size === 0 && due.size === 0 && touchedAtMs <= beforeMs
    })
    const sorted = found.sort((a, b) => a.touchedAtMs - b.touchedAtMs || a.number - b.number)
    return sorted.slice(0, limit).flatMap((gate) => stored(gate) ?? [])
  }

  /** A task comes to wait in a lane, or leaves it. */
  countTask(task: TaskRecord, by: 1 | -1, open: (key: GateKey) => number): void {
    for (const ref of task.gates ?? []) {
      const gate = this.byNumber.get(open(ref))
      if (!gate) continue
      const key = JSON.stringify([task.type, task.flow, task.priority])
      const known = gate.waiting.get(key) ?? { type: task.type, flow: task.flow, priority: task.priority, tasks: 0, cost: 0 }
      known.tasks += by
      known.cost += by * ref.cost
      if (known.tasks > 0) gate.waiting.set(key, known)
      else gate.waiting.delete(key)
    }
  }

  demand(number: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand {
    let [tasks, cost] = [0, 0]
    const flows = new Set<string>()
    for (const waiting of this.byNumber.get(number)?.waiting.values() ?? []) {
      if (waiting.priority < priority) continue
      if (of && (waiting.type !== of.type || waiting.flow !== of.flow)) continue
      tasks += waiting.tasks
      cost += waiting.cost
      flows.add(JSON.stringify([waiting.type, waiting.flow]))
    }
    return { tasks, cost, flows: flows.size }
  }

  typesAt(number: number): string[] {
    return [...(this.byNumber.get(number)?.due.keys() ?? [])]
  }

  /** Whether it is worth telling those who sleep: it was not known before, or is earlier. */
  setDue(type: string, number: number, atMs: number | null): boolean {
    const gate = this.byNumber.get(number)
    if (!gate) return false
    const before = gate.due.get(type)
    const due = this.dueByType.get(type) ?? byTime()
    this.dueByType.set(type, due)
    if (before !== undefined) due.delete({ atMs: before, gate: number })
    gate.due.delete(type)
    if (atMs !== null) {
      due.add({ atMs, gate: number })
      gate.due.set(type, atMs)
    }
    if (due.size === 0) this.dueByType.delete(type)
    return atMs !== null && (before === undefined || atMs < before)
  }

  hurry(limit: string, nowMs: number): void {
    for (const gate of this.byName.values()) {
      if (gate.limit === limit) for (const [type, atMs] of [...gate.due]) if (atMs > nowMs) this.setDue(type, gate.number, nowMs)
    }
  }

  due(type: string, nowMs: number, limit: number): DueGate[] {
    return this.dueByType.get(type)?.takeWhile(({ atMs }) => atMs <= nowMs, limit) ?? []
  }

  next(type: string): DueGate | null {
    return this.dueByType.get(type)?.first() ?? null
  }

  logChange(change: Omit<LoggedChange, "number">): void {
    this.log.push({ ...change, number: ++this.logged })
    if (this.log.length > loggedChanges) this.log = this.log.slice(-loggedChanges)
  }

  changes({ limit, beforeNumber, count }: ChangesRequest): LoggedChange[] {
    const found = this.log.filter(
      (change) => (limit === null || change.limit === limit) && (beforeNumber === null || change.number < beforeNumber),
    )
    return found.reverse().slice(0, count)
  }
}

function stored(gate: Kept | undefined): StoredGate | null {
  return gate ? { number: gate.number, limit: gate.limit, key: gate.key, state: gate.state, hasWaiters: gate.due.size > 0 } : null
}

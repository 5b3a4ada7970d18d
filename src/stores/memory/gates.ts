// Limits and gates in memory: what is declared and set, the live states, what waits, and what is due.

import { type GateState, wholeState } from "../../limits/index.ts"
import type { CallLine } from "../../store/call-records.ts"
import {
  type Demand,
  type DueGate,
  type GateKey,
  gateForgottenAfterMs,
  type LimitRecords,
  loggedChanges,
  type StoredGate,
} from "../../store/limit-records.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "../../store/limits-contract.ts"
import type { LimitRecord } from "../../store/policies.ts"
import { gateName, type TaskRecord } from "../../task/index.ts"
import type { ImageLine, Restore } from "./image.ts"
import { SortedSet } from "./sorted.ts"

interface Kept extends Omit<StoredGate, "hasWaiters" | "hasCalls"> {
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

export class MemoryGates implements LimitRecords {
  /** Whether somebody who sleeps has to hear of an opening. */
  hasNews = false
  /** Calls that wait, by the number of the gate. */
  readonly lines = new Map<number, CallLine>()
  private nowMs = 0
  private readonly limits = new Map<string, LimitRecord>()
  private readonly typeLimits = new Map<string, readonly string[]>()
  private readonly errors = new Map<string, Map<number, number>>()
  private readonly byName = new Map<string, Kept>()
  private readonly byNumber = new Map<number, Kept>()
  private readonly dueByType = new Map<string, SortedSet<DueGate>>()
  private log: LoggedChange[] = []
  private made = 0
  private logged = 0

  begin(nowMs: number): void {
    this.nowMs = nowMs
    this.hasNews = false
  }

  /** What waits at the gates is counted anew when the tasks come back. */
  image(): ImageLine[] {
    return [
      ["gates", this.made, this.logged],
      ...[...this.limits.values()].map((limit): ImageLine => ["limit", limit]),
      ...[...this.typeLimits].map(([type, limits]): ImageLine => ["type", type, limits]),
      ...[...this.errors].map(([type, buckets]): ImageLine => ["errors", type, [...buckets]]),
      ...[...this.byNumber.values()].map(
        ({ number, limit, key, state, touchedAtMs, due }): ImageLine => ["gate", number, { limit, key }, state, touchedAtMs, [...due]],
      ),
      ...this.log.map((change): ImageLine => ["change", change]),
    ]
  }

  readonly restore: Restore = {
    gates: (made: number, logged: number) => {
      this.made = made
      this.logged = logged
    },
    limit: (limit: LimitRecord) => this.saveLimit(limit),
    type: (type: string, limits: readonly string[]) => this.saveType(type, limits),
    errors: (type: string, buckets: readonly (readonly [number, number])[]) => this.addForecastErrors(type, new Map(buckets)),
    gate: (number: number, key: GateKey, state: GateState, touchedAtMs: number, due: readonly (readonly [string, number])[]) => {
      this.keep({ ...key, number, state: wholeState(state), touchedAtMs, waiting: new Map(), due: new Map() })
      for (const [type, atMs] of due) this.setDue(type, number, atMs)
    },
    change: (change: LoggedChange) => void this.log.push(change),
  }

  limit(name: string): LimitRecord | null {
    return this.limits.get(name) ?? null
  }

  get hasLimits(): boolean {
    return this.limits.size > 0
  }

  limitNames(): string[] {
    return [...this.limits.keys()].sort()
  }

  saveLimit(limit: LimitRecord): void {
    this.limits.set(limit.name, limit)
  }

  limitsOfType(type: string): readonly string[] | null {
    return this.typeLimits.get(type) ?? null
  }

  saveType(type: string, limits: readonly string[]): void {
    this.typeLimits.set(type, limits)
  }

  gate(key: GateKey): StoredGate | null {
    return this.stored(this.byName.get(gateName(key)))
  }

  gateByNumber(number: number): StoredGate | null {
    return this.stored(this.byNumber.get(number))
  }

  gatesOf(limit: string, afterKey: string | null, count: number): StoredGate[] {
    const found = [...this.byName.values()].filter((gate) => gate.limit === limit && (afterKey === null || gate.key > afterKey))
    return found
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, count)
      .flatMap((gate) => this.stored(gate) ?? [])
  }

  countGates(limit: string): { gates: number; waitingTasks: number } {
    let [gates, waitingTasks] = [0, 0]
    for (const gate of this.byName.values()) {
      if (gate.limit !== limit) continue
      gates++
      for (const { tasks } of gate.waiting.values()) waitingTasks += tasks
    }
    return { gates, waitingTasks }
  }

  addGate({ limit, key }: GateKey, state: GateState): StoredGate {
    const gate: Kept = { number: ++this.made, limit, key, state, touchedAtMs: this.nowMs, waiting: new Map(), due: new Map() }
    this.keep(gate)
    return { ...gate, hasWaiters: false, hasCalls: false }
  }

  /** The number of a gate that is there. */
  numberOf(key: GateKey): number {
    return this.byName.get(gateName(key))?.number ?? 0
  }

  saveGate(number: number, state: GateState): void {
    const gate = this.byNumber.get(number)
    if (!gate) return
    gate.state = state
    gate.touchedAtMs = this.nowMs
  }

  removeGates(numbers: readonly number[]): void {
    for (const number of numbers) {
      const gate = this.byNumber.get(number)
      if (gate) this.byName.delete(gateName(gate))
      this.byNumber.delete(number)
    }
  }

  idleGates(limit: number): StoredGate[] {
    const found = [...this.byNumber.values()].filter(({ number, waiting, due, touchedAtMs }) => {
      return waiting.size === 0 && due.size === 0 && !this.lines.has(number) && touchedAtMs <= this.nowMs - gateForgottenAfterMs
    })
    const sorted = found.sort((a, b) => a.touchedAtMs - b.touchedAtMs || a.number - b.number)
    return sorted.slice(0, limit).flatMap((gate) => this.stored(gate) ?? [])
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

  /** Those who sleep hear of it where it was not known before, or is earlier. */
  setDue(type: string, number: number, atMs: number | null): void {
    const gate = this.byNumber.get(number)
    if (!gate) return
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
    if (atMs !== null && (before === undefined || atMs < before)) this.hasNews = true
  }

  hurry(limit: string): void {
    for (const gate of this.byName.values()) {
      if (gate.limit !== limit) continue
      for (const [type, atMs] of [...gate.due]) if (atMs > this.nowMs) this.setDue(type, gate.number, this.nowMs)
      const line = this.lines.get(gate.number)
      if (line) this.lines.set(gate.number, { ...line, atMs: Math.min(line.atMs, this.nowMs) })
    }
    // A running task may wait for it too, and stands in no lane.
    this.hasNews = true
  }

  dueGates(type: string, limit: number): DueGate[] {
    return this.dueByType.get(type)?.takeWhile(({ atMs }) => atMs <= this.nowMs, limit) ?? []
  }

  nextOpening(type: string): DueGate | null {
    return this.dueByType.get(type)?.first() ?? null
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    const known = this.errors.get(type) ?? new Map<number, number>()
    this.errors.set(type, known)
    for (const [bucket, count] of byBucket) known.set(bucket, (known.get(bucket) ?? 0) + count)
  }

  forecastErrors(): ForecastErrors {
    const types = [...this.errors].sort(([a], [b]) => (a < b ? -1 : 1))
    return { types: types.map(([type, buckets]) => ({ type, buckets: Object.fromEntries([...buckets].sort(([a], [b]) => a - b)) })) }
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

  private keep(gate: Kept): void {
    this.byName.set(gateName(gate), gate)
    this.byNumber.set(gate.number, gate)
  }

  private stored(gate: Kept | undefined): StoredGate | null {
    if (!gate) return null
    const { number, limit, key, state, due } = gate
    return { number, limit, key, state, hasWaiters: due.size > 0, hasCalls: this.lines.has(number) }
  }
}

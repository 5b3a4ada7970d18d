// Limits and gates in SQLite: what is declared and set, the live states, what waits, and what is due.

import { shown } from "../../errors/index.ts"
import { type GateState, wholeState } from "../../limits/index.ts"
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
import { isChange, isGateState, isLimitRecord, isTexts, isTime } from "../../store/sound.ts"
import { gateName, type TaskRecord } from "../../task/index.ts"
import { damaged, readJson, rowNumber } from "./damage.ts"
import type { Row } from "./driver.ts"
import type { Statements } from "./statements.ts"

interface More {
  readonly gate: number
  readonly type: string
  readonly flow: string
  readonly priority: number
  tasks: number
  cost: number
}

export class SqliteGates implements LimitRecords {
  private readonly ns: number
  private readonly sql: Statements
  private readonly nowMs: number
  private readonly more = new Map<string, More>()
  /** Whether somebody who sleeps has to hear of an opening. */
  hasNews = false

  constructor(ns: number, sql: Statements, nowMs: number) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
  }

  limit(name: string): LimitRecord | null {
    const [row] = this.sql("readLimit").rows(this.ns, name)
    if (!row) return null
    const isRecord = (value: unknown): value is LimitRecord => isLimitRecord(value, name)
    return readJson(row[0], isRecord, "what was declared and set", () => `limit ${shown(name)} (in limits)`)
  }

  limitNames(): string[] {
    return this.sql("limitNames")
      .rows(this.ns)
      .map(([name]) => name as string)
  }

  saveLimit(limit: LimitRecord): void {
    this.sql("saveLimit").run(this.ns, limit.name, JSON.stringify(limit))
  }

  limitsOfType(type: string): readonly string[] | null {
    const [row] = this.sql("readType").rows(this.ns, type)
    return row ? readJson(row[0], isTexts, "the names of its limits", () => `task type ${shown(type)} (in types)`) : null
  }

  saveType(type: string, limits: readonly string[]): void {
    this.sql("saveType").run(this.ns, type, JSON.stringify(limits))
  }

  logChange({ atMs, limit, key, change, by }: Omit<LoggedChange, "number">): void {
    this.sql("logChange").run(this.ns, atMs, limit, key, JSON.stringify(change), by)
    this.sql("trimChanges").run(loggedChanges)
  }

  changes({ limit, beforeNumber, count }: ChangesRequest): LoggedChange[] {
    const rows = this.sql("readChanges").rows(this.ns, limit, beforeNumber ?? Number.MAX_SAFE_INTEGER, count)
    return rows.map(([number, atMs, name, key, change, by]) => {
      const record = () => `a change of ${shown(name)} (row ${number} of limit_changes)`
      if (!isTime(atMs)) throw damaged(record(), "a time", atMs)
      const told = readJson(change, isChange, "a change", record)
      return { number, atMs, limit: name, key, change: told, by } as unknown as LoggedChange
    })
  }

  gate({ limit, key }: GateKey): StoredGate | null {
    return toGate(this.sql("readGate").rows(this.ns, limit, key)[0])
  }

  gateByNumber(number: number): StoredGate | null {
    return toGate(this.sql("readGateByNumber").rows(number)[0])
  }

  gatesOf(limit: string, afterKey: string | null, count: number): StoredGate[] {
    return this.sql("gatesOf")
      .rows(this.ns, limit, afterKey, count)
      .flatMap((row) => toGate(row) ?? [])
  }

  countGates(limit: string): { gates: number; waitingTasks: number } {
    this.writeDemand()
    const [gates, waitingTasks] = this.sql("countGates").rows(this.ns, limit)[0] as unknown as [number, number]
    return { gates, waitingTasks }
  }

  addGate({ limit, key }: GateKey, state: GateState): StoredGate {
    const [row] = this.sql("addGate").rows(this.ns, limit, key, JSON.stringify(state), this.nowMs)
    return { number: rowNumber(row?.[0], "gates"), limit, key, state, hasWaiters: false, hasCalls: false }
  }

  saveGate(number: number, state: GateState): void {
    this.sql("saveGate").run(number, JSON.stringify(state), this.nowMs)
  }

  removeGates(numbers: readonly number[]): void {
    if (numbers.length > 0) this.sql("removeGates").run(JSON.stringify(numbers))
  }

  idleGates(limit: number): StoredGate[] {
    if (limit <= 0) return []
    this.writeDemand()
    return this.sql("idleGates")
      .rows(this.ns, this.nowMs - gateForgottenAfterMs, limit)
      .flatMap((row) => soundGate(row) ?? [])
  }

  /** A task comes to wait in a lane, or leaves it. */
  countTask(task: TaskRecord, by: 1 | -1, numberOf: (key: GateKey) => number): void {
    const { type, flow, priority } = task
    for (const ref of task.gates ?? []) {
      const gate = numberOf(ref)
      const key = JSON.stringify([gate, type, flow, priority])
      const known = this.more.get(key) ?? { gate, type, flow, priority, tasks: 0, cost: 0 }
      known.tasks += by
      known.cost += by * ref.cost
      this.more.set(key, known)
    }
  }

  demand(gate: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand {
    this.writeDemand()
    const [row] = of ? this.sql("demandOfFlow").rows(gate, priority, of.type, of.flow) : this.sql("demandOfAll").rows(gate, priority)
    const [tasks, cost, flows] = row as unknown as [number, number, number]
    return { tasks, cost, flows }
  }

  writeDemand(): void {
    if (this.more.size === 0) return
    for (const { gate, type, flow, priority, tasks, cost } of this.more.values()) {
      if (tasks === 0 && cost === 0) continue
      const [row] = this.sql("addDemand").rows(gate, type, flow, priority, tasks, cost)
      if (row?.[0] === 0) this.sql("dropDemand").run(gate, type, flow, priority)
    }
    this.more.clear()
  }

  typesAt(gate: number): string[] {
    return this.sql("typesAt")
      .rows(gate)
      .map(([type]) => type as string)
  }

  /** Those who sleep hear of it where it was not known before, or is earlier. */
  setDue(type: string, gate: number, atMs: number | null): void {
    const [row] = this.sql("readDue").rows(gate, type)
    const before = row ? (row[0] as number) : null
    if (before === atMs) return
    if (atMs === null) this.sql("dropDue").run(gate, type)
    else this.sql("saveDue").run(gate, type, this.ns, atMs)
    if (atMs !== null && (before === null || atMs < before)) this.hasNews = true
  }

  hurry(limit: string): void {
    this.sql("hurry").run(this.ns, limit, this.nowMs)
    this.sql("hurryLines").run(this.ns, limit, this.nowMs)
    // A running task may wait for it too, and stands in no lane.
    this.hasNews = true
  }

  dueGates(type: string, limit: number): DueGate[] {
    return this.sql("dueGates").rows(this.ns, type, this.nowMs, limit).map(toDue)
  }

  nextOpening(type: string): DueGate | null {
    const [row] = this.sql("nextOpening").rows(this.ns, type)
    return row ? toDue(row) : null
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    for (const [bucket, count] of byBucket) this.sql("addForecastErrors").run(this.ns, type, bucket, count)
  }

  forecastErrors(): ForecastErrors {
    const types: { type: string; buckets: Record<number, number> }[] = []
    for (const [type, bucket, count] of this.sql("forecastErrors").rows(this.ns) as unknown as [string, number, number][]) {
      if (types.at(-1)?.type !== type) types.push({ type, buckets: {} })
      const last = types.at(-1)
      if (last) last.buckets[bucket] = count
    }
    return { types }
  }
}

/** One that names no gate could not be dropped, and whoever is due there would be sent to look for ever. */
function toDue([gate, atMs]: Row): DueGate {
  return { gate: rowNumber(gate, "dues"), atMs: atMs as number }
}

/** For the sweep: a gate that is damaged stays, and must not keep all others from being swept. */
function soundGate(row: Row): StoredGate | null {
  try {
    return toGate(row)
  } catch {
    return null
  }
}

function toGate(row: Row | undefined): StoredGate | null {
  if (!row) return null
  const [, limit, key, text, hasWaiters, hasCalls] = row as unknown as [number, string, string, string, number, number]
  const number = rowNumber(row[0], "gates")
  const name = () => `gate ${shown(gateName({ limit, key }))} (row ${number} of gates)`
  const state = wholeState(readJson(text, isGateState, "the state of a gate", name))
  return { number, limit, key, state, hasWaiters: hasWaiters === 1, hasCalls: hasCalls === 1 }
}

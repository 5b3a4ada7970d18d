// Limits and gates in Redis: what is declared and set, the live states, what waits, and what is due.

import type { GateState } from "../../../limits/index.ts"
import type { Demand, DueGate, GateKey, LimitRecords, StoredGate } from "../../../store/limit-records.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "../../../store/limits-contract.ts"
import type { LimitRecord } from "../../../store/policies.ts"
import type { TaskRecord } from "../../../task/index.ts"
import { askWith } from "./batch.ts"
import type { Context } from "./context.ts"
import { countDemand, demandAt } from "./demand.ts"
import { type Dues, openDues } from "./dues.ts"
import { type GateTable, openGates } from "./gate-table.ts"
import { openLimits, type RedisLimits } from "./limits.ts"
import { type CallLines, openLines } from "./lines.ts"
import { bytesBefore, firstBytes, toNumber } from "./lua.ts"
import { redis } from "./server.ts"

/** Its parts are made when they are first needed: most steps of a queue without limits need none of them. */
export class RedisGates implements LimitRecords {
  /** Whether somebody who sleeps has to hear of an opening. Known when the step has ended. */
  hasNews = false
  private readonly context: Context
  private readonly base: string
  private madeTable: GateTable | undefined
  private madeDues: Dues | undefined
  private madeLines: CallLines | undefined
  private madeLimits: RedisLimits | undefined
  /** By limit: how many tasks more wait at its gates. */
  private more: Record<string, number> = {}
  private moreOf: string[] = []

  constructor(context: Context) {
    this.context = context
    this.base = context.base
  }

  /** Of calls outside the queue. */
  lines(): CallLines {
    this.madeLines ??= openLines(this.context)
    return this.madeLines
  }

  private table(): GateTable {
    this.madeTable ??= openGates(this.context)
    return this.madeTable
  }

  private dues(): Dues {
    this.madeDues ??= openDues(this.context)
    return this.madeDues
  }

  private declared(): RedisLimits {
    this.madeLimits ??= openLimits(this.context)
    return this.madeLimits
  }

  limit(name: string): LimitRecord | null {
    return this.declared().limit(name)
  }

  limitNames(): readonly string[] {
    return this.declared().limitNames()
  }

  saveLimit(limit: LimitRecord): void {
    this.declared().saveLimit(limit)
  }

  logChange(change: Omit<LoggedChange, "number">): void {
    this.declared().logChange(change)
  }

  changes(request: ChangesRequest): readonly LoggedChange[] {
    return this.declared().changes(request)
  }

  limitsOfType(type: string): readonly string[] | null {
    return this.declared().limitsOfType(type)
  }

  saveType(type: string, limits: readonly string[]): void {
    this.declared().saveType(type, limits)
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    this.declared().addForecastErrors(type, byBucket)
  }

  forecastErrors(): ForecastErrors {
    return this.declared().forecastErrors()
  }

  /** Gates that will be asked for one by one, by name: read in one go. */
  readAhead(names: readonly string[]): void {
    if (names.length > 1) this.table().readAhead(names)
  }

  gate(key: GateKey, name?: string): StoredGate | null {
    return this.table().find(key, name)
  }

  gateByNumber(number: number): StoredGate | null {
    return this.table().numbered(number)
  }

  gatesOf(limit: string, afterKey: string | null, count: number): readonly StoredGate[] {
    return this.table().ofLimit(limit, afterKey, count)
  }

  countGates(limit: string): { readonly gates: number; readonly waitingTasks: number } {
    this.write()
    const gates = redis.call("ZCARD", `${this.base}gates:${limit}`) as number
    return { gates, waitingTasks: toNumber(redis.call("HGET", `${this.base}limits-waiting`, limit)) ?? 0 }
  }

  addGate(key: GateKey, state: GateState): StoredGate {
    return this.table().add(key, state)
  }

  saveGate(number: number, state: GateState): void {
    this.table().save(number, state)
  }

  removeGates(numbers: readonly number[]): void {
    for (const number of numbers) this.table().remove(number)
  }

  idleGates(limit: number): readonly StoredGate[] {
    return this.table().idle(limit)
  }

  /** A task comes to wait in a lane, or leaves it. */
  countTask(task: TaskRecord, by: 1 | -1, numberOf: (key: GateKey) => number): void {
    if (task.gates === null) return
    const table = this.table()
    for (const ref of task.gates) {
      const kept = table.numbered(numberOf(ref))
      if (kept === null) continue
      countDemand(kept, task.type, task.flow, task.priority, by, by * ref.cost)
      table.change(kept)
      const known = this.more[kept.limit]
      if (known === undefined) this.moreOf.push(kept.limit)
      this.more[kept.limit] = (known ?? 0) + by
    }
  }

  demand(gate: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand {
    const kept = this.table().numbered(gate)
    return kept === null ? { tasks: 0, cost: 0, flows: 0 } : demandAt(kept, this.base, priority, of)
  }

  typesAt(gate: number): readonly string[] {
    return this.table().numbered(gate)?.types ?? []
  }

  setDue(type: string, gate: number, atMs: number | null): void {
    const kept = this.table().numbered(gate)
    // What is due at a gate that is gone can still be dropped: else whoever is due there would be sent to look for ever.
    if (kept === null && atMs !== null) return
    this.dues().set(type, gate, atMs)
    if (kept === null || kept.types.includes(type) === (atMs !== null)) return
    kept.types = atMs === null ? kept.types.filter((other) => other !== type) : [...kept.types, type]
    kept.hasWaiters = kept.types.length > 0
    this.table().change(kept)
  }

  hurry(limit: string): void {
    this.write()
    const isOf = (gates: readonly number[]) => this.areOf(limit, gates)
    this.dues().hurry(isOf)
    this.lines().hurry(isOf)
    // A running task may wait for it too, and stands in no lane.
    this.hasNews = true
  }

  dueGates(type: string, limit: number): readonly DueGate[] {
    const due = this.dues().until(type, limit)
    if (due.length > 1) this.table().readAheadNumbered(due.map(({ gate }) => gate))
    return due
  }

  nextOpening(type: string): DueGate | null {
    return this.dues().next(type)
  }

  /** A line of calls is there now, or is no more. */
  setLine(gate: number, hasCalls: boolean): void {
    const kept = this.table().numbered(gate)
    if (kept === null || kept.hasCalls === hasCalls) return
    kept.hasCalls = hasCalls
    this.table().change(kept)
  }

  /** Ends the step. */
  end(): void {
    this.write()
    this.madeLimits?.end()
  }

  private write(): void {
    this.madeTable?.write()
    this.madeDues?.write()
    if (this.madeDues?.hasNews) this.hasNews = true
    for (const limit of this.moreOf) {
      const more = this.more[limit] ?? 0
      if (more !== 0) redis.call("HINCRBY", `${this.base}limits-waiting`, limit, more)
    }
    this.more = {}
    this.moreOf = []
  }

  private areOf(limit: string, gates: readonly number[]): boolean[] {
    const names = askWith("HMGET", `${this.base}gate-names`, gates)
    return names.map((name) => name !== false && limitOf(name) === limit)
  }
}

function limitOf(name: string): string {
  const before = bytesBefore(name, "/")
  return before === null ? name : firstBytes(name, before)
}

// Limits and gates in Postgres, as one step sees them. Nobody else writes them meanwhile, so that whatever was read holds until the
// step ends; what it changes is kept here, and written in one statement a table by `flush`.

import type { GateState } from "../../limits/index.ts"
import { type Demand, type DueGate, type GateKey, gateForgottenAfterMs, type StoredGate } from "../../store/limit-records.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "../../store/limits-contract.ts"
import type { LimitRecord } from "../../store/policies.ts"
import type { WaitedLimits } from "../../store/waited.ts"
import { type GateRef, jobLimit, type TaskRecord } from "../../task/index.ts"
import { CallLines } from "./call-lines.ts"
import { Declared } from "./declared.ts"
import { DemandTable } from "./demand.ts"
import { Dues } from "./dues.ts"
import { GateTable, type Numbers } from "./gate-table.ts"
import type { Place } from "./heads.ts"
import type { KnownGates } from "./known-gates.ts"
import { NeedsLock } from "./mode.ts"
import type { Row, Sql } from "./sql.ts"

export type { Numbers }

/** Told of places whose first is about to be asked for. */
export type ForeseeHeads = (places: readonly Place[]) => Promise<void>

export interface GatesParts {
  readonly ns: number
  readonly sql: Sql
  readonly nowMs: number
  readonly numbers: Numbers
  readonly isFree: boolean
  readonly foreseeHeads: ForeseeHeads
  /** Gates that hold without being read; null: none do. */
  readonly known: KnownGates | null
}

interface Counted {
  readonly gates: number
  readonly waitingTasks: number
}

export class PostgresGates implements WaitedLimits {
  /** Whether somebody who sleeps has to hear of an opening. */
  hasNews = false
  /** For whoever keeps the calls. */
  readonly lines: CallLines
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  private readonly isFree: boolean
  private readonly foreseeHeads: ForeseeHeads
  /** Places of gates that have changed: who is first there is about to be asked. */
  private told: Place[] = []
  private readonly declared: Declared
  private readonly dues: Dues
  private readonly waiting: DemandTable
  private readonly table: GateTable
  /** Whether what waits was hurried, at gates that nobody has read too. */
  private isHurried = false
  private readonly hasKnown: boolean
  /** By limit, for as long as neither gates nor demand change. */
  private readonly counted = new Map<string, Counted>()

  constructor(step: GatesParts) {
    const { ns, sql, nowMs } = step
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
    this.isFree = step.isFree
    this.hasKnown = step.known !== null
    this.foreseeHeads = step.foreseeHeads
    this.declared = new Declared(ns, sql, nowMs)
    this.dues = new Dues(ns, sql, nowMs)
    this.waiting = new DemandTable(sql)
    this.lines = new CallLines(ns, sql, nowMs)
    const policies = async (limits: readonly string[]) => {
      await this.declared.readAheadLimits(limits)
      return (limit: string) => this.declared.base(limit)
    }
    this.table = new GateTable(step, { dues: this.dues, lines: this.lines, policies })
  }

  /** What the step will ask for, as far as it is not known yet: one query each. */
  readAhead(keys: readonly GateKey[]): Promise<void> {
    return this.table.readAhead(keys)
  }

  /** All that these tasks pass. Where most are known, those that are not are asked for once it is seen which. */
  async readAheadOfTasks(ids: readonly string[]): Promise<void> {
    if (!this.hasKnown) await this.table.readAheadBy("readGatesOfTasks", ids)
  }

  /** All that the first so many lanes of the flow pass that are ready. */
  async readAheadOfLanes(type: string, flow: string, count: number): Promise<void> {
    if (!this.hasKnown) await this.table.readAheadBy("readGatesOfLanes", type, flow, count)
  }

  readAheadLimitsOf(types: readonly string[]): Promise<void> {
    return this.declared.readAheadLimitsOf(types)
  }

  readAheadNumbers(numbers: Iterable<number>): Promise<void> {
    return this.table.readAheadNumbers(numbers)
  }

  /** By number or by name; a gate that is not there has none. */
  async readAheadDemand(gates: readonly (number | GateKey)[]): Promise<void> {
    await this.table.readAhead(gates.flatMap((gate) => (typeof gate === "number" ? [] : [gate])))
    await this.waiting.readAhead(gates.flatMap((gate) => (typeof gate === "number" ? [gate] : (this.table.numberOf(gate) ?? []))))
  }

  /** `count`: how many gates of each type will be asked for. */
  readAheadDues(types: Iterable<string>, count: number): Promise<void> {
    return this.dues.readAhead(types, count)
  }

  readAheadLimits(names: Iterable<string>): Promise<void> {
    return this.declared.readAheadLimits(names)
  }

  readAheadTypes(types: Iterable<string>): Promise<void> {
    return this.declared.readAheadTypes(types)
  }

  limit(name: string): Promise<LimitRecord | null> {
    return this.declared.limit(name)
  }

  limitNames(): Promise<string[]> {
    return this.declared.limitNames()
  }

  saveLimit(limit: LimitRecord): void {
    this.needLock()
    this.declared.saveLimit(limit)
  }

  limitsOfType(type: string): Promise<readonly string[] | null> {
    return this.declared.limitsOfType(type)
  }

  saveType(type: string, limits: readonly string[]): void {
    this.needLock()
    this.declared.saveType(type, limits)
  }

  logChange(change: Omit<LoggedChange, "number">): void {
    this.needLock()
    this.declared.logChange(change)
  }

  changes(request: ChangesRequest): Promise<LoggedChange[]> {
    return this.declared.changes(request)
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    this.declared.addForecastErrors(type, byBucket)
  }

  forecastErrors(): Promise<ForecastErrors> {
    return this.declared.forecastErrors()
  }

  gate(key: GateKey): StoredGate | null | Promise<StoredGate | null> {
    return this.table.named(key)
  }

  gateByNumber(number: number): StoredGate | null | Promise<StoredGate | null> {
    return this.table.numbered(number)
  }

  async gatesOf(limit: string, afterKey: string | null, count: number): Promise<StoredGate[]> {
    await this.table.flush()
    const rows = await this.sql.rows("gatesOf", this.ns, limit, afterKey, count)
    return rows.flatMap((row) => this.table.storedOf(row) ?? [])
  }

  /** Whoever has asked for the names of all limits asks this of each of them: that is one query. */
  async countGates(limit: string): Promise<Counted> {
    const known = this.counted.get(limit)
    if (known) return known
    await this.table.flush()
    await this.waiting.flush()
    const names = [...new Set([limit, ...(this.declared.isComplete ? this.declared.knownNames() : [])])]
    const rows = await this.sql.rows("countGates", this.ns, names)
    for (const [name, gates, waitingTasks] of rows as readonly [string, number, number][]) this.counted.set(name, { gates, waitingTasks })
    return this.counted.get(limit) ?? { gates: 0, waitingTasks: 0 }
  }

  addGate(key: GateKey, state: GateState): Promise<StoredGate> {
    this.needLock()
    this.counted.clear()
    return this.table.add(key, state)
  }

  saveGate(number: number, state: GateState): void | Promise<void> {
    this.needLock()
    return this.table.save(number, state)
  }

  removeGates(numbers: readonly number[]): Promise<void> {
    this.needLock()
    this.counted.clear()
    return this.table.remove(numbers)
  }

  async idleGates(limit: number): Promise<StoredGate[]> {
    if (limit <= 0) return []
    await this.flush()
    const rows = await this.sql.rows("idleGates", this.ns, this.nowMs - gateForgottenAfterMs, limit)
    return rows.flatMap((row) => this.soundGate(row) ?? [])
  }

  /** A task comes to wait in a lane, or leaves it. Where its gates are known, as mostly, nobody has to wait for it. */
  countTask(task: TaskRecord, by: 1 | -1, numberOf: (key: GateKey) => Promise<number>): void | Promise<void> {
    const refs = task.gates ?? []
    if (refs.length === 0) return
    this.needLock()
    this.counted.clear()
    const [ref] = refs
    // Of a gate that is there the limit was declared, and stays so; a job may be gone.
    const known = ref && refs.length === 1 && ref.limit !== jobLimit ? this.table.numberOf(ref) : null
    if (ref && known !== null) this.countAt(task, by, ref, known)
    else return this.countEach(task, by, numberOf)
  }

  private async countEach(task: TaskRecord, by: 1 | -1, numberOf: (key: GateKey) => Promise<number>): Promise<void> {
    for (const ref of task.gates ?? []) this.countAt(task, by, ref, await numberOf(ref))
  }

  private countAt({ type, flow, priority }: TaskRecord, by: 1 | -1, ref: GateRef, gate: number): void {
    // Nobody's: its limit was never declared, or its job is gone.
    if (gate !== 0) this.waiting.add({ gate, type, flow, priority, tasks: by, cost: by * ref.cost })
  }

  demand(gate: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand | Promise<Demand> {
    return this.waiting.of(gate, priority, of)
  }

  async typesAt(gate: number): Promise<string[]> {
    await this.table.readAheadNumbers([gate])
    const types = this.dues.typesAt(gate)
    for (const type of types) this.told.push({ type, gate })
    return types
  }

  takeTold(): readonly Place[] {
    const { told } = this
    this.told = []
    return told
  }

  /** Those who sleep hear of it where it was not known before, or is earlier. */
  async setDue(type: string, gate: number, atMs: number | null): Promise<void> {
    this.needLock()
    await this.table.readAheadNumbers([gate])
    if (this.dues.set(type, gate, atMs)) this.hasNews = true
  }

  async hurry(limit: string): Promise<void> {
    this.needLock()
    await this.table.flush()
    await this.dues.flush()
    await this.lines.flush()
    this.isHurried = true
    this.sql.tell("hurry", this.ns, limit, this.nowMs)
    const isOfLimit = (gate: number) => this.table.isOf(limit, gate)
    this.dues.hurried(isOfLimit)
    this.lines.hurried(isOfLimit)
    // A running task may wait for it too, and stands in no lane.
    this.hasNews = true
  }

  async dueGates(type: string, limit: number): Promise<DueGate[]> {
    // A step that is free has seen that none is.
    if (this.isFree) return []
    const due = await this.dues.due(type, limit)
    // Whoever asks for one only asks whether there is any.
    if (limit === 1 || due.length === 0) return due
    await this.table.readAheadNumbers(due.map(({ gate }) => gate))
    await this.foreseeHeads(due.map(({ gate }) => ({ type, gate })))
    return due
  }

  async nextOpening(type: string): Promise<DueGate | null> {
    return this.isFree ? null : this.dues.next(type)
  }

  /** Whatever is kept of limits is written by whoever has the namespace to himself. */
  private needLock(): void {
    if (this.isFree) throw new NeedsLock("what is kept of a limit")
  }

  /** Writes what the step has changed so far. */
  async flush(): Promise<void> {
    await this.declared.flush()
    await this.table.flush()
    await this.dues.flush()
    await this.waiting.flush()
    await this.lines.flush()
  }

  /** Once all is written: for steps to come, unless something was written at gates that this one does not know. */
  remember(known: KnownGates): void {
    if (this.isHurried) known.forget()
    else this.table.remember(known)
  }

  /** For the sweep: a gate that is damaged stays, and must not keep all others from being swept. */
  private soundGate(row: Row): StoredGate | null {
    try {
      return this.table.storedOf(row)
    } catch {
      return null
    }
  }
}

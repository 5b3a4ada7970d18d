// What is declared and set of limits and types, the log of changes, and how far forecasts were off. Read once in a step; what is
// saved is kept until the step ends, or until somebody reads what it would change.

import { shown } from "../../errors/index.ts"
import type { GatePolicy } from "../../limits/index.ts"
import { loggedChanges } from "../../store/limit-records.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "../../store/limits-contract.ts"
import { basePolicy, type LimitRecord } from "../../store/policies.ts"
import { isChange, isLimitRecord, isTexts, isTime } from "../../store/sound.ts"
import { damaged, sound } from "./damage.ts"
import type { Sql } from "./sql.ts"

/** Judged when it is asked for: one that is damaged must not keep those from being read that were read with it. */
type Judged<T> = () => T | null

export class Declared {
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  private readonly limits = new Map<string, Judged<LimitRecord>>()
  private readonly types = new Map<string, Judged<readonly string[]>>()
  private readonly savedLimits = new Map<string, LimitRecord>()
  private readonly savedTypes = new Map<string, readonly string[]>()
  private readonly bases = new Map<string, GatePolicy | null>()
  private readonly errors = new Map<string, Map<number, number>>()
  private log: Omit<LoggedChange, "number">[] = []
  /** Whether all limits that there are have been read. */
  isComplete = false

  constructor(ns: number, sql: Sql, nowMs: number) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
  }

  /** Those that are not known yet, in one query. */
  async readAheadLimits(names: Iterable<string>): Promise<void> {
    const asked = this.isComplete ? [] : [...new Set(names)].filter((name) => !this.limits.has(name))
    if (asked.length === 0) return
    for (const [name, record] of await this.sql.rows("readLimits", this.ns, asked)) this.keepLimit(name as string, record)
    for (const name of asked) if (!this.limits.has(name)) this.limits.set(name, () => null)
  }

  /** All that tasks of these types may pass. */
  async readAheadLimitsOf(types: readonly string[]): Promise<void> {
    for (const [name, record] of await this.sql.rows("readLimitsOfTypes", this.ns, types)) this.keepLimit(name as string, record)
  }

  async limit(name: string): Promise<LimitRecord | null> {
    await this.readAheadLimits([name])
    return this.limits.get(name)?.() ?? null
  }

  async limitNames(): Promise<string[]> {
    await this.flush()
    const rows = await this.sql.rows("allLimits", this.ns)
    for (const [name, record] of rows) this.keepLimit(name as string, record)
    this.isComplete = true
    return rows.map(([name]) => name as string)
  }

  /** Of limits that were read or saved in this step. */
  knownNames(): string[] {
    return [...this.limits.keys()]
  }

  saveLimit(limit: LimitRecord): void {
    this.limits.set(limit.name, () => limit)
    this.savedLimits.set(limit.name, limit)
    this.bases.delete(limit.name)
  }

  /** What live code declares, where the limit has been read. */
  base(name: string): GatePolicy | null {
    const known = this.bases.get(name)
    if (known !== undefined) return known
    const limit = this.limits.get(name)?.() ?? null
    const base = limit && basePolicy(limit, this.nowMs)
    this.bases.set(name, base)
    return base
  }

  async readAheadTypes(types: Iterable<string>): Promise<void> {
    const asked = [...new Set(types)].filter((type) => !this.types.has(type))
    if (asked.length === 0) return
    for (const [type, limits] of await this.sql.rows("readTypes", this.ns, asked)) {
      const record = () => `task type ${shown(type)} (in types)`
      this.types.set(type as string, () => sound(limits, isTexts, "the names of its limits", record))
    }
    for (const type of asked) if (!this.types.has(type)) this.types.set(type, () => null)
  }

  async limitsOfType(type: string): Promise<readonly string[] | null> {
    await this.readAheadTypes([type])
    return this.types.get(type)?.() ?? null
  }

  saveType(type: string, limits: readonly string[]): void {
    this.types.set(type, () => limits)
    this.savedTypes.set(type, limits)
  }

  logChange(change: Omit<LoggedChange, "number">): void {
    this.log.push(change)
  }

  async changes({ limit, beforeNumber, count }: ChangesRequest): Promise<LoggedChange[]> {
    await this.flush()
    const rows = await this.sql.rows("readChanges", this.ns, limit, beforeNumber ?? Number.MAX_SAFE_INTEGER, count)
    return rows.map(([number, atMs, name, key, change, by]) => {
      const record = () => `a change of ${shown(name)} (row ${number} of limit_changes)`
      if (!isTime(atMs)) throw damaged(record(), "a time", atMs)
      const told = sound(change, isChange, "a change", record)
      return { number, atMs, limit: name, key, change: told, by } as LoggedChange
    })
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    const known = this.errors.get(type) ?? new Map<number, number>()
    this.errors.set(type, known)
    for (const [bucket, count] of byBucket) known.set(bucket, (known.get(bucket) ?? 0) + count)
  }

  async forecastErrors(): Promise<ForecastErrors> {
    await this.flush()
    const types: { type: string; buckets: Record<number, number> }[] = []
    for (const [type, bucket, count] of (await this.sql.rows("forecastErrors", this.ns)) as readonly [string, number, number][]) {
      if (types.at(-1)?.type !== type) types.push({ type, buckets: {} })
      const last = types.at(-1)
      if (last) last.buckets[bucket] = count
    }
    return { types }
  }

  async flush(): Promise<void> {
    await this.flushLimits()
    await this.flushTypes()
    await this.flushLog()
    await this.flushErrors()
  }

  private async flushLimits(): Promise<void> {
    if (this.savedLimits.size === 0) return
    const saved = [...this.savedLimits]
    this.savedLimits.clear()
    const names = saved.map(([name]) => name)
    this.sql.tell("saveLimits", this.ns, names, JSON.stringify(saved.map(([, limit]) => limit)))
  }

  private async flushTypes(): Promise<void> {
    if (this.savedTypes.size === 0) return
    const saved = [...this.savedTypes]
    this.savedTypes.clear()
    const types = saved.map(([type]) => type)
    this.sql.tell("saveTypes", this.ns, types, JSON.stringify(saved.map(([, limits]) => limits)))
  }

  private async flushLog(): Promise<void> {
    if (this.log.length === 0) return
    const log = this.log
    this.log = []
    this.sql.tell(
      "logChanges",
      this.ns,
      log.map(({ atMs }) => atMs),
      log.map(({ limit }) => limit),
      log.map(({ key }) => key),
      JSON.stringify(log.map(({ change }) => change)),
      log.map(({ by }) => by),
      loggedChanges,
    )
  }

  private async flushErrors(): Promise<void> {
    if (this.errors.size === 0) return
    const rows = [...this.errors].flatMap(([type, buckets]) => [...buckets].map(([bucket, count]) => ({ type, bucket, count })))
    this.errors.clear()
    this.sql.tell(
      "addForecastErrors",
      this.ns,
      rows.map(({ type }) => type),
      rows.map(({ bucket }) => bucket),
      rows.map(({ count }) => count),
    )
  }

  private keepLimit(name: string, record: unknown): void {
    if (this.limits.has(name)) return
    const isRecord = (value: unknown): value is LimitRecord => isLimitRecord(value, name)
    this.limits.set(name, () => sound(record, isRecord, "what was declared and set", () => `limit ${shown(name)} (in limits)`))
  }
}

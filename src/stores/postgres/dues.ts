// When those who wait at gates may pass, by gate and by type, as a step sees it. What the step sets is laid over what was read, so
// that nothing has to be written for the next question to be answered; it is written when the step ends.

import type { DueGate } from "../../store/limit-records.ts"
import { rowNumber } from "./damage.ts"
import type { Sql } from "./sql.ts"

/** The first of a type, in order: all that come no later than `last`. */
interface Read {
  readonly rows: DueGate[]
  /** Null: they are all that there are. */
  readonly last: DueGate | null
  readonly asked: number
}

const fewest = 16

export class Dues {
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  private readonly byGate = new Map<number, Map<string, number>>()
  private readonly byType = new Map<string, Read>()
  /** By type and gate; null: nobody waits any more. */
  private readonly changed = new Map<string, Map<number, number | null>>()

  constructor(ns: number, sql: Sql, nowMs: number) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
  }

  /** As they were read with the gate; where they are known already, what is known is newer. */
  keep(gate: number, dues: Readonly<Record<string, number>> | null): void {
    if (!this.byGate.has(gate)) this.byGate.set(gate, new Map(Object.entries(dues ?? {})))
  }

  /** As an earlier step left them. */
  keepAt(gate: number, dues: ReadonlyMap<string, number>): void {
    if (!this.byGate.has(gate)) this.byGate.set(gate, new Map(dues))
  }

  at(gate: number): ReadonlyMap<string, number> {
    return this.byGate.get(gate) ?? new Map()
  }

  typesAt(gate: number): string[] {
    return [...(this.byGate.get(gate)?.keys() ?? [])].sort()
  }

  hasWaiters(gate: number): boolean {
    return (this.byGate.get(gate)?.size ?? 0) > 0
  }

  /** Of a gate that was read. Answers whether those who sleep have to hear of it. */
  set(type: string, gate: number, atMs: number | null): boolean {
    const dues = this.byGate.get(gate) ?? new Map<string, number>()
    this.byGate.set(gate, dues)
    const before = dues.get(type) ?? null
    if (before === atMs) return false
    if (atMs === null) dues.delete(type)
    else dues.set(type, atMs)
    const changed = this.changed.get(type) ?? new Map<number, number | null>()
    this.changed.set(type, changed)
    changed.set(gate, atMs)
    const read = this.byType.get(type)
    if (read) place(read, gate, atMs)
    return atMs !== null && (before === null || atMs < before)
  }

  async due(type: string, limit: number): Promise<DueGate[]> {
    for (;;) {
      const read = this.byType.get(type)
      if (read) {
        const due = read.rows.filter(({ atMs }) => atMs <= this.nowMs)
        if (due.length >= limit || read.last === null || read.last.atMs > this.nowMs) return due.slice(0, limit)
      }
      await this.read([type], Math.max(limit, (read?.asked ?? 0) * 2))
    }
  }

  async next(type: string): Promise<DueGate | null> {
    for (;;) {
      const read = this.byType.get(type)
      if (read?.rows[0]) return read.rows[0]
      if (read?.last === null) return null
      await this.read([type], (read?.asked ?? 0) * 2)
    }
  }

  /** Up to `count` of each of the types that are not known yet, in one query. */
  async readAhead(types: Iterable<string>, count: number): Promise<void> {
    const asked = [...new Set(types)].filter((type) => !this.byType.has(type))
    if (asked.length > 0) await this.read(asked, count)
  }

  /** Whatever is due later at these gates is due now; it stands in the database already. */
  hurried(isOfLimit: (gate: number) => boolean): void {
    for (const [gate, dues] of this.byGate) if (isOfLimit(gate)) for (const [type, atMs] of dues) dues.set(type, Math.min(atMs, this.nowMs))
    this.byType.clear()
  }

  async flush(): Promise<void> {
    const all = [...this.changed].flatMap(([type, gates]) => [...gates].map(([gate, atMs]) => ({ type, gate, atMs })))
    if (all.length === 0) return
    this.changed.clear()
    const saved = all.filter(({ atMs }) => atMs !== null)
    const gone = all.filter(({ atMs }) => atMs === null)
    this.sql.tell(
      "writeDues",
      this.ns,
      saved.map(({ gate }) => gate),
      saved.map(({ type }) => type),
      saved.map(({ atMs }) => atMs),
      gone.map(({ gate }) => gate),
      gone.map(({ type }) => type),
    )
  }

  private async read(types: readonly string[], count: number): Promise<void> {
    const unwritten = Math.max(...types.map((type) => this.changed.get(type)?.size ?? 0))
    const asked = Math.max(fewest, count) + unwritten
    const found = new Map<string, DueGate[]>(types.map((type) => [type, []]))
    // One that names no gate could not be dropped, and whoever is due there would be sent to look for ever.
    for (const [type, gate, atMs] of await this.sql.rows("firstDues", this.ns, types, asked))
      found.get(type as string)?.push({ gate: rowNumber(gate, "dues"), atMs: atMs as number })
    for (const [type, rows] of found) {
      const read: Read = { rows, last: rows.length < asked ? null : (rows.at(-1) ?? null), asked }
      for (const [gate, atMs] of this.changed.get(type) ?? []) place(read, gate, atMs)
      this.byType.set(type, read)
    }
  }
}

function compare(a: DueGate, b: DueGate): number {
  return a.atMs - b.atMs || a.gate - b.gate
}

/** Puts the gate where it belongs now; behind the last that was read it is none of those that are known. */
function place({ rows, last }: Read, gate: number, atMs: number | null): void {
  const old = rows.findIndex((row) => row.gate === gate)
  if (old >= 0) rows.splice(old, 1)
  if (atMs === null) return
  const row = { gate, atMs }
  if (last && compare(row, last) > 0) return
  const behind = rows.findIndex((other) => compare(other, row) > 0)
  rows.splice(behind < 0 ? rows.length : behind, 0, row)
}

// Calls outside the queue in SQLite: who waits where, who holds what, and until when.

import { shown } from "../../errors/index.ts"
import type { CallLine, CallRecord, CallRecords } from "../../store/call-records.ts"
import { picked } from "../../store/picked.ts"
import { isCall } from "../../store/sound.ts"
import { damaged, rowNumber } from "./damage.ts"
import type { Row } from "./driver.ts"
import type { Statements } from "./statements.ts"

export class SqliteCalls implements CallRecords {
  /** Whether somebody who sleeps has to hear that a call was granted. */
  hasNews = false
  private readonly ns: number
  private readonly sql: Statements
  private readonly nowMs: number

  constructor(ns: number, sql: Statements, nowMs: number) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
  }

  load(ids: readonly string[]): Map<string, CallRecord> {
    if (ids.length === 0) return new Map()
    const rows = this.sql("loadCalls").rows(this.ns, JSON.stringify(ids))
    return picked(ids, new Map(rows.map(toCall).map((call) => [call.id, call])))
  }

  save({ id, ownerId, limit, key, gate, cost, isFurther, seq, leaseMs, grantedAtMs, untilMs }: CallRecord): void {
    this.sql("saveCall").run(this.ns, id, ownerId, limit, key, gate, cost, isFurther ? 1 : 0, seq, leaseMs, grantedAtMs, untilMs)
  }

  remove(ids: readonly string[]): void {
    if (ids.length > 0) this.sql("removeCalls").run(this.ns, JSON.stringify(ids))
  }

  renew(ids: readonly string[], untilMs: number): void {
    if (ids.length > 0) this.sql("renewCalls").run(this.ns, JSON.stringify(ids), untilMs)
  }

  firstAt(gate: number): CallRecord | null {
    const [row] = this.sql("firstCallAt").rows(gate)
    return row ? toCall(row) : null
  }

  waitingAt(gate: number): { calls: number; cost: number } {
    const [calls, cost] = this.sql("waitingCalls").rows(gate)[0] as unknown as [number, number]
    return { calls, cost }
  }

  grantedSince(ownerId: string, sinceMs: number): CallRecord[] {
    return this.sql("grantedCalls").rows(this.ns, ownerId, sinceMs).map(toCall)
  }

  ended(limit: number): CallRecord[] {
    return limit <= 0 ? [] : this.sql("endedCalls").rows(this.ns, this.nowMs, limit).flatMap(toSoundCall)
  }

  setLine(gate: number, line: CallLine | null): void {
    if (line) this.sql("saveLine").run(gate, this.ns, line.ownerId, line.atMs)
    else this.sql("dropLine").run(gate)
  }

  dueLines(ownerId: string, limit: number): number[] {
    return this.sql("dueLines")
      .rows(this.ns, ownerId, this.nowMs, limit)
      .map(([gate]) => rowNumber(gate, "call_lines"))
  }

  nextLineAtMs(ownerId: string): number | null {
    return (this.sql("nextLine").rows(this.ns, ownerId)[0]?.[0] as number | undefined) ?? null
  }

  holdNumber(ownerId: string): number {
    return (this.sql("readOwner").rows(this.ns, ownerId)[0]?.[0] as number | undefined) ?? 0
  }

  saveOwner(ownerId: string, number: number): void {
    this.sql("saveOwner").run(this.ns, ownerId, number, this.nowMs)
  }

  forgetOwners(seenBeforeMs: number, limit: number): number {
    if (limit <= 0) return 0
    this.sql("forgetOwners").run(this.ns, seenBeforeMs, limit)
    return this.sql("changes").rows()[0]?.[0] as number
  }

  tellNews(): void {
    this.hasNews = true
  }
}

function toCall(row: Row): CallRecord {
  const [id, ownerId, limit, key, gate, cost, isFurther, seq, leaseMs, grantedAtMs, untilMs] = row
  const call = { id, ownerId, limit, key, gate, cost, isFurther: isFurther === 1, seq, leaseMs, grantedAtMs, untilMs }
  if (isCall(call)) return call
  throw damaged(`call ${shown(id)} (in calls)`, "what was held or waited for", JSON.stringify(row))
}

/** For whoever drops what has ended: one that is damaged stays, and must not keep all others from being dropped. */
function toSoundCall(row: Row): CallRecord[] {
  try {
    return [toCall(row)]
  } catch {
    return []
  }
}

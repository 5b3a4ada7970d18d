// How many tasks there are by type and status: counted up during a step, written at its end as rows of its own.

import type { Status } from "../../task/index.ts"
import type { Sql } from "./sql.ts"

export class Tally {
  private readonly ns: number
  private readonly sql: Sql
  private readonly changes = new Map<string, Map<Status, number>>()

  constructor(ns: number, sql: Sql) {
    this.ns = ns
    this.sql = sql
  }

  remove(type: string, status: Status): void {
    this.count(type, status, -1)
  }

  /** Null: it was not there before. */
  move(type: string, from: Status | null, to: Status): void {
    if (from === to) return
    if (from !== null) this.count(type, from, -1)
    this.count(type, to, 1)
  }

  async flush(nowMs: number): Promise<void> {
    const rows = [...this.changes].flatMap(([type, byStatus]) => [...byStatus].map(([status, more]) => ({ type, status, more })))
    this.changes.clear()
    const changed = rows.filter(({ more }) => more !== 0)
    if (changed.length === 0) return
    const column = <K extends "type" | "status" | "more">(name: K) => changed.map((row) => row[name])
    this.sql.tell("addTallies", this.ns, column("type"), column("status"), column("more"), nowMs)
  }

  private count(type: string, status: Status, more: number): void {
    const byStatus = this.changes.get(type) ?? new Map<Status, number>()
    this.changes.set(type, byStatus)
    byStatus.set(status, (byStatus.get(status) ?? 0) + more)
  }
}

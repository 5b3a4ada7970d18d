// How many tasks there are by type and status: counted up during a step, written at its end.

import type { Status } from "../../task/index.ts"
import type { Statements } from "./statements.ts"

export class Tally {
  private readonly ns: number
  private readonly sql: Statements
  private readonly changes = new Map<string, Map<Status, number>>()

  constructor(ns: number, sql: Statements) {
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

  write(): void {
    for (const [type, byStatus] of this.changes) {
      for (const [status, more] of byStatus) if (more !== 0) this.sql("addToTally").run(this.ns, type, status, more)
    }
    this.changes.clear()
  }

  private count(type: string, status: Status, more: number): void {
    const byStatus = this.changes.get(type) ?? new Map<Status, number>()
    this.changes.set(type, byStatus)
    byStatus.set(status, (byStatus.get(status) ?? 0) + more)
  }
}

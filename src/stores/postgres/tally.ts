// How many tasks there are by type and status: counted up during a step, written at its end as rows of its own.

import { type StatusMove, StatusMoves } from "../../store/status-moves.ts"
import type { Sql } from "./sql.ts"

export class Tally extends StatusMoves {
  private readonly ns: number
  private readonly sql: Sql

  constructor(ns: number, sql: Sql) {
    super()
    this.ns = ns
    this.sql = sql
  }

  async flush(nowMs: number): Promise<void> {
    const moves = this.take()
    if (moves.length === 0) return
    const column = <K extends keyof StatusMove>(name: K) => moves.map((move) => move[name])
    this.sql.tell("addTallies", this.ns, column("type"), column("status"), column("more"), nowMs)
  }
}

// How many tasks there are by type and status: counted up during a step, written at its end.

import { StatusMoves } from "../../store/status-moves.ts"
import type { Statements } from "./statements.ts"

export class Tally extends StatusMoves {
  private readonly ns: number
  private readonly sql: Statements

  constructor(ns: number, sql: Statements) {
    super()
    this.ns = ns
    this.sql = sql
  }

  write(): void {
    for (const { type, status, more } of this.take()) this.sql("addToTally").run(this.ns, type, status, more)
  }
}

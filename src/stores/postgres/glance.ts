// What every exchange asks, looked at once when it begins. It holds for as long as the step writes nothing that it is about.

import type { Sql } from "./sql.ts"

export class Glance {
  private readonly claimNumbers = new Map<string, number>()
  private readonly unstopped = new Set<string>()
  private readonly dueAtMs = new Map<string, number | null>()
  private readonly routed = new Set<string>()

  /** Answers with whether something stands in lanes that are not plain. */
  async look(sql: Sql, ns: number, workerId: string, types: readonly string[]): Promise<boolean> {
    const [row] = await sql.rows("lookAhead", ns, workerId, types)
    const [claimNumber, isStopping, dues, unrouted, hasLanes] = row as readonly [
      number | null,
      boolean,
      (number | null)[] | null,
      string[],
      boolean,
    ]
    this.claimNumbers.set(workerId, claimNumber ?? 0)
    if (!isStopping) this.unstopped.add(workerId)
    for (const [i, type] of types.entries()) {
      this.dueAtMs.set(type, dues?.[i] ?? null)
      if (!unrouted.includes(type)) this.routed.add(type)
    }
    return hasLanes
  }

  /** Undefined: it has to be asked. */
  claimNumber(workerId: string): number | undefined {
    return this.claimNumbers.get(workerId)
  }

  /** When the first that is scheduled is due; null: none is. */
  nextDueAtMs(type: string): number | null | undefined {
    return this.dueAtMs.get(type)
  }

  /** Known to have none that nobody has routed. */
  isRouted(type: string): boolean {
    return this.routed.has(type)
  }

  /** Known to run nothing that was asked to stop. */
  isUnstopped(workerId: string): boolean {
    return this.unstopped.has(workerId)
  }

  /** Tasks were written otherwise than by claims and completions. */
  forget(): void {
    this.unstopped.clear()
    this.dueAtMs.clear()
    this.routed.clear()
  }
}

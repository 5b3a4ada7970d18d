// What every exchange asks, looked at once when it begins. It holds for as long as the step writes nothing that it is about; then it is
// looked at once more, when somebody asks.

import type { Sql } from "./sql.ts"

interface Look {
  readonly claimNumber: number
  readonly isStopping: boolean
  readonly dues: readonly (number | null)[]
  readonly unrouted: readonly string[]
  readonly hasLanes: boolean
}

export class Glance {
  private readonly sql: Sql
  private readonly ns: number
  private asked: { readonly workerId: string; readonly types: readonly string[] } | null = null
  private seen: Look | null = null

  constructor(sql: Sql, ns: number) {
    this.sql = sql
    this.ns = ns
  }

  /** Answers with whether something stands in lanes that are not plain. */
  async look(workerId: string, types: readonly string[]): Promise<boolean> {
    this.asked = { workerId, types }
    return (await this.again(workerId, types)).hasLanes
  }

  /** Undefined: it has to be asked. */
  async claimNumber(workerId: string): Promise<number | undefined> {
    return (await this.of(workerId))?.claimNumber
  }

  /** When the first that is scheduled is due; null: none is. */
  async nextDueAtMs(type: string): Promise<number | null | undefined> {
    const at = this.asked?.types.indexOf(type) ?? -1
    return at < 0 ? undefined : ((await this.of(null))?.dues[at] ?? null)
  }

  /** Known to have none that nobody has routed. */
  async isRouted(type: string): Promise<boolean> {
    if (!this.asked?.types.includes(type)) return false
    return (await this.of(null))?.unrouted.includes(type) === false
  }

  /** Known to run nothing that was asked to stop. */
  async isUnstopped(workerId: string): Promise<boolean> {
    return (await this.of(workerId))?.isStopping === false
  }

  /** Tasks were written otherwise than by claims and completions. */
  forget(): void {
    this.seen = null
  }

  private async of(workerId: string | null): Promise<Look | null> {
    if (!this.asked || (workerId !== null && workerId !== this.asked.workerId)) return null
    return this.seen ?? (await this.again(this.asked.workerId, this.asked.types))
  }

  private async again(workerId: string, types: readonly string[]): Promise<Look> {
    const [row] = await this.sql.rows("lookAhead", this.ns, workerId, types)
    const [claimNumber, isStopping, dues, unrouted, hasLanes] = row as readonly [
      number | null,
      boolean,
      (number | null)[] | null,
      string[],
      boolean,
    ]
    this.seen = { claimNumber: claimNumber ?? 0, isStopping, dues: dues ?? [], unrouted, hasLanes }
    return this.seen
  }
}

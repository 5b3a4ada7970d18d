// Lines of calls at gates: whose call is first, and when it may pass. Gates have to know of them as well: who reads a gate is told
// whether calls wait there, and whoever hurries a limit hurries its lines.

import type { CallLine } from "../../store/call-records.ts"
import { rowNumber } from "./damage.ts"
import type { Sql } from "./sql.ts"

export class CallLines {
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  /** As this step has set them; null: nobody waits any more. */
  private readonly set = new Map<number, CallLine | null>()
  private readonly changed = new Set<number>()
  /** By owner: the earliest of what stood in the database when it was read; null: none did. What was set since is in `set`. */
  private readonly earliest = new Map<string, number | null>()

  constructor(ns: number, sql: Sql, nowMs: number) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
  }

  /** Whether calls wait at the gate; null where this step has not said. */
  isAt(gate: number): boolean | null {
    const line = this.set.get(gate)
    return line === undefined ? null : line !== null
  }

  put(gate: number, line: CallLine | null): void {
    const known = this.set.get(gate)
    const isSame = line === null ? known === null : known?.ownerId === line.ownerId && known.atMs === line.atMs
    if (isSame) return
    this.set.set(gate, line)
    this.changed.add(gate)
  }

  /** As it was just read. */
  learnEarliest(ownerId: string, atMs: number | null): void {
    this.earliest.set(ownerId, atMs)
  }

  async due(ownerId: string, limit: number): Promise<number[]> {
    const earliest = this.earliestOf(ownerId)
    if (earliest !== undefined && (earliest === null || earliest > this.nowMs)) return []
    await this.flush()
    const rows = await this.sql.rows("dueLines", this.ns, ownerId, this.nowMs, limit)
    return rows.map(([gate]) => rowNumber(gate, "call_lines"))
  }

  async nextAtMs(ownerId: string): Promise<number | null> {
    // Of an owner who had none, those that this step has set are all.
    if (this.earliest.get(ownerId) === null) return this.earliestOf(ownerId) ?? null
    await this.flush()
    return ((await this.sql.rows("nextLine", this.ns, ownerId))[0]?.[0] as number | undefined) ?? null
  }

  /** Those at these gates are due at once; it stands in the database already. */
  hurried(isOfLimit: (gate: number) => boolean): void {
    for (const [gate, line] of this.set) if (line && isOfLimit(gate)) this.set.set(gate, { ...line, atMs: Math.min(line.atMs, this.nowMs) })
    for (const [ownerId, atMs] of this.earliest) if (atMs !== null) this.earliest.delete(ownerId)
  }

  /** None of the owner's lines is earlier; undefined where that is not known. */
  private earliestOf(ownerId: string): number | null | undefined {
    const read = this.earliest.get(ownerId)
    if (read === undefined) return undefined
    const own = [...this.set.values()].flatMap((line) => (line?.ownerId === ownerId ? [line.atMs] : []))
    const all = read === null ? own : [...own, read]
    return all.length === 0 ? null : all.reduce((least, atMs) => Math.min(least, atMs))
  }

  async flush(): Promise<void> {
    if (this.changed.size === 0) return
    const gates = [...this.changed]
    this.changed.clear()
    const lines = gates.flatMap((gate) => {
      const line = this.set.get(gate)
      return line ? [{ gate, ...line }] : []
    })
    const gone = gates.filter((gate) => !this.set.get(gate))
    this.sql.tell(
      "writeLines",
      this.ns,
      lines.map(({ gate }) => gate),
      lines.map(({ ownerId }) => ownerId),
      lines.map(({ atMs }) => atMs),
      gone,
    )
  }
}

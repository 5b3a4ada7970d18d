// Calls outside the queue in Postgres: who waits where, who holds what, and until when. What a step has read holds until it ends, and
// what it changes is laid over that until it is written.

import { shown } from "../../errors/index.ts"
import type { CallLine, CallRecord } from "../../store/call-records.ts"
import { picked } from "../../store/picked.ts"
import { isCall } from "../../store/sound.ts"
import type { WaitedCalls } from "../../store/waited.ts"
import type { CallLines } from "./call-lines.ts"
import { damaged } from "./damage.ts"
import type { Row, Sql } from "./sql.ts"

/** Those who wait at a gate, as far as they were read. */
interface Line {
  readonly places: { readonly seq: number; readonly id: string; readonly row: Row | null }[]
  /** The last that was read; null: they are all that there are. */
  lastSeq: number | null
}

/** How many of a line are read at once. */
const piece = 32

export class PostgresCalls implements WaitedCalls {
  /** Whether somebody who sleeps has to hear that a call was granted. */
  hasNews = false
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  private readonly lines: CallLines
  /** Null: there is none. */
  private readonly known = new Map<string, CallRecord | null>()
  private readonly changed = new Set<string>()
  private readonly waiting = new Map<number, Line>()
  private readonly counted = new Map<number, { readonly calls: number; readonly cost: number }>()
  private readonly owners = new Map<string, number>()
  private readonly savedOwners = new Set<string>()
  /** Whether some have ended, as it was when the step began. */
  private hasEnded = true

  /** `lines` are those of the gates. */
  constructor({ ns, sql, nowMs, lines }: { ns: number; sql: Sql; nowMs: number; lines: CallLines }) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
    this.lines = lines
  }

  /** Those that are not known yet, in one query. */
  async readAhead(ids: readonly string[]): Promise<void> {
    const asked = [...new Set(ids)].filter((id) => !this.known.has(id))
    if (asked.length === 0) return
    for (const row of await this.sql.rows("loadCalls", this.ns, asked)) this.keep(toCall(row))
    for (const id of asked) if (!this.known.has(id)) this.known.set(id, null)
  }

  async load(ids: readonly string[]): Promise<Map<string, CallRecord>> {
    await this.readAhead(ids)
    const found = new Map<string, CallRecord>()
    for (const id of ids) {
      const call = this.known.get(id)
      if (call) found.set(id, call)
    }
    return picked(ids, found)
  }

  save(call: CallRecord): void {
    this.put(call.id, call)
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.put(id, null)
  }

  async renew(ids: readonly string[], untilMs: number): Promise<void> {
    for (const call of (await this.load(ids)).values()) this.put(call.id, { ...call, untilMs })
  }

  async firstAt(gate: number): Promise<CallRecord | null> {
    for (;;) {
      const line = this.waiting.get(gate)
      for (let place = line?.places[0]; line && place; place = line.places[0]) {
        if (place.row && !this.known.has(place.id)) this.known.set(place.id, toCall(place.row))
        const call = this.known.get(place.id)
        if (call && isWaitingAt(call, gate) && call.seq === place.seq) return call
        line.places.shift()
      }
      if (line?.lastSeq === null) return null
      await this.readLine(gate, line?.lastSeq ?? -1)
    }
  }

  async waitingAt(gate: number): Promise<{ calls: number; cost: number }> {
    const known = this.counted.get(gate)
    if (known) return known
    await this.flush()
    const [calls, cost] = (await this.sql.rows("waitingCalls", gate))[0] as readonly [number, number]
    this.counted.set(gate, { calls, cost })
    return { calls, cost }
  }

  async grantedSince(ownerId: string, sinceMs: number): Promise<CallRecord[]> {
    await this.flush()
    return (await this.sql.rows("grantedCalls", this.ns, ownerId, sinceMs)).map(toCall).map((call) => this.keep(call))
  }

  async ended(limit: number): Promise<CallRecord[]> {
    if (limit <= 0 || !this.mayHaveEnded()) return []
    await this.flush()
    const rows = await this.sql.rows("endedCalls", this.ns, this.nowMs, limit)
    return rows.flatMap(toSoundCall).map((call) => this.keep(call))
  }

  setLine(gate: number, line: CallLine | null): void {
    this.lines.put(gate, line)
  }

  dueLines(ownerId: string, limit: number): Promise<number[]> {
    return this.lines.due(ownerId, limit)
  }

  nextLineAtMs(ownerId: string): Promise<number | null> {
    return this.lines.nextAtMs(ownerId)
  }

  /** Every hold begins with it: what the hold asks first, and mostly for nothing, is answered by the same query. */
  async holdNumber(ownerId: string): Promise<number> {
    const known = this.owners.get(ownerId)
    if (known !== undefined) return known
    const [row] = await this.sql.rows("readOwner", this.ns, ownerId, this.nowMs)
    const [number, earliestMs, hasEnded] = row as readonly [number | null, number | null, boolean]
    this.lines.learnEarliest(ownerId, earliestMs)
    if (this.changed.size === 0) this.hasEnded = hasEnded
    this.owners.set(ownerId, number ?? 0)
    return number ?? 0
  }

  saveOwner(ownerId: string, number: number): void {
    this.owners.set(ownerId, number)
    this.savedOwners.add(ownerId)
  }

  async forgetOwners(seenBeforeMs: number, limit: number): Promise<number> {
    if (limit <= 0) return 0
    await this.flushOwners()
    this.owners.clear()
    return this.sql.run("forgetOwners", this.ns, seenBeforeMs, limit)
  }

  tellNews(): void {
    this.hasNews = true
  }

  /** Writes what the step has changed so far. */
  async flush(): Promise<void> {
    await this.lines.flush()
    await this.flushOwners()
    if (this.changed.size === 0) return
    const ids = [...this.changed]
    this.changed.clear()
    const saved = ids.flatMap((id) => this.known.get(id) ?? [])
    const gone = ids.filter((id) => !this.known.get(id))
    this.sql.tell(
      "writeCalls",
      this.ns,
      saved.map(({ id }) => id),
      saved.map(({ ownerId }) => ownerId),
      saved.map(({ limit }) => limit),
      saved.map(({ key }) => key),
      saved.map(({ gate }) => gate),
      saved.map(({ cost }) => cost),
      saved.map(({ isFurther }) => isFurther),
      saved.map(({ seq }) => seq),
      saved.map(({ leaseMs }) => leaseMs),
      saved.map(({ grantedAtMs }) => grantedAtMs),
      saved.map(({ untilMs }) => untilMs),
      gone,
    )
  }

  private async flushOwners(): Promise<void> {
    if (this.savedOwners.size === 0) return
    const owners = [...this.savedOwners]
    this.savedOwners.clear()
    this.sql.tell(
      "saveOwners",
      this.ns,
      owners,
      owners.map((ownerId) => this.owners.get(ownerId) ?? 0),
      this.nowMs,
    )
  }

  private put(id: string, call: CallRecord | null): void {
    const before = this.known.get(id)
    this.known.set(id, call)
    this.changed.add(id)
    if (before === undefined) {
      // It may have stood in any line.
      this.waiting.clear()
      this.counted.clear()
      return
    }
    if (before?.grantedAtMs === null) this.count(before, -1)
    if (call?.grantedAtMs !== null || call === null) return
    this.count(call, 1)
    const line = this.waiting.get(call.gate)
    if (line) stand(line, call)
  }

  private count({ gate, cost }: CallRecord, by: 1 | -1): void {
    const known = this.counted.get(gate)
    if (known) this.counted.set(gate, { calls: known.calls + by, cost: known.cost + by * cost })
  }

  private async readLine(gate: number, afterSeq: number): Promise<void> {
    await this.flush()
    const rows = await this.sql.rows("waitingInLine", gate, afterSeq, piece)
    const places = rows.map((row) => ({ seq: row[7] as number, id: row[0] as string, row }))
    this.waiting.set(gate, { places, lastSeq: places.length < piece ? null : (places.at(-1)?.seq ?? null) })
  }

  private mayHaveEnded(): boolean {
    if (this.hasEnded) return true
    return [...this.known.values()].some((call) => call !== null && call.untilMs <= this.nowMs)
  }

  /** What this step knows of it already is newer. */
  private keep(call: CallRecord): CallRecord {
    const known = this.known.get(call.id)
    if (known) return known
    this.known.set(call.id, call)
    return call
  }
}

function isWaitingAt(call: CallRecord, gate: number): boolean {
  return call.grantedAtMs === null && call.gate === gate
}

/** Behind the last that was read it is none of those that are known. */
function stand({ places, lastSeq }: Line, { id, seq }: CallRecord): void {
  if (lastSeq !== null && seq > lastSeq) return
  if (places.some((place) => place.id === id && place.seq === seq)) return
  const behind = places.findIndex((place) => place.seq > seq)
  places.splice(behind < 0 ? places.length : behind, 0, { seq, id, row: null })
}

function toCall(row: Row): CallRecord {
  const [id, ownerId, limit, key, gate, cost, isFurther, seq, leaseMs, grantedAtMs, untilMs] = row
  const call = { id, ownerId, limit, key, gate, cost, isFurther: isFurther === true, seq, leaseMs, grantedAtMs, untilMs }
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

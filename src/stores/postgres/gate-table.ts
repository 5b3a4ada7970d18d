// The gates that a step has read, by name and by number, and those that it has made, changed or removed, until they are written.

import { shown } from "../../errors/index.ts"
import { type GatePolicy, type GateState, wholeState } from "../../limits/index.ts"
import type { GateKey, StoredGate } from "../../store/limit-records.ts"
import { isGateState } from "../../store/sound.ts"
import { gateName } from "../../task/index.ts"
import type { CallLines } from "./call-lines.ts"
import { rowNumber, sound } from "./damage.ts"
import type { Dues } from "./dues.ts"
import { gateColumns, inFlight, isLearning } from "./gate-columns.ts"
import { type KnownGate, type KnownGates, nameOf } from "./known-gates.ts"
import { type Row, type Sql, unlessEmpty, type Value } from "./sql.ts"

/** The first of so many new row numbers in a row. */
export interface Numbers {
  take(count: number): Promise<number>
}

interface Kept {
  readonly number: number
  readonly limit: string
  readonly key: string
  /** Judged when it is asked for: one that is damaged must not keep those from being read that were read with it. */
  state: unknown
  isJudged: boolean
  readonly hadCalls: boolean
  isNew: boolean
}

/** What is known of a gate beside its row; and the policies that its limits declare. */
export interface Beside {
  readonly dues: Dues
  readonly lines: CallLines
  readonly policies: (limits: readonly string[]) => Promise<(limit: string) => GatePolicy | null>
}

export interface GateTableParts {
  readonly ns: number
  readonly sql: Sql
  readonly nowMs: number
  readonly numbers: Numbers
  /** Those that hold without being read; null: none do. */
  readonly known: KnownGates | null
}

export class GateTable {
  private readonly known: KnownGates | null
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  private readonly numbers: Numbers
  private readonly beside: Beside
  /** Null: there is none. */
  private readonly byName = new Map<string, Kept | null>()
  private readonly byNumber = new Map<number, Kept | null>()
  private readonly changed = new Set<Kept>()
  private readonly removed = new Set<number>()
  /** By name: all that were removed in this step. */
  private readonly gone = new Set<string>()

  constructor({ ns, sql, nowMs, numbers, known }: GateTableParts, beside: Beside) {
    this.known = known
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
    this.numbers = numbers
    this.beside = beside
  }

  /** Those that are not known yet, in one query. */
  async readAhead(keys: readonly GateKey[]): Promise<void> {
    const asked = new Map<string, GateKey>()
    for (const key of keys) {
      const name = nameOf(key)
      if (this.find(name) === undefined) asked.set(name, key)
    }
    if (asked.size === 0) return
    const limits = [...asked.values()].map(({ limit }) => limit)
    const texts = [...asked.values()].map(({ key }) => key)
    this.keepAll(await this.sql.rows("readGates", this.ns, limits, texts))
    for (const name of asked.keys()) if (!this.byName.has(name)) this.byName.set(name, null)
  }

  /** Those that the statement answers with, as readGates does; its first parameter is the namespace. */
  async readAheadBy(statement: string, ...values: readonly Value[]): Promise<void> {
    this.keepAll(await this.sql.rows(statement, this.ns, ...values))
  }

  async readAheadNumbers(numbers: Iterable<number>): Promise<void> {
    const asked = [...new Set(numbers)].filter((number) => this.findNumber(number) === undefined)
    if (asked.length > 0) this.keepAll(await this.sql.rows("readGatesByNumber", this.ns, asked))
  }

  named(key: GateKey): StoredGate | null | Promise<StoredGate | null> {
    const name = nameOf(key)
    const kept = this.find(name)
    if (kept === undefined) return this.readAhead([key]).then(() => this.storedOrNone(this.byName.get(name)))
    return this.storedOrNone(kept)
  }

  numbered(number: number): StoredGate | null | Promise<StoredGate | null> {
    const kept = this.findNumber(number)
    if (kept === undefined) return this.readAheadNumbers([number]).then(() => this.storedOrNone(this.byNumber.get(number)))
    return this.storedOrNone(kept)
  }

  /** Of a gate that was read; null: there is none. */
  numberOf(key: GateKey): number | null {
    return this.find(nameOf(key))?.number ?? null
  }

  /** Whether it is known to be one of the limit's. */
  isOf(limit: string, number: number): boolean {
    return this.byNumber.get(number)?.limit === limit
  }

  async add({ limit, key }: GateKey, state: GateState): Promise<StoredGate> {
    const number = await this.numbers.take(1)
    const kept: Kept = { number, limit, key, state, isJudged: true, hadCalls: false, isNew: true }
    this.byName.set(nameOf(kept), kept)
    this.byNumber.set(number, kept)
    this.beside.dues.keep(number, null)
    this.changed.add(kept)
    return this.stored(kept)
  }

  save(number: number, state: GateState): void | Promise<void> {
    const kept = this.findNumber(number)
    if (kept === undefined) return this.readAheadNumbers([number]).then(() => this.change(this.byNumber.get(number), state))
    this.change(kept, state)
  }

  private change(kept: Kept | null | undefined, state: GateState): void {
    if (!kept) return
    kept.state = state
    kept.isJudged = true
    this.changed.add(kept)
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.readAheadNumbers(numbers)
    for (const number of numbers) {
      const kept = this.byNumber.get(number)
      if (!kept) continue
      this.byName.set(nameOf(kept), null)
      this.byNumber.set(number, null)
      this.gone.add(nameOf(kept))
      this.changed.delete(kept)
      if (!kept.isNew) this.removed.add(number)
    }
  }

  async flush(): Promise<void> {
    // First: a gate that was made anew has the name of the one that is gone.
    if (this.removed.size > 0) {
      const removed = [...this.removed]
      this.removed.clear()
      this.sql.tell("removeGates", this.ns, removed)
    }
    if (this.changed.size === 0) return
    const changed = [...this.changed]
    this.changed.clear()
    await this.write(changed)
    for (const kept of changed) kept.isNew = false
  }

  private async write(changed: readonly Kept[]): Promise<void> {
    const policyOf = await this.beside.policies([...new Set(changed.map(({ limit }) => limit))])
    const quiet: Kept[] = []
    const others: Kept[] = []
    for (const kept of changed) (kept.isNew || isLearning(policyOf(kept.limit), kept.state as GateState) ? others : quiet).push(kept)
    if (quiet.length > 0)
      this.sql.tell(
        "saveGates",
        this.nowMs,
        quiet.map(({ number }) => number),
        // JSON has no line break that is not escaped, so that nothing else has to be.
        quiet.map(({ state }) => JSON.stringify(state)).join("\n"),
        quiet.map(({ state }) => inFlight(state as GateState, this.nowMs)),
      )
    if (others.length > 0) this.writeAll(others, policyOf)
  }

  /** New ones, and those that learn: with all of their columns. */
  private writeAll(changed: readonly Kept[], policyOf: (limit: string) => GatePolicy | null): void {
    const columns = changed.map(({ limit, state }) => gateColumns(policyOf(limit), state as GateState, this.nowMs))
    this.sql.tell(
      "writeGates",
      this.ns,
      this.nowMs,
      changed.map(({ number }) => number),
      changed.map(({ isNew }) => isNew),
      unlessEmpty(changed.map(({ limit, isNew }) => (isNew ? limit : null))),
      unlessEmpty(changed.map(({ key, isNew }) => (isNew ? key : null))),
      JSON.stringify(changed.map(({ state }) => state)),
      unlessEmpty(columns.map(({ adaptiveDelayMs }) => adaptiveDelayMs)),
      unlessEmpty(columns.map(({ adaptiveDelayFloorMs }) => adaptiveDelayFloorMs)),
      unlessEmpty(columns.map(({ successStreak }) => successStreak)),
      unlessEmpty(columns.map(({ errorStreak }) => errorStreak)),
      unlessEmpty(columns.map(({ nextAvailableAtMs }) => nextAvailableAtMs)),
      unlessEmpty(columns.map(({ lastSuccessAtMs }) => lastSuccessAtMs)),
      columns.map(({ inFlight: held }) => held),
    )
  }

  /** Once all is written: for steps to come, what this one knows. What is damaged is read again, for as long as it is. */
  remember(known: KnownGates): void {
    for (const name of this.gone) known.drop(name)
    for (const kept of this.byNumber.values()) {
      if (!kept) continue
      const { number, limit, key, state } = kept
      if (kept.isJudged || isGateState(state))
        known.put({
          number,
          limit,
          key,
          state: wholeState(state as GateState),
          dues: this.beside.dues.at(number),
          hasCalls: this.hasCalls(kept),
        })
    }
  }

  /** Undefined: it has to be read. */
  private find(name: string): Kept | null | undefined {
    const kept = this.byName.get(name)
    if (kept !== undefined || !this.known) return kept
    const known = this.known.named(name)
    return known && this.keepKnown(known)
  }

  private findNumber(number: number): Kept | null | undefined {
    const kept = this.byNumber.get(number)
    if (kept !== undefined || !this.known) return kept
    const known = this.known.numbered(number)
    return known && this.keepKnown(known)
  }

  private keepKnown({ number, limit, key, state, dues, hasCalls }: KnownGate): Kept {
    const kept: Kept = { number, limit, key, state, isJudged: true, hadCalls: hasCalls, isNew: false }
    this.beside.dues.keepAt(number, dues)
    this.byNumber.set(number, kept)
    this.byName.set(nameOf(kept), kept)
    return kept
  }

  private hasCalls({ number, hadCalls }: Kept): boolean {
    return this.beside.lines.isAt(number) ?? hadCalls
  }

  /** Of a row that was read: the gate as this step knows it. */
  storedOf(row: Row): StoredGate | null {
    this.keepAll([row])
    const kept = this.byNumber.get(row[0] as number)
    return kept ? this.stored(kept) : null
  }

  /** What this step knows of them already is newer. */
  private keepAll(rows: readonly Row[]): void {
    for (const row of rows) {
      const [, limit, key, state, dues, hadCalls] = row as [number, string | null, string, unknown, Record<string, number> | null, boolean]
      const number = rowNumber(row[0], "gates")
      this.beside.dues.keep(number, dues)
      if (this.byNumber.has(number)) continue
      // A number that is nobody's: somebody may be due there all the same, and has to be told so.
      if (limit === null) this.byNumber.set(number, null)
      else {
        const kept: Kept = { number, limit, key, state, isJudged: false, hadCalls, isNew: false }
        this.byNumber.set(number, kept)
        this.byName.set(nameOf(kept), kept)
      }
    }
  }

  private storedOrNone(kept: Kept | null | undefined): StoredGate | null {
    return kept ? this.stored(kept) : null
  }

  private stored(kept: Kept): StoredGate {
    const { number, limit, key } = kept
    const record = () => `gate ${shown(gateName(kept))} (row ${number} of gates)`
    if (!kept.isJudged) kept.state = wholeState(sound(kept.state, isGateState, "the state of a gate", record))
    kept.isJudged = true
    const hasWaiters = this.beside.dues.hasWaiters(number)
    return { number, limit, key, state: kept.state as GateState, hasWaiters, hasCalls: this.hasCalls(kept) }
  }
}

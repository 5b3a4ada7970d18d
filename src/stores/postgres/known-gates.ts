// Gates as this process left them. Whoever changes a gate has the lock of the namespace, and writes its row before he lets go: for as long as
// that row is as a step of this process wrote it, nobody else has changed a gate since, and those that are known need not be read.

import type { GateState } from "../../limits/index.ts"
import type { GateKey } from "../../store/limit-records.ts"
import type { Row } from "./sql.ts"

export interface KnownGate extends GateKey {
  readonly number: number
  readonly state: GateState
  readonly dues: ReadonlyMap<string, number>
  readonly hasCalls: boolean
}

/** Who has had the word so many times in a row is taken to be alone. */
const surelyHeld = 8
/** Behind these whoever came first goes. */
const mostKnown = 16_384

/** No text in Postgres has the character between them. */
export function nameOf({ limit, key }: GateKey): string {
  return `${limit}\0${key}`
}

/** Who has written the row of the namespace, and the clock that he left there: as lockNamespace answers. */
export function writtenBy(row: Row | undefined): string {
  return `${row?.[6]} ${row?.[1]}`
}

/** The same of the transaction that has asked, once it has written the row. */
export function willBeWrittenBy(row: Row | undefined, clockMs: number): string {
  return `${row?.[7]} ${clockMs}`
}

export class KnownGates {
  /** In how many steps in a row they have held. */
  private held = 0
  private asOf: string | null = null
  /** Which step has asked last whether they hold: the one that has the lock. One before it that ends only now has lost the lock without knowing. */
  private turn = 0
  private readonly byName = new Map<string, KnownGate>()
  private readonly byNumber = new Map<number, KnownGate>()

  /** Whether they hold for the step that has found the namespace written by this one; those that do not are forgotten. */
  hold(writer: string): boolean {
    const isHeld = this.asOf === writer
    this.held = isHeld ? this.held + 1 : 0
    this.turn++
    if (!isHeld) this.forget()
    return isHeld
  }

  /** Whether the next step need not ask beforehand. Where processes take turns, each may come twice: to ask only then costs a way to the server. */
  get isLikely(): boolean {
    return this.held >= surelyHeld
  }

  /** Of the step that has just asked. */
  get present(): number {
    return this.turn
  }

  /**
   * They are now as this writer leaves them, unless another step has come meanwhile. If nothing comes of his step, nobody will find the
   * namespace written by him.
   */
  keep(writer: string, turn: number): boolean {
    if (turn !== this.turn) return false
    this.asOf = writer
    return true
  }

  forget(): void {
    this.asOf = null
    this.byName.clear()
    this.byNumber.clear()
  }

  named(name: string): KnownGate | undefined {
    return this.byName.get(name)
  }

  numbered(number: number): KnownGate | undefined {
    return this.byNumber.get(number)
  }

  put(gate: KnownGate): void {
    this.byName.set(nameOf(gate), gate)
    this.byNumber.set(gate.number, gate)
    if (this.byName.size <= mostKnown) return
    for (const oldest of this.byName.keys()) {
      this.drop(oldest)
      break
    }
  }

  drop(name: string): void {
    const gate = this.byName.get(name)
    if (!gate) return
    this.byName.delete(name)
    this.byNumber.delete(gate.number)
  }
}

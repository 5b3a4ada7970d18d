// A gate as it is kept: two packed values, who is there and its state. The second is not packed anew where only the first has changed.

import type { GateState } from "../../../limits/index.ts"
import type { StoredGate } from "../../../store/limit-records.ts"
import { isNobody, type Row, type Sum, type Waiting } from "./demand.ts"
import { packState, unpackState } from "./gate-text.ts"
import { bytesAfter } from "./lua.ts"
import { unpackAt } from "./packed.ts"
import { cmsgpack } from "./server.ts"

export interface Kept extends Waiting {
  readonly name: string
  readonly limit: string
  readonly key: string
  state: GateState
  /** As it was read, and where the state begins; 0 where that has changed since. */
  readonly text: string
  stateFrom: number
  touchedAtMs: number
  /** Where it stands among the idle ones; 0: it does not. */
  idleSinceMs: number
  /** The types that wait there. */
  types: string[]
  hasCalls: boolean
  isNew: boolean
  isChanged: boolean
}

/** What is packed before the state. */
type Head = [number: number, touchedAtMs: number, idleSinceMs: number, types: string[], hasCalls: boolean, rows: Row[], sums: Sum[]]

/** Null where it cannot be read. */
export function unpackGate(text: string, name: string, limit: string, key: string): Kept | null {
  const [isHead, offset, head] = unpackAt(text, 0)
  if (!isHead || typeof head !== "object") return null
  const state = unpackState(text, offset)
  const [number, touchedAtMs, idleSinceMs, types, hasCalls, rows, sums] = head as Head
  if (state === null || typeof number !== "number" || typeof sums !== "object") return null
  return {
    number,
    name,
    limit,
    key,
    state,
    text,
    stateFrom: offset,
    touchedAtMs,
    idleSinceMs,
    types,
    hasCalls,
    rows,
    sums,
    more: [],
    isNew: false,
    isChanged: false,
  }
}

export function isIdle(kept: Kept): boolean {
  return kept.types.length === 0 && !kept.hasCalls && isNobody(kept)
}

export function packGate(kept: Kept): string {
  const head: Head = [kept.number, kept.touchedAtMs, kept.idleSinceMs, kept.types, kept.hasCalls, kept.rows, kept.sums]
  return `${cmsgpack.pack(head)}${kept.stateFrom > 0 ? bytesAfter(kept.text, kept.stateFrom) : packState(kept.state)}`
}

export function toStored(kept: Kept): StoredGate {
  const { number, limit, key, state, hasCalls } = kept
  return { number, limit, key, state, hasWaiters: kept.types.length > 0, hasCalls }
}

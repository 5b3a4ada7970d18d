// A gate as it is kept: packed values one behind the other, for each gate that a task passes is read and written with it.

import type { GateState } from "../../../limits/index.ts"
import { wholeState } from "../../../limits/learning/parts.ts"
import type { StoredGate } from "../../../store/limit-records.ts"
import { attempt } from "./builtins.ts"
import type { Row, Sum, Waiting } from "./demand.ts"
import { noHolders, noRates, packHolders, packRates, type Rare, unpackHolders, unpackRates } from "./gate-text.ts"
import { cmsgpack } from "./server.ts"

/** What a step sees of it, and what else is kept. */
export interface Kept extends Waiting, StoredGate {
  readonly name: string
  state: GateState
  /** As they were read, and as what: where they are the same still, they are not packed anew. */
  readonly holders: GateState["holders"]
  readonly holdersText: string | false
  readonly rates: GateState["rates"]
  readonly ratesText: string | false
  touchedAtMs: number
  /** Where it stands among the idle ones; 0: it does not. */
  idleSinceMs: number
  /** The types that wait there. */
  types: readonly string[]
  hasWaiters: boolean
  hasCalls: boolean
  isNew: boolean
  isChanged: boolean
}

const noTypes: readonly string[] = []

/**
 * How many values there are, and what: false where there is none of it. How many holders and rates there are stands beside them: without
 * them, others would pass in their place.
 */
const valueCount = 16
type Values = [
  number: number,
  touchedAtMs: number,
  idleSinceMs: number,
  types: readonly string[] | false,
  hasCalls: boolean,
  rows: Row[] | false,
  sums: Sum[] | false,
  holdUs: number,
  closedUntilUs: number,
  cooldowns: number,
  reactedAtUs: number,
  holderCount: number,
  holders: string | false,
  rateCount: number,
  rates: string | false,
  rare: Rare | false,
]

/** By its own type: that of what comes one by one is that of no list. */
const unpackValues = cmsgpack.unpack_limit as unknown as (
  this: void,
  text: string,
  limit: number,
  offset: number,
) => LuaMultiReturn<[offset: number, ...Values]>

/** Null where it cannot be read. */
export function unpackGate(text: string, name: string, limit: string, key: string): Kept | null {
  const [isSound, gate] = attempt(readGate, text, name, limit, key)
  return isSound ? gate : null
}

function readGate(this: void, text: string, name: string, limit: string, key: string): Kept | null {
  const [
    offset,
    number,
    touchedAtMs,
    idleSinceMs,
    types,
    hasCalls,
    rows,
    sums,
    holdUs,
    closedUntilUs,
    count,
    reactedAtUs,
    holderCount,
    held,
    rateCount,
    rated,
    rare,
  ] = unpackValues(text, valueCount, 0)
  if (offset !== -1 || typeof number !== "number" || rare === undefined) return null
  if (!(holdUs >= 0) || !(closedUntilUs >= 0) || !(count >= 0)) return null
  const holders = held === false ? noHolders : unpackHolders(held)
  const rates = rated === false ? noRates : unpackRates(rated)
  if (holders === null || rates === null || holders.length !== holderCount || rates.length !== rateCount) return null
  let state: GateState = { rates, holders, holdUs, closedUntilUs, cooldown: { count, reactedAtUs } }
  if (rare !== false) state = wholeState({ ...state, ...rare })
  return {
    number,
    name,
    limit,
    key,
    state,
    holders,
    holdersText: held,
    rates,
    ratesText: rated,
    touchedAtMs,
    idleSinceMs,
    types: types === false ? noTypes : types,
    hasWaiters: types !== false,
    hasCalls,
    rows: rows === false ? [] : rows,
    sums: sums === false ? [] : sums,
    more: [],
    isNew: false,
    isChanged: false,
  }
}

export function newGate(number: number, name: string, limit: string, key: string, state: GateState, nowMs: number): Kept {
  return {
    number,
    name,
    limit,
    key,
    state,
    holders: noHolders,
    holdersText: false,
    rates: noRates,
    ratesText: false,
    touchedAtMs: nowMs,
    idleSinceMs: 0,
    types: noTypes,
    hasWaiters: false,
    hasCalls: false,
    rows: [],
    sums: [],
    more: [],
    isNew: true,
    isChanged: false,
  }
}

/** Nobody waits there. */
export function isIdle({ types, hasCalls, rows, sums, more }: Kept): boolean {
  return rows.length === 0 && types.length === 0 && !hasCalls && sums.length === 0 && more.length === 0
}

export function packGate(kept: Kept): string {
  const { state, types, rows, sums } = kept
  const { holders, rates, cooldown } = state
  // Before the call: one with conditions in it is made piece by piece.
  let [holdersText, ratesText] = [kept.holdersText, kept.ratesText]
  if (holders !== kept.holders) holdersText = packHolders(holders)
  if (rates !== kept.rates) ratesText = packRates(rates)
  const typesAt = types.length > 0 && types
  const rowsAt = rows.length > 0 && rows
  const sumsAt = sums.length > 0 && sums
  const rare = rareOf(state)
  return cmsgpack.pack(
    kept.number,
    kept.touchedAtMs,
    kept.idleSinceMs,
    typesAt,
    kept.hasCalls,
    rowsAt,
    sumsAt,
    state.holdUs,
    state.closedUntilUs,
    cooldown.count,
    cooldown.reactedAtUs,
    holders.length,
    holdersText,
    rates.length,
    ratesText,
    rare,
  )
}

function rareOf({ pace, slots, window, learned, refusals }: GateState): Rare | false {
  if (!pace && !window && !learned && slots === undefined && refusals === undefined) return false
  return { pace, slots, window, learned, refusals } as Rare
}

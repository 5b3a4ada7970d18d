// Every part that a gate may have learned, empty: what a stored one has to look like. One that an older version has stored lacks the fields
// that are new since, and is made whole wherever it is read.

import type { GateState } from "../gate.ts"
import { type CostState, noCost } from "./cost.ts"
import { noFound } from "./found-window.ts"
import { noLatency } from "./latency.ts"
import type { Learned } from "./learned.ts"
import { noLinear } from "./linear.ts"
import { noMargin } from "./margin.ts"
import { noQuota } from "./quota.ts"
import { noScout } from "./scout-state.ts"
import { noSlots } from "./slots.ts"

type Parts = Required<Omit<Learned, "version" | "changedAtUs" | "costs">>

export const emptyLearned = {
  parts: {
    scout: noScout,
    found: noFound,
    linear: noLinear,
    margin: noMargin,
    quota: noQuota,
    latency: noLatency,
    slots: noSlots,
  } satisfies Parts,
  cost: noCost,
} as const

type Fields = Readonly<Record<string, number | undefined>>

interface Part {
  readonly name: keyof Parts
  readonly empty: Fields
  readonly fields: readonly string[]
}

const noFields = noCost as unknown as Fields
// Each is looked at by itself: their order does not matter.
const costFields = Object.keys(noFields)
// The same: their order does not matter.
const parts: readonly Part[] = Object.entries(emptyLearned.parts).map(([name, empty]): Part => {
  // The order does not matter.
  return { name: name as keyof Parts, empty: empty as unknown as Fields, fields: Object.keys(empty) }
})

/** What is missing is as of a gate that has learned nothing. The same state where nothing is. */
export function wholeState(state: GateState): GateState {
  const { learned } = state
  if (!learned) return state
  const whole = wholeLearned(learned)
  return whole === learned ? state : { ...state, learned: whole }
}

export function wholeLearned(learned: Learned): Learned {
  let whole = learned
  for (const { name, empty, fields } of parts) {
    const known = learned[name] as unknown as Fields | undefined
    if (known && lacksAny(known, fields)) whole = { ...whole, [name]: filled(known, empty) }
  }
  return learned.costs ? withWholeCosts(whole, learned.costs) : whole
}

function withWholeCosts(learned: Learned, costs: NonNullable<Learned["costs"]>): Learned {
  // Each for itself: their order does not matter.
  const lacking = Object.entries(costs).filter(([, cost]) => lacksAny(cost as unknown as Fields, costFields))
  if (lacking.length === 0) return learned
  const whole = { ...costs }
  for (const [type, cost] of lacking) whole[type] = filled(cost as unknown as Fields, noFields) as unknown as CostState
  return { ...learned, costs: whole }
}

function lacksAny(known: Fields, fields: readonly string[]): boolean {
  return fields.some((field) => known[field] === undefined)
}

function filled(known: Fields, empty: Fields): Fields {
  return { ...empty, ...known }
}

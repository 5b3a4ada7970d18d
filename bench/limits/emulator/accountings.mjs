// The seven ways in which providers count, by name. Each is the state of one key:
//   fits(atMs, cost), take(atMs, cost), remaining(atMs), resetMs(atMs), waitMs(atMs, cost), change(atMs, limit), capacity
// Times are the provider's and never go back. Only `take` counts anything.
import { Bucket } from "./accountings/bucket.mjs"
import { Counter } from "./accountings/counter.mjs"
import { Aligned, Anchored } from "./accountings/fixed.mjs"
import { Gcra } from "./accountings/gcra.mjs"
import { Sliding } from "./accountings/sliding.mjs"

/** A part of the window that no round number of seconds hits by accident. */
const defaultPhase = 0.371

const aligned = (budget) => new Aligned({ ...budget, offsetMs: budget.offsetMs ?? 0 })

export const accountings = {
  fixed: aligned,
  offset: (budget) => aligned({ ...budget, offsetMs: budget.offsetMs ?? Math.round(defaultPhase * budget.perMs) }),
  anchored: (budget) => new Anchored(budget),
  sliding: (budget) => new Sliding(budget),
  counter: (budget) => new Counter({ ...budget, offsetMs: budget.offsetMs ?? 0 }),
  bucket: (budget) => new Bucket(budget),
  gcra: (budget) => new Gcra(budget),
}

export function createAccounting(budget) {
  const create = accountings[budget.accounting]
  if (create) return create(budget)
  throw new Error(`accounting: expected one of ${Object.keys(accountings).join(", ")}, got "${budget.accounting}"`)
}

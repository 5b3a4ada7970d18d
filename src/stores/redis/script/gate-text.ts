// The state of a gate as it is kept: one flat row of numbers and texts. It is read and written with every gate that a task passes, and a
// row costs a third of what tables with named fields cost; a gate with a thousand holders, half. What is rare stands at its end as it is.

import type { GateState, Holder } from "../../../limits/index.ts"
import { unpackAt } from "./packed.ts"
import { cmsgpack } from "./server.ts"

type RateState = GateState["rates"][number]
type WindowState = Extract<RateState, { kind: "window" }>
type FreeTime = WindowState["free"][number]
type Flat = (number | string | boolean | object)[]
type Rare = Pick<GateState, "pace" | "slots" | "window" | "learned" | "refusals">

/** A field that is new in a state has to be packed as well: else this does not compile. */
type IsAll<T, Packed extends string> = T extends unknown ? ([Exclude<keyof T, Packed>] extends [never] ? true : never) : never
type AllIsPacked = IsAll<GateState, "rates" | "holders" | "holdUs" | "closedUntilUs" | "cooldown" | keyof Rare> &
  IsAll<Holder, "id" | "fence" | "slots" | "untilUs"> &
  IsAll<GateState["cooldown"], "count" | "reactedAtUs"> &
  IsAll<WindowState, "kind" | "perUs" | "free" | "rttMinUs" | "lagUs"> &
  IsAll<Extract<RateState, { kind: "fixed" }>, "kind" | "perUs" | "startUs" | "used"> &
  IsAll<Extract<RateState, { kind: "bucket" }>, "kind" | "perUs" | "owed" | "atUs">

const kinds: [AllIsPacked] extends [never] ? never : Readonly<Record<RateState["kind"], number>> = { window: 1, fixed: 2, bucket: 3 }
/** Where there is no number yet. */
const none = -1
/** How many values there are before the holders. */
const beforeHolders = 5

export function packState(state: GateState): string {
  const { rates, holders, holdUs, closedUntilUs, cooldown, pace, slots, window, learned, refusals } = state
  const flat: Flat = [holdUs, closedUntilUs, cooldown.count, cooldown.reactedAtUs, holders.length]
  let at = beforeHolders
  for (const { id, fence, slots: held, untilUs } of holders) {
    flat[at] = id
    flat[at + 1] = fence
    flat[at + 2] = held
    flat[at + 3] = untilUs
    at += 4
  }
  flat[at++] = rates.length
  for (const rate of rates) at = packRate(flat, at, rate)
  const hasRare = pace !== undefined || slots !== undefined || window !== undefined || learned !== undefined || refusals !== undefined
  flat[at] = hasRare ? { pace, slots, window, learned, refusals } : false
  return cmsgpack.pack(flat)
}

/** Answers with where the next may stand. */
function packRate(flat: Flat, from: number, rate: RateState): number {
  flat[from] = kinds[rate.kind]
  flat[from + 1] = rate.perUs
  if (rate.kind === "window") {
    flat[from + 2] = rate.rttMinUs ?? none
    flat[from + 3] = rate.lagUs ?? none
    flat[from + 4] = rate.free.length
    let at = from + 5
    let before = 0
    for (const [atUs, cost] of rate.free) {
      // The distance to the one before is a smaller number.
      flat[at] = atUs - before
      flat[at + 1] = cost
      before = atUs
      at += 2
    }
    return at
  }
  flat[from + 2] = rate.kind === "fixed" ? rate.startUs : rate.owed
  flat[from + 3] = rate.kind === "fixed" ? rate.used : rate.atUs
  return from + 4
}

/** Null where it cannot be read. */
export function unpackState(text: string, offset: number): GateState | null {
  const [isSound, , value] = unpackAt(text, offset)
  if (!isSound || typeof value !== "object") return null
  const flat = value as Flat
  const size = flat.length
  const [holdUs, closedUntilUs, count, reactedAtUs, held] = flat as [number, number, number, number, number]
  if (typeof held !== "number" || beforeHolders + 4 * held > size) return null
  const holders: Holder[] = []
  let at = beforeHolders
  for (let i = 0; i < held; i++) {
    const holder = { id: flat[at], fence: flat[at + 1], slots: flat[at + 2], untilUs: flat[at + 3] } as Holder
    // One without its end would hold nothing, and another would pass in its place.
    if (!(holder.untilUs >= 0) || !(holder.slots >= 0)) return null
    holders[i] = holder
    at += 4
  }
  const rates: RateState[] = []
  const rateCount = flat[at++]
  if (typeof rateCount !== "number" || rateCount > size) return null
  for (let i = 0; i < rateCount; i++) {
    const perUs = flat[at + 1] as number
    if (!(perUs > 0)) return null
    if (flat[at] === kinds.window) {
      const free: FreeTime[] = []
      const freeCount = flat[at + 4]
      if (typeof freeCount !== "number" || at + 5 + 2 * freeCount > size) return null
      const rttMinUs = flat[at + 2] === none ? null : (flat[at + 2] as number)
      const lagUs = flat[at + 3] as number
      at += 5
      let atUs = 0
      for (let j = 0; j < freeCount; j++) {
        const cost = flat[at + 1] as number
        atUs += flat[at] as number
        if (!(atUs >= 0) || !(cost >= 0)) return null
        free[j] = [atUs, cost]
        at += 2
      }
      rates[i] = lagUs === none ? { kind: "window", perUs, free, rttMinUs } : { kind: "window", perUs, free, rttMinUs, lagUs }
    } else {
      const [first, second] = [flat[at + 2] as number, flat[at + 3] as number]
      if (!(first >= 0) || !(second >= 0) || (flat[at] !== kinds.fixed && flat[at] !== kinds.bucket)) return null
      rates[i] =
        flat[at] === kinds.fixed
          ? { kind: "fixed", perUs, startUs: first, used: second }
          : { kind: "bucket", perUs, owed: first, atUs: second }
      at += 4
    }
  }
  if (at + 1 !== size || !(holdUs >= 0) || !(closedUntilUs >= 0) || !(count >= 0)) return null
  const state: GateState = { rates, holders, holdUs, closedUntilUs, cooldown: { count, reactedAtUs } }
  const rare = flat[at]
  return typeof rare === "object" ? { ...state, ...(rare as Rare) } : state
}

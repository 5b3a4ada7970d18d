// What a gate keeps of its holders and its rates, as texts of packed values one behind the other: they are unpacked without a table
// between, and a gate with a thousand holders is not packed anew where they have not changed.

import type { GateState, Holder } from "../../../limits/index.ts"
import { unpackAt, unpackFour } from "./packed.ts"
import { cmsgpack } from "./server.ts"

type RateState = GateState["rates"][number]
type WindowState = Extract<RateState, { kind: "window" }>
type FreeTime = WindowState["free"][number]
type Flat = (number | string | boolean | object)[]
/** What few gates have: packed as it is. */
export type Rare = Pick<GateState, "pace" | "slots" | "window" | "learned" | "refusals">

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

export const noHolders: readonly Holder[] = []
export const noRates: readonly RateState[] = []

/** False where there are none. */
export function packHolders(holders: readonly Holder[]): string | false {
  if (holders.length === 0) return false
  let text = ""
  for (const { id, fence, slots, untilUs } of holders) text += cmsgpack.pack(id, fence, slots, untilUs)
  return text
}

/** Null where they cannot be read. */
export function unpackHolders(text: string): readonly Holder[] | null {
  const holders: Holder[] = []
  let offset = 0
  while (offset !== -1) {
    const [isSound, next, id, fence, slots, untilUs] = unpackFour(text, offset)
    // One without its end would hold nothing, and another would pass in its place.
    if (!isSound || typeof untilUs !== "number" || typeof slots !== "number" || !(untilUs >= 0) || !(slots >= 0)) return null
    holders.push({ id, fence, slots, untilUs } as Holder)
    offset = next
  }
  return holders
}

/** False where there are none. */
export function packRates(rates: readonly RateState[]): string | false {
  if (rates.length === 0) return false
  const flat: Flat = []
  let at = 0
  for (const rate of rates) at = packRate(flat, at, rate)
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

/** Null where they cannot be read. */
export function unpackRates(text: string): readonly RateState[] | null {
  const [isSound, , value] = unpackAt(text, 0)
  if (!isSound || typeof value !== "object") return null
  const flat = value as Flat
  const size = flat.length
  const rates: RateState[] = []
  let at = 0
  while (at < size) {
    const perUs = flat[at + 1] as number
    if (typeof perUs !== "number" || !(perUs > 0)) return null
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
      rates.push(lagUs === none ? { kind: "window", perUs, free, rttMinUs } : { kind: "window", perUs, free, rttMinUs, lagUs })
    } else {
      const [first, second] = [flat[at + 2] as number, flat[at + 3] as number]
      if (!(first >= 0) || !(second >= 0) || (flat[at] !== kinds.fixed && flat[at] !== kinds.bucket)) return null
      rates.push(
        flat[at] === kinds.fixed
          ? { kind: "fixed", perUs, startUs: first, used: second }
          : { kind: "bucket", perUs, owed: first, atUs: second },
      )
      at += 4
    }
  }
  return rates
}

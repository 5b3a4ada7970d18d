// A rate that rolls, as gate-text.ts packs it: charged, settled and looked at on its bytes, as src/limits/window.ts does on its state.

import type { RatePolicy } from "../../../../limits/index.ts"
import { echoAtUs } from "../../../../limits/window.ts"
import { arrayAt, arrayHead, pack, packWhole, sub, unpackFive, unpackFour, unpackList, unpackOne, unpackTwo } from "./bytes.ts"

/** What stands before the free times: kind, length, shortest answer, lag and how many there are. */
const rateHead = 5

/** The rate with one more charge; null where it does not fit, or is no rate that rolls. */
export function chargedRate(rate: RatePolicy, text: string, nowUs: number, freeAtUs: number, cost: number): string | null {
  const [size, headBytes] = arrayAt(text, 1)
  const [behind, kind, perUs, , lag] = unpackFour(text, 4, headBytes)
  if (kind !== 1 || perUs !== rate.perUs || lag === undefined) return null
  let [offset, count] = unpackOne(text, 1, behind)
  if (size !== rateHead + 2 * (count as number)) return null
  let [used, atUs, live, from, firstUs, lastAt] = [0, 0, 0, 0, 0, 0]
  let lastCost = 0
  // In their order: those that are over, and those that still count.
  while (offset !== -1) {
    const [next, after, charged] = unpackTwo(text, 2, offset)
    atUs += after as number
    if (atUs > nowUs) {
      if (live === 0) {
        firstUs = atUs
        from = offset
      }
      live++
      used += charged as number
      lastAt = offset
      lastCost = charged as number
    }
    offset = next
  }
  // Times are charged in their order, but where a policy was changed.
  if (used + cost > rate.limit || (live > 0 && atUs > freeAtUs)) return null
  const head = sub(text, headBytes + 1, behind)
  if (live === 0) return arrayHead(rateHead + 2) + head + packWhole(1) + pack(freeAtUs) + packWhole(cost)
  const [rest] = unpackOne(text, 1, from)
  const isSame = atUs === freeAtUs
  count = isSame ? live : live + 1
  const opening = arrayHead(rateHead + 2 * (count as number)) + head + packWhole(count as number) + pack(firstUs)
  if (!isSame) return opening + sub(text, rest + 1) + packWhole(freeAtUs - atUs) + packWhole(cost)
  const [last] = unpackOne(text, 1, lastAt)
  return opening + sub(text, rest + 1, last) + packWhole(lastCost + cost)
}

/** The rate once a charge is known to have been right; null where that was moved or is not there. */
export function settledRate(rate: RatePolicy, text: string, nowUs: number, freeAtUs: number, cost: number): string | null {
  if (freeAtUs <= nowUs) return text
  const [size, headBytes] = arrayAt(text, 1)
  let [offset, kind, perUs, , , count] = unpackFive(text, 5, headBytes)
  if (kind !== 1 || perUs !== rate.perUs || size !== rateHead + 2 * (count as number)) return null
  let atUs = 0
  let isThere = false
  let isOver = false
  while (offset !== -1) {
    const [next, after, charged] = unpackTwo(text, 2, offset)
    atUs += after as number
    if (atUs <= nowUs) isOver = true
    if (atUs === freeAtUs && (charged as number) >= cost) isThere = true
    offset = next
  }
  if (!isThere) return null
  return isOver ? pruned(unpackList(text, size, headBytes) as number[], size, nowUs) : text
}

function pruned(flat: readonly number[], size: number, nowUs: number): string {
  const live: number[] = [flat[0] as number, flat[1] as number, flat[2] as number, flat[3] as number, 0]
  let [atUs, before, to] = [0, 0, rateHead]
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs <= nowUs) continue
    live[to] = atUs - before
    live[to + 1] = flat[i + 1] as number
    before = atUs
    to += 2
  }
  live[4] = (to - rateHead) / 2
  return pack(live)
}

/** Null where it is no rate that rolls, or was one of another length: what that has let through counts for longer, or no more. */
export function usedOf(rate: RatePolicy, text: string, nowUs: number): number | null {
  const [size, headBytes] = arrayAt(text, 1)
  const flat = unpackList(text, size, headBytes) as number[]
  if (flat[0] !== 1 || flat[1] !== rate.perUs) return null
  let [used, atUs] = [0, 0]
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs > nowUs) used += flat[i + 1] as number
  }
  return used
}

/** When it was sent and answered, where that is told. */
export interface Echoed {
  readonly admittedAtUs: number
  readonly sentAtUs: number | null
  readonly respondedAtUs: number | null
}

/** The charge moved to when the other side can have counted it; null where it is no rate that rolls, or the charge is not there. `fromUs`: when it would be free. */
export function echoedRate(rate: RatePolicy, text: string, nowUs: number, fromUs: number, echoed: Echoed, cost: number): string | null {
  const [size, headBytes] = arrayAt(text, 1)
  const flat = unpackList(text, size, headBytes) as number[]
  const [kind, perUs, rttMin, lag] = flat as [number, number, number, number]
  if (kind !== 1 || perUs !== rate.perUs) return null
  if (fromUs <= nowUs) return text
  const { admittedAtUs, respondedAtUs } = echoed
  const rttMinUs = rttMin < 0 ? null : rttMin
  const toUs = echoAtUs(rate, { kind: "window", perUs, free: [], rttMinUs }, echoed)
  const times: number[] = []
  const costs: number[] = []
  let atUs = 0
  let isThere = false
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    times.push(atUs)
    costs.push(flat[i + 1] as number)
    if (atUs === fromUs && (flat[i + 1] as number) >= cost) isThere = true
  }
  // It was charged while another policy held: src/limits knows where to look for it.
  if (!isThere) return null
  charge(times, costs, fromUs, -cost)
  charge(times, costs, toUs, cost)
  const live: number[] = [1, perUs, rttMin, lag, 0]
  if (respondedAtUs !== null) {
    const lagUs = Math.max(0, toUs - perUs - admittedAtUs)
    live[3] = lag < 0 ? lagUs : lag + Math.trunc((lagUs - lag) / 16)
  }
  let [before, to] = [0, rateHead]
  for (let i = 0; i < times.length; i++) {
    const time = times[i] as number
    if (time <= nowUs) continue
    live[to] = time - before
    live[to + 1] = costs[i] as number
    before = time
    to += 2
  }
  live[4] = (to - rateHead) / 2
  return pack(live)
}

function charge(times: number[], costs: number[], atUs: number, cost: number): void {
  let place = 0
  while (place < times.length && (times[place] as number) < atUs) place++
  const isThere = times[place] === atUs
  const total = (isThere ? (costs[place] as number) : 0) + cost
  if (isThere && total > 0) costs[place] = total
  else if (isThere) {
    times.splice(place, 1)
    costs.splice(place, 1)
  } else if (total > 0) {
    times.splice(place, 0, atUs)
    costs.splice(place, 0, total)
  }
}

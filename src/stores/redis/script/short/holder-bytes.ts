// Who holds the slots of a gate, as gate-text.ts packs them: one more, one less, and how many, on the bytes. What is answered has their count
// before them, as a gate keeps it.

import type { SettleRequest } from "../../../../store/exchange-contract.ts"
import { falses, pack, sub, unpackFour } from "./bytes.ts"
import type { Passing } from "./gate.ts"

export const noHolder = pack(0) + falses(1)

/** With one more, packed; null where there is no room. Those whose lease has ended hold nothing any more. */
export function withHolder(held: unknown, concurrency: number, nowUs: number, { id, untilUs }: Passing, slots: number): string | null {
  const holders = held === false ? "" : (held as string)
  let live = ""
  let [taken, count, offset] = [0, 0, held === false ? -1 : 0]
  while (offset !== -1) {
    const [next, , , own, endUs] = unpackFour(holders, 4, offset)
    if ((endUs as number) > nowUs) {
      taken += own as number
      count++
      live += sub(holders, offset + 1, next)
    }
    offset = next
  }
  return taken + slots > concurrency ? null : pack(count + 1, live + pack(id, 1, slots, untilUs))
}

/** Without one, packed; null where it is not there. */
export function withoutHolder(holders: string, count: number, { id, fence }: SettleRequest): string | null {
  let offset = 0
  while (offset !== -1) {
    const [next, holder, its] = unpackFour(holders, 4, offset)
    if (holder === id && its === fence) {
      const left = sub(holders, 1, offset) + (next === -1 ? "" : sub(holders, next + 1))
      return count === 1 ? noHolder : pack(count - 1, left)
    }
    offset = next
  }
  return null
}

export function heldOf(held: unknown, nowUs: number): number {
  let [taken, offset] = [0, held === false ? -1 : 0]
  while (offset !== -1) {
    const [next, , , own, endUs] = unpackFour(held as string, 4, offset)
    if ((endUs as number) > nowUs) taken += own as number
    offset = next
  }
  return taken
}

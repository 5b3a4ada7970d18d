// What a gate hears in these tests: an answer that has nothing to say but what is given.

import type { Heard } from "../../../src/limits/index.ts"

export const startUs = 1_769_601_600_000_000
export const second = 1_000_000
export const minute = 60 * second

export function answer(kind: Heard["kind"], sentAtUs: number, given: Partial<Heard> = {}): Heard {
  return {
    kind,
    sentAtUs,
    respondedAtUs: null,
    cost: 1,
    delayUs: 0,
    reason: "rate",
    retryAfterUs: null,
    quota: null,
    random: 0,
    ...given,
  }
}

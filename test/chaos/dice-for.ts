// Dice of its own for each name, so that one process more or less does not change what the others throw.

import { Dice } from "../../src/testing/dice.ts"

export function seedFor(seed: number, name: string): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}

export const diceFor = (seed: number, name: string): Dice => new Dice(seedFor(seed, name))

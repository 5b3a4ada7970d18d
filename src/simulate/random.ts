// Chance that follows from a seed. Streams of one seed do not disturb each other: what one part draws changes nothing of what
// another gets.

export type Random = () => number

/** Mulberry32: small, and good enough to draw by. In [0, 1). */
export function randomFrom(seed: number, stream: number): Random {
  let state = Math.imul(seed ^ Math.imul(stream + 1, 0x9e3779b9), 0x85ebca6b)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Of the standard normal distribution (Box and Muller). */
export function normalFrom(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

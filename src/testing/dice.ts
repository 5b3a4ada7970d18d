// Chance that follows from a seed: the same seed gives the same throws, everywhere.

export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** Mulberry32: small, and good enough to choose by. In [0, 1). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.random() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.random() * 256))
  }

  /** Dice of their own, so that what one part throws does not change what another one gets. */
  fork(): Dice {
    return new Dice(Math.floor(this.random() * 4_294_967_296))
  }
}

// The best of many, where only the best are read.

/** Something with a place in an order that changes as its tasks are taken; null once it is empty. */
export interface Ranked<T> {
  compare(other: T): number
  isEmpty(): boolean
}

/**
 * The best of rows that are stored in order, read in pieces and re-ranked as they are used. What was not read yet ranks
 * behind the last row that was, as it was when it was read: `mark` remembers that.
 */
export class Frontier<T extends Ranked<T>> {
  private readonly read: T[] = []
  private loaded = 0
  private size = 2
  private ended = false
  private isBehind: (item: T) => boolean = () => true
  private readonly load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }

  constructor(load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }) {
    this.load = load
  }

  best(): T | null {
    for (;;) {
      let best: T | null = null
      for (const item of this.read) if (!item.isEmpty() && (!best || item.compare(best) < 0)) best = item
      if (this.ended || (best && !this.isBehind(best))) return best
      const { items, isBehind } = this.load(this.loaded, this.size)
      this.loaded += items.length
      this.ended = items.length < this.size
      this.size = Math.min(this.size * 2, 32)
      this.isBehind = isBehind
      this.read.push(...items)
    }
  }

  isAlone(): boolean {
    return this.ended && this.read.length === 1
  }
}

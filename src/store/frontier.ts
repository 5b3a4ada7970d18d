// The best of many, where only the best are read.

/** Something with a place in an order that changes as its tasks are taken. */
export interface Ranked<T> {
  compare(other: T): number
  isEmpty(): boolean
}

/**
 * The best of rows that are stored in order, read in pieces and re-ranked as they are used. What was not read yet ranks
 * behind the last row that was, as it was when it was read: `isBehind` remembers that. Whoever was best may have changed since; nobody
 * else has. So they are kept as a heap, of which only the top is looked at again.
 */
export class Frontier<T extends Ranked<T>> {
  private readonly heap: T[] = []
  private loaded = 0
  private size = 2
  private ended = false
  private isBehind: (item: T) => boolean = () => true
  /** The best, for as long as nobody says that it has changed. */
  private known: T | null = null
  private readonly load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }

  constructor(load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }) {
    this.load = load
  }

  best(): T | null {
    if (this.known) return this.known
    for (;;) {
      const best = this.top()
      if (this.ended || (best && !this.isBehind(best))) {
        this.known = best
        return best
      }
      const { items, isBehind } = this.load(this.loaded, this.size)
      this.loaded += items.length
      this.ended = items.length < this.size
      this.size = Math.min(this.size * 2, 32)
      this.isBehind = isBehind
      for (const item of items) if (!item.isEmpty()) this.add(item)
    }
  }

  /** Whoever was best is another now, or ranks elsewhere. */
  changed(): void {
    this.known = null
  }

  isAlone(): boolean {
    return this.ended && this.heap.length === 1
  }

  private top(): T | null {
    for (;;) {
      const first = this.heap[0]
      if (!first) return null
      if (!first.isEmpty()) {
        this.sink(first)
        return this.heap[0] ?? null
      }
      const last = this.heap.pop()
      if (last && last !== first) this.heap[0] = last
    }
  }

  private add(item: T): void {
    let at = this.heap.length
    this.heap.push(item)
    while (at > 0) {
      const above = Math.floor((at - 1) / 2)
      const parent = this.heap[above] as T
      if (item.compare(parent) >= 0) break
      this.heap[at] = parent
      this.heap[above] = item
      at = above
    }
  }

  /** The first goes down to where it belongs now. */
  private sink(item: T): void {
    const count = this.heap.length
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= count) return
      const right = below + 1
      if (right < count && (this.heap[right] as T).compare(this.heap[below] as T) < 0) below = right
      const child = this.heap[below] as T
      if (child.compare(item) >= 0) return
      this.heap[at] = child
      this.heap[below] = item
      at = below
    }
  }
}

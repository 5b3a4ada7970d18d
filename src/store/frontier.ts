// The best of many, where only the best are read.

/** Something with a place in an order that changes as its tasks are taken. */
export interface Ranked<T> {
  /** Reads what its place depends on, where that has changed: before the others are asked. */
  refresh(): void
  compare(other: T): number
  isEmpty(): boolean
}

/**
 * The best of rows that are stored in order, read in pieces and re-ranked as they are used. What was not read yet ranks
 * behind the last row that was, as it was when it was read: `isBehind` remembers that. Whoever was best may have changed since; nobody
 * else has. So those that came in order stay in the line that they came in until they are used; the others are kept as a heap, of
 * which only the top is looked at again.
 */
export class Frontier<T extends Ranked<T>> {
  /** In order, and as they came; those before `at` have left. */
  private line: T[] = []
  private at = 0
  private readonly heap: T[] = []
  private loaded = 0
  private size = 2
  private ended = false
  private isBehind: (item: T) => boolean = () => true
  /** The best, for as long as nobody says that it has changed. */
  known: T | null = null
  /** The best that was, and has changed: it has no place yet. */
  private used: T | null = null
  private readonly load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }

  constructor(load: (skip: number, limit: number) => { items: T[]; isBehind: (item: T) => boolean }) {
    this.load = load
  }

  best(): T | null {
    if (this.known) return this.known
    const { used } = this
    if (used) {
      used.refresh()
      // Alone, it is the best wherever it ranks now.
      if (this.isAlone() && !used.isEmpty()) {
        this.known = used
        return used
      }
      this.putBack(used)
    }
    for (;;) {
      const best = this.first()
      if (this.ended || (best && !this.isBehind(best))) {
        this.known = best
        return best
      }
      const { items, isBehind } = this.load(this.loaded, this.size)
      this.loaded += items.length
      this.ended = items.length < this.size
      this.size = Math.min(this.size * 2, 32)
      this.isBehind = isBehind
      for (const item of items) {
        item.refresh()
        if (!item.isEmpty()) this.add(item)
      }
    }
  }

  /** Whoever was best is another now, or ranks elsewhere. */
  changed(): void {
    this.used = this.known ?? this.used
    this.known = null
  }

  isAlone(): boolean {
    return this.ended && this.line.length - this.at + this.heap.length === 1
  }

  private first(): T | null {
    const next = this.line[this.at] ?? null
    const top = this.heap[0]
    return top && (!next || top.compare(next) < 0) ? top : next
  }

  private putBack(item: T): void {
    this.used = null
    if (this.line[this.at] === item) {
      this.at++
      if (!item.isEmpty()) this.rise(item)
    } else if (!item.isEmpty()) this.sink(item)
    else {
      const last = this.heap.pop()
      if (!last || last === item) return
      this.heap[0] = last
      this.sink(last)
    }
  }

  private add(item: T): void {
    if (this.at >= this.line.length) {
      this.line = [item]
      this.at = 0
      return
    }
    const last = this.line[this.line.length - 1] as T
    if (item.compare(last) < 0) this.rise(item)
    else this.line.push(item)
  }

  /** A new one goes up from the end to where it belongs. */
  private rise(item: T): void {
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

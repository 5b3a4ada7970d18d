// A set that is kept in order: a list of short sorted lists, so that adding and removing move a few hundred items at most.

const longest = 512

export class SortedSet<T> {
  private readonly chunks: T[][] = []
  private readonly compare: (a: T, b: T) => number
  private count = 0

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare
  }

  get size(): number {
    return this.count
  }

  first(): T | undefined {
    return this.chunks[0]?.[0]
  }

  add(item: T): void {
    const c = Math.min(this.chunkFor(item), Math.max(0, this.chunks.length - 1))
    const chunk = this.chunks[c]
    this.count++
    if (!chunk) {
      this.chunks.push([item])
      return
    }
    chunk.splice(this.placeIn(chunk, item), 0, item)
    if (chunk.length > longest) this.chunks.splice(c + 1, 0, chunk.splice(longest / 2))
  }

  /** Removes the item that compares as equal; answers whether there was one. */
  delete(item: T): boolean {
    const c = this.chunkFor(item)
    const chunk = this.chunks[c]
    const at = chunk ? this.placeIn(chunk, item) : 0
    const found = chunk?.[at]
    if (!chunk || found === undefined || this.compare(found, item) !== 0) return false
    chunk.splice(at, 1)
    if (chunk.length === 0) this.chunks.splice(c, 1)
    this.count--
    return true
  }

  /** In order, `skip` left out. */
  *from(skip = 0): Generator<T> {
    let left = skip
    for (const chunk of this.chunks) {
      if (left >= chunk.length) left -= chunk.length
      else {
        for (let i = left; i < chunk.length; i++) yield chunk[i] as T
        left = 0
      }
    }
  }

  slice(skip: number, limit: number): T[] {
    const items: T[] = []
    if (limit <= 0) return items
    for (const item of this.from(skip)) {
      items.push(item)
      if (items.length >= limit) break
    }
    return items
  }

  /** How many items come before the given one. */
  countBefore(item: T): number {
    const c = this.chunkFor(item)
    let count = 0
    for (let i = 0; i < Math.min(c, this.chunks.length); i++) count += (this.chunks[i] as T[]).length
    const chunk = this.chunks[c]
    return chunk ? count + this.placeIn(chunk, item) : count
  }

  /** The first items for which the test holds; the test must hold for a prefix. */
  takeWhile(test: (item: T) => boolean, limit: number): T[] {
    const items: T[] = []
    if (limit <= 0) return items
    for (const item of this.from()) {
      if (!test(item)) break
      items.push(item)
      if (items.length >= limit) break
    }
    return items
  }

  /** Backwards, starting with the last item before the given one. */
  *before(item: T | null): Generator<T> {
    let c = item === null ? this.chunks.length - 1 : Math.min(this.chunkFor(item), this.chunks.length - 1)
    let at = item === null || c < 0 ? Number.POSITIVE_INFINITY : this.placeIn(this.chunks[c] as T[], item)
    for (; c >= 0; c--) {
      const chunk = this.chunks[c] as T[]
      for (let i = Math.min(at, chunk.length) - 1; i >= 0; i--) yield chunk[i] as T
      at = Number.POSITIVE_INFINITY
    }
  }

  /** Forwards, starting with the given one, or the first behind it. */
  *after(item: T): Generator<T> {
    let c = this.chunkFor(item)
    let at = c < this.chunks.length ? this.placeIn(this.chunks[c] as T[], item) : 0
    for (; c < this.chunks.length; c++) {
      const chunk = this.chunks[c] as T[]
      for (let i = at; i < chunk.length; i++) yield chunk[i] as T
      at = 0
    }
  }

  /** The first chunk whose last item is not before the given one. */
  private chunkFor(item: T): number {
    let [low, high] = [0, this.chunks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.compare((this.chunks[middle] as T[]).at(-1) as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  private placeIn(chunk: readonly T[], item: T): number {
    let [low, high] = [0, chunk.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.compare(chunk[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

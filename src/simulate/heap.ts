// A binary heap: whatever comes before all others is at its top.

export class Heap<T> {
  private readonly items: T[] = []
  private readonly isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore
  }

  get size(): number {
    return this.items.length
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    const { items } = this
    let i = items.push(item) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = items[parent] as T
      if (!this.isBefore(item, above)) break
      items[i] = above
      i = parent
    }
    items[i] = item
  }

  pop(): T | undefined {
    const { items } = this
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.isBefore(items[child + 1] as T, items[child] as T)) child++
      if (!this.isBefore(items[child] as T, last)) break
      items[i] = items[child] as T
      i = child
    }
    items[i] = last
    return first
  }
}

// Virtual time: what is to happen, in the order of its time. Time stands still until it is moved to the next thing.

import type { Timer } from "../world/index.ts"

interface Entry {
  readonly dueMs: number
  readonly order: number
  /** Null once it was cancelled or has happened. */
  run: (() => void) | null
}

export class Timeline {
  nowMs = 0
  /** How many things wait for their time. */
  size = 0
  private made = 0
  /** A binary heap; what was cancelled stays until it comes up. */
  private readonly heap: Entry[] = []

  at(dueMs: number, run: () => void): Timer {
    const entry: Entry = { dueMs: Math.max(dueMs, this.nowMs), order: this.made++, run }
    this.push(entry)
    this.size++
    return {
      cancel: () => {
        if (entry.run) this.size--
        entry.run = null
      },
    }
  }

  /** When the next thing is due; null where nothing is. */
  nextAtMs(): number | null {
    for (let first = this.heap[0]; first; first = this.heap[0]) {
      if (first.run) return first.dueMs
      this.pop()
    }
    return null
  }

  /** Moves time to the next thing and lets it happen. */
  step(): void {
    if (this.nextAtMs() === null) return
    const entry = this.pop() as Entry
    const { run } = entry
    entry.run = null
    this.nowMs = entry.dueMs
    this.size--
    run?.()
  }

  private push(entry: Entry): void {
    const { heap } = this
    let i = heap.push(entry) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!isBefore(entry, heap[parent] as Entry)) break
      heap[i] = heap[parent] as Entry
      i = parent
    }
    heap[i] = entry
  }

  private pop(): Entry | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++
      if (!isBefore(heap[child] as Entry, last)) break
      heap[i] = heap[child] as Entry
      i = child
    }
    heap[i] = last
    return first
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)
}

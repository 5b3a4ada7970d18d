// The task that waits the longest. It is looked for from the oldest on, a bounded number at a time, and what was found to hold nothing that
// waits is not looked at again for a while: the mark moves on with the queue.

import { type Queue, Task } from "../queue/index.ts"

const pagesAtOnce = 5
/** A task that was run again by hand stands before the mark. */
const lookAnewAfterMs = 60_000

export class OldestWaiting {
  private readonly queue: Queue
  private afterSeq = 0
  private beganAtMs = 0

  constructor(queue: Queue) {
    this.queue = queue
  }

  /** Null: none waits, or none was found yet. */
  async find(): Promise<Task | null> {
    const nowMs = this.queue.world.monotonicMs()
    if (nowMs - this.beganAtMs > lookAnewAfterMs) {
      this.afterSeq = 0
      this.beganAtMs = nowMs
    }
    for (let page = 0; page < pagesAtOnce; page++) {
      const { first, nextAfterSeq, isEnd } = await this.queue.store.waiting({ afterSeq: this.afterSeq, expiringWithinMs: 0, limit: 0 })
      this.afterSeq = nextAfterSeq
      if (first) return new Task(first)
      if (isEnd) break
    }
    return null
  }
}

// News of a store as a number that grows: whoever knows the number can be told later whether anything has happened since, however long
// his question was under way. One wait on the store for everybody who asks here.

import type { Store } from "../store/index.ts"
import { randomHex, sleep, type World } from "../world/index.ts"

const retryAfterMs = 500

export class News {
  /** Which count this is: that of another process, or of this one before it was started again, says nothing. */
  readonly instance: string
  private readonly store: Store
  private readonly world: World
  private readonly stopped = new AbortController()
  private readonly waiters = new Set<() => void>()
  private number = 0
  private isStarted = false

  constructor(store: Store, world: World) {
    this.store = store
    this.world = world
    this.instance = randomHex(world, 8)
  }

  /** Grows after something may have become claimable or cancelled. */
  get count(): number {
    if (!this.isStarted) {
      this.isStarted = true
      void this.follow()
    }
    return this.number
  }

  /** How many wait for more. */
  get waiting(): number {
    return this.waiters.size
  }

  /** Resolves when the count is above `since`, when the time is over or when the signal fires. */
  async past(since: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.count > since || signal.aborted || this.stopped.signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        timer.cancel()
        this.waiters.delete(done)
        signal.removeEventListener("abort", done)
        resolve()
      }
      const timer = this.world.timer(withinMs, done)
      this.waiters.add(done)
      signal.addEventListener("abort", done, { once: true })
    })
  }

  close(): void {
    this.stopped.abort()
    this.tell()
  }

  /** Asked for again before the count grows: what happens in between is told by this very step. */
  private async follow(): Promise<void> {
    const { signal } = this.stopped
    const ask = () => this.store.wait({ workerId: `server-${this.instance}` }, signal).catch(() => sleep(this.world, retryAfterMs, signal))
    let asked = ask()
    while (!signal.aborted) {
      await asked
      asked = ask()
      this.number++
      this.tell()
      // What comes in the same turn is one piece of news.
      await new Promise<void>((resolve) => this.world.turn(resolve))
    }
  }

  private tell(): void {
    for (const waiter of [...this.waiters]) waiter()
  }
}

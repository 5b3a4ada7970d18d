// Looks whether the log goes on, for those who wait for work and for those who want to see the latest. Idle, it looks ever more rarely; what
// this process writes itself wakes at once. Looking costs one request, however many wait for it.

import { Waiters } from "../../store/waiters.ts"
import type { Timer, World } from "../../world/index.ts"
import type { Log } from "./log.ts"

const firstPauseMs = 20
const slower = 1.5

export class Watcher {
  private readonly log: Log
  private readonly world: World
  private readonly longestPauseMs: number
  private readonly waiters = new Waiters()
  private waiting = 0
  private pauseMs = firstPauseMs
  /** When this process has last applied a record, or seen for itself that there is none. */
  private followedAtMs = Number.NEGATIVE_INFINITY
  private timer: Timer | null = null
  private looking: Promise<void> | null = null
  private next: Promise<void> | null = null
  private isClosed = false

  constructor(log: Log, world: World, longestPauseMs: number) {
    this.log = log
    this.world = world
    this.longestPauseMs = longestPauseMs
  }

  /** Resolves when the log's end was read after this was called. */
  latest(): Promise<void> {
    if (!this.looking) return this.lookNow()
    this.next ??= this.looking.then(
      () => this.lookNext(),
      () => this.lookNext(),
    )
    return this.next
  }

  async wait(signal: AbortSignal): Promise<void> {
    this.waiting++
    this.arm()
    try {
      await this.waiters.wait(signal)
    } finally {
      this.waiting--
      if (this.waiting === 0) this.disarm()
    }
  }

  /** A record was applied. */
  heard(hasNews: boolean): void {
    this.followedAtMs = this.world.monotonicMs()
    // What is no news (a worker that says that it is there) leaves everybody where he is.
    if (!hasNews) return
    this.pauseMs = firstPauseMs
    if (this.timer) {
      this.disarm()
      this.arm()
    }
    this.waiters.wake()
  }

  /** Who waits for its number has looked, and found nothing new. */
  sawEnd(): void {
    this.followedAtMs = this.world.monotonicMs()
  }

  close(): void {
    this.isClosed = true
    this.disarm()
    this.waiters.wake()
  }

  private lookNext(): Promise<void> {
    this.next = null
    return this.lookNow()
  }

  private lookNow(): Promise<void> {
    const looking = this.log.catchUp().finally(() => {
      this.looking = null
    })
    this.looking = looking
    return looking
  }

  private arm(): void {
    if (this.timer || this.isClosed || this.waiting === 0) return
    // Not all together: a fleet that was woken by one record would stay together for ever.
    const pauseMs = Math.ceil(this.pauseMs * (0.8 + 0.2 * this.world.random()))
    this.pauseMs = Math.min(this.longestPauseMs, this.pauseMs * slower)
    this.pollAfter(pauseMs, pauseMs)
  }

  private pollAfter(delayMs: number, pauseMs: number): void {
    this.timer = this.world.timer(delayMs, () => {
      // Whoever writes, or waits for its turn, has followed the log meanwhile.
      const leftMs = Math.ceil(this.followedAtMs + pauseMs - this.world.monotonicMs())
      if (leftMs > 0) this.pollAfter(leftMs, pauseMs)
      else void this.poll()
    })
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private async poll(): Promise<void> {
    this.timer = null
    // A server that is away is noticed by those who ask it something.
    await this.latest().catch(() => {})
    this.arm()
  }
}

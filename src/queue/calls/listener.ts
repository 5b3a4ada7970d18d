// Hears from the store that something has changed, while calls of this process stand in line. Nobody else is listened for.

import type { Store } from "../../store/index.ts"
import { sleep, type World } from "../../world/index.ts"

/** News is for everybody: where the last was for others, one may wait a little to see what the next is. */
const unlessForUsMs = 25
const afterErrorMs = 500

export class Listener {
  /** When to look, on the monotonic clock. */
  newsAtMs = Number.POSITIVE_INFINITY
  private readonly store: Pick<Store, "wait">
  private readonly world: World
  private readonly ownerId: string
  private readonly wake: () => void
  private stopper: AbortController | null = null
  private lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, "wait">, world: World, ownerId: string, wake: () => void) {
    this.store = store
    this.world = world
    this.ownerId = ownerId
    this.wake = wake
  }

  /** A hold goes out, which will tell what there is to know. */
  heard(): void {
    this.lookedAtMs = this.world.monotonicMs()
    this.newsAtMs = Number.POSITIVE_INFINITY
  }

  /** Listens from now on, or no longer. What has happened before it began is looked for once more. */
  keep(isListening: boolean): void {
    if (!isListening) this.stop()
    else if (!this.stopper) {
      this.stopper = new AbortController()
      void this.listen(this.stopper.signal)
      this.newsAtMs = this.world.monotonicMs()
    }
  }

  stop(): void {
    this.stopper?.abort()
    this.stopper = null
  }

  private async listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.store.wait({ workerId: this.ownerId }, signal)
      } catch {
        // The store is away: whoever asks it is told.
        await sleep(this.world, afterErrorMs, signal)
      }
      if (signal.aborted) return
      this.newsAtMs = Math.min(this.newsAtMs, Math.max(this.world.monotonicMs(), this.lookedAtMs + unlessForUsMs))
      this.wake()
    }
  }
}

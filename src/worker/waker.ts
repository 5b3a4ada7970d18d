// A sleeper that remembers being called: a wake-up that comes while nobody sleeps ends the next sleep at once.

import type { Timer, World } from "../world/index.ts"

export class Waker {
  private readonly world: World
  private called = false
  private sleeper: (() => void) | null = null

  constructor(world: World) {
    this.world = world
  }

  wake(): void {
    this.called = true
    this.sleeper?.()
    this.sleeper = null
  }

  /** Until woken, or until the time on the monotonic clock; null means until woken. */
  async sleepUntil(untilMs: number | null): Promise<void> {
    if (!this.called) {
      await new Promise<void>((resolve) => {
        let timer: Timer | null = null
        this.sleeper = () => {
          timer?.cancel()
          resolve()
        }
        if (untilMs !== null) timer = this.world.timer(Math.max(0, untilMs - this.world.monotonicMs()), this.sleeper)
      })
      this.sleeper = null
    }
    this.called = false
  }
}

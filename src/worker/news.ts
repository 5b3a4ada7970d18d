// Tells those who wait that something may have changed in the store.

import type { World } from "../world/index.ts"

export class News {
  private readonly waiting = new Set<() => void>()

  tell(): void {
    for (const heard of [...this.waiting]) heard()
  }

  /** Until there is news, the time is over, or the signal fires. */
  wait(world: World, withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel()
        this.waiting.delete(done)
        signal.removeEventListener("abort", done)
        resolve()
      }
      const timer = world.timer(withinMs, done)
      this.waiting.add(done)
      signal.addEventListener("abort", done, { once: true })
    })
  }
}

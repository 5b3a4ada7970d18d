// Watches one time of every run on the monotonic clock, with one timer for all: when its lease can no longer be relied on, or when it has
// run for too long. Not part of the worker's loop: it must work while the store does not answer.

import type { Timer, World } from "../world/index.ts"
import type { Run } from "./run.ts"

export interface Watched {
  /** Those that are under way. */
  all(): readonly Run[]
  endOf(run: Run): number
  over(run: Run): void
}

export class RunWatch {
  private readonly world: World
  private readonly watched: Watched
  private timer: Timer | null = null
  private firesAtMs = Number.POSITIVE_INFINITY

  constructor(world: World, watched: Watched) {
    this.world = world
    this.watched = watched
  }

  /** Times are only ever put off, so a timer that is armed already fires early enough, and looks again. */
  watch(endsAtMs: number): void {
    if (endsAtMs >= this.firesAtMs) return
    this.timer?.cancel()
    this.firesAtMs = endsAtMs
    this.timer = this.world.timer(Math.max(0, endsAtMs - this.world.monotonicMs()), () => this.look())
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
    this.firesAtMs = Number.POSITIVE_INFINITY
  }

  private look(): void {
    this.stop()
    const nowMs = this.world.monotonicMs()
    for (const run of this.watched.all()) {
      const endsAtMs = this.watched.endOf(run)
      if (nowMs >= endsAtMs) this.watched.over(run)
      else this.watch(endsAtMs)
    }
  }
}

// Watches the leases on the monotonic clock. Not part of the worker's loop: it must work while the store does not answer.

import type { Timer, World } from "../world/index.ts"
import type { Run } from "./run.ts"

export class LeaseWatch {
  private readonly world: World
  private readonly runs: ReadonlyMap<string, Run>
  private readonly lose: (run: Run) => void
  private timer: Timer | null = null
  private firesAtMs = Number.POSITIVE_INFINITY

  constructor(world: World, runs: ReadonlyMap<string, Run>, lose: (run: Run) => void) {
    this.world = world
    this.runs = runs
    this.lose = lose
  }

  /** Leases are only ever renewed, so a timer that is armed already fires early enough, and looks again. */
  watch(leaseEndsAtMs: number): void {
    if (leaseEndsAtMs >= this.firesAtMs) return
    this.timer?.cancel()
    this.firesAtMs = leaseEndsAtMs
    this.timer = this.world.timer(Math.max(0, leaseEndsAtMs - this.world.monotonicMs()), () => this.look())
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
    this.firesAtMs = Number.POSITIVE_INFINITY
  }

  private look(): void {
    this.stop()
    const nowMs = this.world.monotonicMs()
    for (const run of [...this.runs.values()]) {
      if (nowMs >= run.leaseEndsAtMs) this.lose(run)
      else this.watch(run.leaseEndsAtMs)
    }
  }
}

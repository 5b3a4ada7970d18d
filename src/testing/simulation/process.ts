// A simulated process: a world with a clock of its own that is wrong and runs at its own speed. What is to happen in it waits while it
// is paused, and never happens once it is killed.

import { systemWorld, type Timer, type World } from "../../world/index.ts"
import type { Dice } from "../dice.ts"
import type { Timeline } from "../timeline.ts"

export interface Clock {
  readonly startMs: number
  /** How many of its milliseconds go by in one of everybody's. */
  readonly speed: number
}

export class SimulatedProcess implements World {
  readonly fetch = systemWorld.fetch
  readonly id: string
  isAlive = true
  private readonly timeline: Timeline
  private readonly dice: Dice
  private readonly clock: Clock
  private steppedMs = 0
  private pausedUntilMs = 0

  constructor(id: string, timeline: Timeline, dice: Dice, clock: Clock) {
    this.id = id
    this.timeline = timeline
    this.dice = dice
    this.clock = clock
  }

  wallMs(): number {
    return Math.floor(this.clock.startMs + this.steppedMs + this.monotonicMs())
  }

  monotonicMs(): number {
    return this.timeline.nowMs * this.clock.speed
  }

  timer(delayMs: number, run: () => void): Timer {
    return this.timeline.at(this.timeline.nowMs + Math.max(0, delayMs) / this.clock.speed, () => this.happen(run))
  }

  turn(run: () => void): void {
    this.timeline.at(this.timeline.nowMs, () => this.happen(run))
  }

  random(): number {
    return this.dice.random()
  }

  randomBytes(count: number): Uint8Array {
    return this.dice.bytes(count)
  }

  kill(): void {
    this.isAlive = false
  }

  /** As SIGSTOP does: its clocks go on, and it does not notice. */
  pause(forMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.timeline.nowMs + forMs)
  }

  resume(): void {
    this.pausedUntilMs = 0
  }

  stepClock(ms: number): void {
    this.steppedMs += ms
  }

  /** Something reaches the process: a timer, an answer. */
  happen(run: () => void): void {
    if (!this.isAlive) return
    if (this.pausedUntilMs > this.timeline.nowMs) this.timeline.at(this.pausedUntilMs, () => this.happen(run))
    else run()
  }
}

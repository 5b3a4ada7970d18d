// A world whose time stands still until it is moved. Timers run in the order of their times; what they start is given
// the chance to finish before time goes on. Randomness follows from the seed, so a run can be repeated.

import { systemWorld, type World } from "../world/index.ts"

interface Armed {
  readonly dueMs: number
  readonly order: number
  readonly run: () => void
}

export interface VirtualWorldOptions {
  readonly startMs?: number
  readonly seed?: number
}

export class VirtualWorld implements World {
  readonly fetch = systemWorld.fetch
  private elapsedMs = 0
  private readonly startMs: number
  private offsetMs = 0
  private made = 0
  private readonly armed = new Set<Armed>()
  private seed: number

  constructor(options: VirtualWorldOptions = {}) {
    this.startMs = options.startMs ?? Date.UTC(2026, 0, 28, 12, 0, 0)
    this.seed = options.seed ?? 1
  }

  wallMs(): number {
    return this.startMs + this.offsetMs + Math.floor(this.elapsedMs)
  }

  monotonicMs(): number {
    return this.elapsedMs
  }

  timer(delayMs: number, run: () => void) {
    const timer: Armed = { dueMs: this.elapsedMs + Math.max(0, delayMs), order: this.made++, run }
    this.armed.add(timer)
    return { cancel: () => void this.armed.delete(timer) }
  }

  /** How many timers wait for their time: what has been stopped leaves none. */
  get armedTimers(): number {
    return this.armed.size
  }

  /** What other code has started is left to finish on the real event loop: only time is virtual. */
  turn(run: () => void): void {
    systemWorld.turn(run)
  }

  /** Mulberry32: small, and the same everywhere. */
  random(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0
    let t = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  randomBytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.random() * 256))
  }

  /** Moves time on, running every timer that falls due on the way, those that they start included. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.elapsedMs + ms
    await this.settle()
    for (;;) {
      const next = this.nextTimer()
      if (!next || next.dueMs > untilMs) break
      this.elapsedMs = Math.max(this.elapsedMs, next.dueMs)
      this.armed.delete(next)
      next.run()
      await this.settle()
    }
    this.elapsedMs = untilMs
    await this.settle()
  }

  /** Moves time on from timer to timer until the condition holds; fails when there is nothing left to wait for. */
  async advanceUntil(holds: () => boolean | Promise<boolean>, withinMs = 7 * 86_400_000): Promise<void> {
    const untilMs = this.elapsedMs + withinMs
    await this.settle()
    while (!(await holds())) {
      const next = this.nextTimer()
      if (!next || next.dueMs > untilMs) throw new Error(`advanceUntil: the condition did not hold within ${withinMs} ms of virtual time`)
      await this.advance(next.dueMs - this.elapsedMs)
    }
  }

  /** The wall clock jumps; timers and monotonic time do not notice. */
  stepClock(ms: number): void {
    this.offsetMs += ms
  }

  /** Lets everything that is ready to go on do so, until nothing more happens by itself. */
  async settle(): Promise<void> {
    for (let i = 0; i < 12; i++) await new Promise<void>((resolve) => systemWorld.turn(resolve))
  }

  private nextTimer(): Armed | undefined {
    let first: Armed | undefined
    for (const timer of this.armed) {
      if (!first || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order)) first = timer
    }
    return first
  }
}

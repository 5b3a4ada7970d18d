// A world whose time stands still until it is moved. Timers run in the order of their times; what they start is given
// the chance to finish before time goes on. Randomness follows from the seed, so a run can be repeated.

import { systemWorld, type World } from "../world/index.ts"
import { Dice } from "./dice.ts"
import { Timeline } from "./timeline.ts"

export interface VirtualWorldOptions {
  readonly startMs?: number
  readonly seed?: number
  /** The other side; the real network if not given. */
  readonly fetch?: World["fetch"]
}

export const virtualStartMs = Date.UTC(2026, 0, 28, 12, 0, 0)

export class VirtualWorld implements World {
  readonly fetch: World["fetch"]
  private readonly timeline = new Timeline()
  private readonly dice: Dice
  private readonly startMs: number
  private offsetMs = 0

  constructor(options: VirtualWorldOptions = {}) {
    this.fetch = options.fetch ?? systemWorld.fetch
    this.startMs = options.startMs ?? virtualStartMs
    this.dice = new Dice(options.seed ?? 1)
  }

  wallMs(): number {
    return this.startMs + this.offsetMs + Math.floor(this.timeline.nowMs)
  }

  monotonicMs(): number {
    return this.timeline.nowMs
  }

  timer(delayMs: number, run: () => void) {
    return this.timeline.at(this.timeline.nowMs + delayMs, run)
  }

  /** How many timers wait for their time: what has been stopped leaves none. */
  get armedTimers(): number {
    return this.timeline.size
  }

  /** What other code has started is left to finish on the real event loop: only time is virtual. */
  turn(run: () => void): void {
    systemWorld.turn(run)
  }

  random(): number {
    return this.dice.random()
  }

  randomBytes(count: number): Uint8Array {
    return this.dice.bytes(count)
  }

  /** Moves time on, running every timer that falls due on the way, those that they start included. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.timeline.nowMs + ms
    await this.settle()
    for (let nextMs = this.timeline.nextAtMs(); nextMs !== null && nextMs <= untilMs; nextMs = this.timeline.nextAtMs()) {
      this.timeline.step()
      await this.settle()
    }
    this.timeline.nowMs = untilMs
    await this.settle()
  }

  /** Moves time on from timer to timer until the condition holds; fails when there is nothing left to wait for. */
  async advanceUntil(holds: () => boolean | Promise<boolean>, withinMs = 7 * 86_400_000): Promise<void> {
    const untilMs = this.timeline.nowMs + withinMs
    await this.settle()
    while (!(await holds())) {
      const nextMs = this.timeline.nextAtMs()
      if (nextMs === null || nextMs > untilMs)
        throw new Error(`advanceUntil: the condition did not hold within ${withinMs} ms of virtual time`)
      await this.advance(nextMs - this.timeline.nowMs)
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
}

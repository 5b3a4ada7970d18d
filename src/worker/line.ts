// The worker's line to the store: every call has a deadline, and a store that is away for a while is asked again, ever
// more slowly. What a failed call would have done is unknown; the contract makes asking again harmless.

import { isSluiceError, SluiceError } from "../errors/index.ts"
import { sleep, type World } from "../world/index.ts"
import type { Events } from "./events.ts"

const firstDelayMs = 50

export interface LineOptions {
  /** Null for a call that may take as long as it likes. */
  readonly deadlineMs: number | null
  readonly longestDelayMs: number
}

export class Line {
  private readonly world: World
  private readonly events: Events | null
  private readonly options: LineOptions
  private failures = 0
  private awayAtMs: number | null = null

  constructor(world: World, events: Events | null, options: LineOptions) {
    this.world = world
    this.events = events
    this.options = options
  }

  /** The latest call had no answer. */
  get isAway(): boolean {
    return this.awayAtMs !== null
  }

  /** The answer, or null when there was none; then it has already waited for a while. A store that is gone for good throws. */
  async ask<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
    try {
      const answer = await (this.options.deadlineMs === null ? call() : withDeadline(this.world, this.options.deadlineMs, call))
      if (this.awayAtMs !== null) this.events?.emit("store.back", { awayMs: this.world.monotonicMs() - this.awayAtMs })
      this.awayAtMs = null
      this.failures = 0
      return answer
    } catch (error) {
      if (isForGood(error)) throw error
      this.awayAtMs ??= this.world.monotonicMs()
      const retryInMs = this.world.random() * Math.min(this.options.longestDelayMs, firstDelayMs * 2 ** this.failures++)
      this.events?.emit("store.unavailable", { error: error as Error, retryInMs })
      await sleep(this.world, retryInMs, signal)
      return null
    }
  }
}

/** Asking again does not help. */
export function isForGood(error: unknown): boolean {
  return isSluiceError(error) && !error.retryable
}

export function withDeadline<T>(world: World, deadlineMs: number, call: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(new SluiceError("store_unavailable", `store: expected an answer within ${deadlineMs}ms, got none`))
    const timer = world.timer(deadlineMs, late)
    const done = () => timer.cancel()
    call().then(resolve, reject).then(done, done)
  })
}

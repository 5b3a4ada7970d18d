// One more request by a running task: asks the gate, waits until it may go out, and stops waiting when the run is asked to stop.

import { SluiceError, shown } from "../errors/index.ts"
import { costAboveLimit } from "../queue/refusals.ts"
import type { PermitAnswer, Store } from "../store/index.ts"
import type { TaskRecord } from "../task/index.ts"
import { sleep, type World } from "../world/index.ts"
import { Line } from "./line.ts"
import { News } from "./news.ts"
import { callDeadlineMs, longestPauseMs, type WorkerSettings } from "./options.ts"
import { stopError } from "./outcomes.ts"
import { type Noted, toAnswer } from "./requests.ts"

/** A permit that is charged is there to be used: none is taken that lies further ahead. */
const withinMs = 30_000
/** News is no more than a hint, and may come often. */
const askEveryMs = 100
/** Where no news comes: what was closed may have been opened by hand, and what is paused may be so for long. */
const askAnywayMs = { closed: 30_000, paused: 5_000 } as const

export interface PermitRun {
  readonly task: TaskRecord
  readonly signal: AbortSignal
  /** On the monotonic clock. */
  readonly timesOutAtMs: number
}

export class Permits {
  readonly news = new News()
  private readonly store: Store
  private readonly world: World
  private readonly settings: WorkerSettings

  constructor(store: Store, world: World, settings: WorkerSettings) {
    this.store = store
    this.world = world
    this.settings = settings
  }

  /** Resolves when the request may go out. */
  async acquire(run: PermitRun, limit: string | null, cost: number | null, heard: readonly Noted[] = []): Promise<void> {
    const { id, fence, type } = run.task
    const where = `task ${type}: ctx.permit`
    // A line of its own: one that waits for long does not slow down the others.
    const line = new Line(this.world, null, { deadlineMs: callDeadlineMs(this.settings), longestDelayMs: longestPauseMs(this.settings) })
    let untold = heard
    for (;;) {
      run.signal.throwIfAborted()
      const askedAtMs = this.world.monotonicMs()
      const leftMs = Math.max(0, Math.floor(run.timesOutAtMs - askedAtMs))
      const told = untold.length === 0 ? {} : { heard: untold.map((answer) => toAnswer(answer, askedAtMs)) }
      const request = { id, fence, limit, cost, withinMs: Math.min(withinMs, leftMs), ...told }
      const answer = await unlessStopped(
        line.ask(() => this.store.permit(request), run.signal),
        run.signal,
      )
      untold = []
      if (answer?.kind === "ok") {
        await this.sleepUntil(this.world.monotonicMs() + answer.waitMs, run.signal)
        return
      }
      if (answer?.kind === "later") await this.later(answer.waitMs, askedAtMs, run.signal)
      else if (answer) throw refusal(where, limit, answer)
    }
  }

  /** A timer may fire a little early; a request may not go out early. */
  private async sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    while (this.world.monotonicMs() < atMs && !signal.aborted) await sleep(this.world, atMs - this.world.monotonicMs(), signal)
    signal.throwIfAborted()
  }

  private async later(waitMs: number | null, askedAtMs: number, signal: AbortSignal): Promise<void> {
    await this.news.wait(this.world, waitMs === null ? askAnywayMs.paused : Math.min(waitMs, askAnywayMs.closed), signal)
    await sleep(this.world, Math.max(0, askedAtMs + askEveryMs - this.world.monotonicMs()), signal)
  }
}

/** A handler that was asked to stop does not wait for the store. */
function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop, { once: true })
    const done = () => signal.removeEventListener("abort", stop)
    promise.then(resolve, reject).then(done, done)
  })
}

function refusal(where: string, limit: string | null, answer: Exclude<PermitAnswer, { kind: "ok" | "later" }>): SluiceError {
  if (answer.kind === "stale") return stopError("lease_lost")
  if (answer.kind === "cost_above_limit") return costAboveLimit(where, answer)
  return new SluiceError(
    "unknown_limit",
    `${where}: expected a limit that the task passes, got ${shown(limit)}; list it in the task's limits, so that its gate is known`,
  )
}

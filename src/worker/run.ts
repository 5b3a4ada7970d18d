// One run of one task: the handler, its signal, its timeout, and the one outcome that comes of it.
//
//   running ──handler returns or throws──▶ done(outcome)
//   running ──stop(timeout | lease_lost | shutdown)──▶ done at once; a handler that goes on is an overrun
//   running ──stop(cancelled)──▶ asked to stop ──handler ends, the grace is over, or another stop──▶ done(cancelled)

import { checkInput } from "../queue/definition.ts"
import type { AnyLimit, AnyTask, Context, CostOptions, Log, LogLevel, Queue, SpentOptions, Task } from "../queue/index.ts"
import { readCost } from "../queue/limit.ts"
import type { Answer, SettleRequest } from "../store/index.ts"
import { type Outcome, RescheduleError, type TaskRecord } from "../task/index.ts"
import { type Duration, parseDuration, parseName, readOptions, toJson } from "../units/index.ts"
import type { Timer, World } from "../world/index.ts"
import { outcomeOfError, outcomeOfStop, outcomeOfValue, type Policy, type StopReason, stopError } from "./outcomes.ts"
import { type Noted, Requests } from "./requests.ts"
import { nameOf, Spending } from "./spending.ts"
import { runInThread } from "./thread.ts"

type Fields = Readonly<Record<string, unknown>>

export interface RunHooks {
  /** Once for each run; null where the store is to be told nothing. */
  readonly done: (run: Run, outcome: Outcome | null) => void
  readonly overrun: (run: Run, reason: StopReason) => void
  /** The handler of an overrun has come back after all. */
  readonly returned: (run: Run) => void
  readonly log: (run: Run, level: LogLevel, message: string, fields: Fields) => void
  readonly policy: () => Policy
  /** Resolves when one more request may go out. */
  readonly permit: (run: Run, limit: string | null, cost: number | null, heard: readonly Noted[]) => Promise<void>
}

/** Answers that a run keeps until the store is told of them. */
const mostHeard = 100

export class Run {
  readonly task: TaskRecord
  readonly startedAtMs: number
  /** On the monotonic clock: when the latest request may have gone out, and when the handler had ended by itself. */
  sentAtMs: number
  respondedAtMs: number | null = null
  /** The request that the claim has paid for, where it was watched. */
  firstAnswer: Noted | null = null
  /** What no permit has told the store yet. */
  heard: Noted[] = []
  /** On the monotonic clock: past this the lease cannot be relied on. */
  leaseEndsAtMs: number
  /** JSON text that no heartbeat has carried yet. */
  progress: string | null = null
  private readonly definition: AnyTask
  private readonly queue: Queue
  private readonly hooks: RunHooks
  private readonly world: World
  private spending: Spending | null = null
  private asking: Requests | null = null
  private readonly controller = new AbortController()
  private readonly timeout: Timer
  private grace: Timer | null = null
  private asked: StopReason | null = null
  private isDone = false
  private handler: "working" | "overrun" | "ended" = "working"

  constructor(task: TaskRecord, definition: AnyTask, queue: Queue, leaseEndsAtMs: number, hooks: RunHooks) {
    this.task = task
    this.definition = definition
    this.queue = queue
    this.leaseEndsAtMs = leaseEndsAtMs
    this.hooks = hooks
    this.world = queue.world
    this.startedAtMs = this.world.monotonicMs()
    this.sentAtMs = this.startedAtMs
    this.timeout = this.world.timer(task.timeoutMs, () => this.stop("timeout", 0))
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  get timesOutAtMs(): number {
    return this.startedAtMs + this.task.timeoutMs
  }

  /** The request that the claim has paid for. Where nobody has watched it: the latest that may have gone out, and the handler's end. */
  get paidFor(): { readonly sentAtMs: number; readonly respondedAtMs: number | null; readonly isWatched: boolean } {
    const { firstAnswer: first, sentAtMs, respondedAtMs } = this
    if (!first) return { sentAtMs, respondedAtMs, isWatched: false }
    return { sentAtMs: first.sentAtMs, respondedAtMs: first.respondedAtMs, isWatched: true }
  }

  get allSpent(): SettleRequest["spent"] {
    return this.spending?.all() ?? []
  }

  start(view: Task): void {
    this.handle(view).then(
      (value) => this.ended(() => outcomeOfValue(value, this.queue.maxInputBytes)),
      (error) => this.ended(() => this.outcomeOf(error)),
    )
  }

  /** Asks the handler to stop, and stops waiting for it after the grace. Asked again without a grace, it waits no longer. */
  stop(reason: StopReason, graceMs: number): void {
    if (this.isDone || (this.asked !== null && graceMs > 0)) return
    if (this.asked === null) {
      this.asked = reason
      this.controller.abort(stopError(reason))
    }
    if (graceMs > 0) this.grace = this.world.timer(graceMs, () => this.giveUp(reason))
    else this.giveUp(reason)
  }

  report(value: unknown): void {
    this.progress = toJson("progress", value, this.queue.maxInputBytes)
  }

  spent(actual: number, options?: SpentOptions): void {
    this.spending ??= new Spending(this.task)
    this.spending.note(actual, options)
  }

  async permit(limit: AnyLimit | string, options?: CostOptions): Promise<void> {
    const where = `task ${this.task.type}: ctx.permit`
    const { cost } = readOptions(where, options, { cost: readCost })
    await this.ask(parseName(`${where}: limit`, nameOf(limit)), cost ?? 1)
  }

  /** Resolves when one more request may go out. */
  async ask(limit: string | null, cost: number | null): Promise<void> {
    await this.hooks.permit(this, limit, cost, this.heard.splice(0))
    this.sentAtMs = this.world.monotonicMs()
  }

  /** An answer of the other side. Of very many the latest are kept: those before have been told, or say the same. */
  note(answer: Noted): void {
    this.firstAnswer ??= answer
    this.sentAtMs = Math.max(this.sentAtMs, answer.sentAtMs)
    if (this.heard.length >= mostHeard) this.heard.shift()
    this.heard.push(answer)
  }

  /** The same, from a thread: with ages instead of times. */
  hear({ sentAgoMs, respondedAgoMs, ...answer }: Answer): void {
    const nowMs = this.world.monotonicMs()
    this.note({ ...answer, sentAtMs: Math.max(this.startedAtMs, nowMs - sentAgoMs), respondedAtMs: nowMs - respondedAgoMs })
  }

  log(level: LogLevel, message: string, fields: Fields): void {
    this.hooks.log(this, level, message, fields)
  }

  private get requests(): Requests {
    const run = this
    this.asking ??= new Requests({
      task: this.task,
      world: this.world,
      signal: this.signal,
      get sentAtMs() {
        return run.sentAtMs
      },
      permit: (limit, cost) => this.ask(limit, cost),
      note: (answer) => this.note(answer),
    })
    return this.asking
  }

  private async handle(view: Task): Promise<unknown> {
    const { module, isolate } = this.definition
    if (isolate === "thread") return runInThread({ module: module ?? "", task: this.task, maxBytes: this.queue.maxInputBytes }, this)
    const checked = await checkInput(this.definition, view.input)
    if (checked.kind === "refused") throw checked.error
    return this.definition.run(checked.value as never, this.context(view) as never)
  }

  /** After a request to stop, an error is taken as the handler's way of stopping; a value is still a result. */
  private outcomeOf(error: unknown): Outcome | null {
    if (this.asked !== null) return outcomeOfStop(this.task, this.asked, this.hooks.policy())
    return outcomeOfError(this.task, error, this.hooks.policy())
  }

  private ended(outcome: () => Outcome | null): void {
    if (this.handler === "overrun") this.hooks.returned(this)
    this.handler = "ended"
    if (this.isDone) return
    this.respondedAtMs = this.world.monotonicMs()
    this.finish(outcome())
  }

  private giveUp(reason: StopReason): void {
    // Whatever is said of a task whose cancellation was asked for, the store cancels it.
    this.finish(outcomeOfStop(this.task, reason, this.hooks.policy()))
    // A thread is terminated. A handler that heeds its signal ends within the turn.
    if (this.definition.isolate === null) this.world.turn(() => this.checkOverrun(reason))
  }

  private checkOverrun(reason: StopReason): void {
    if (this.handler !== "working") return
    this.handler = "overrun"
    this.hooks.overrun(this, reason)
  }

  private finish(outcome: Outcome | null): void {
    this.isDone = true
    this.timeout.cancel()
    this.grace?.cancel()
    this.hooks.done(this, outcome)
  }

  /** Signal and log are made when they are asked for: most handlers use neither, and they cost more than the rest of a short run. */
  private context(view: Task): Context {
    const run = this
    return {
      task: view,
      fence: this.task.fence,
      queue: this.queue,
      get signal() {
        return run.signal
      },
      get log() {
        return logTo((level, message, fields) => run.log(level, message, fields))
      },
      progress: (value) => this.report(value),
      reschedule,
      spent: (actual, options) => this.spent(actual, options),
      permit: (limit, options) => this.permit(limit, options),
      fetch: (input, init, options) => this.requests.fetch(input, init, options),
      observe: (answer, options) => this.requests.observe(answer, options),
    }
  }
}

export function logTo(write: (level: LogLevel, message: string, fields: Fields) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}) =>
      write(level, message, fields)
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

export function reschedule(delay: Duration, options?: { readonly extendExpiration?: Duration; readonly reason?: string }): never {
  const read = readOptions("ctx.reschedule", options, { extendExpiration: parseDuration, reason: (_name, value) => String(value) })
  throw new RescheduleError({
    delaySeconds: parseDuration("ctx.reschedule: delay", delay) / 1_000,
    extendExpirationSeconds: (read.extendExpiration ?? 0) / 1_000,
    ...(read.reason === undefined ? {} : { reason: read.reason }),
  })
}

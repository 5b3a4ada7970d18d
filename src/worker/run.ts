// One run of one task: the handler, its signal, its timeout, and the one outcome that comes of it.
//
//   running ──handler returns or throws──▶ done(outcome)
//   running ──stop(timeout | lease_lost | shutdown)──▶ done at once; a handler that goes on is an overrun
//   running ──stop(cancelled)──▶ asked to stop ──handler ends, the grace is over, or another stop──▶ done(cancelled)

import { type Checked, checkInput } from "../queue/definition.ts"
import { type AnyLimit, type AnyTask, type CostOptions, type LogLevel, type Queue, type SpentOptions, Task } from "../queue/index.ts"
import { readCost } from "../queue/limit.ts"
import type { Answer, SettleRequest } from "../store/index.ts"
import type { Outcome, TaskRecord } from "../task/index.ts"
import { parseName, readOptions, toJson } from "../units/index.ts"
import type { Timer, World } from "../world/index.ts"
import { outcomeOfError, outcomeOfStop, outcomeOfValue, type Policy, type StopReason, stopError } from "./outcomes.ts"
import { type Noted, Requests } from "./requests.ts"
import { RunContext } from "./run-context.ts"
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
const nothingHeard: readonly Noted[] = []

/** On the monotonic clock. */
export interface RunTimes {
  readonly startedAtMs: number
  readonly leaseEndsAtMs: number
}

export class Run {
  readonly task: TaskRecord
  readonly queue: Queue
  /** Where it stands among the runs of its worker. */
  place = 0
  readonly startedAtMs: number
  /** On the monotonic clock: when the latest request may have gone out, and when the handler had ended by itself. */
  sentAtMs: number
  respondedAtMs: number | null = null
  /** The request that the claim has paid for, where it was watched. */
  firstAnswer: Noted | null = null
  /** On the monotonic clock: past this the lease cannot be relied on. */
  leaseEndsAtMs: number
  /** JSON text that no heartbeat has carried yet. */
  progress: string | null = null
  private readonly definition: AnyTask
  private readonly hooks: RunHooks
  private readonly world: World
  private spending: Spending | null = null
  private asking: Requests | null = null
  /** What no permit has told the store yet. */
  private untold: Noted[] | null = null
  /** Made when somebody asks for the signal: few do, and it costs more than the rest of a short run. */
  private controller: AbortController | null = null
  private grace: Timer | null = null
  private asked: StopReason | null = null
  private isDone = false
  private handler: "working" | "overrun" | "ended" = "working"

  constructor(task: TaskRecord, definition: AnyTask, queue: Queue, times: RunTimes, hooks: RunHooks) {
    this.task = task
    this.definition = definition
    this.queue = queue
    this.leaseEndsAtMs = times.leaseEndsAtMs
    this.hooks = hooks
    this.world = queue.world
    this.startedAtMs = times.startedAtMs
    this.sentAtMs = times.startedAtMs
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.asked !== null) this.controller.abort(stopError(this.asked))
    }
    return this.controller.signal
  }

  get heard(): readonly Noted[] {
    return this.untold ?? nothingHeard
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

  /** A handler that returns a value has ended then and there: no promise is made for it. */
  start(): void {
    // Asked to stop before it began: there is nothing to wait for.
    if (this.isDone) {
      this.handler = "ended"
      return
    }
    let result: unknown
    try {
      result = this.handle()
      if (isPromised(result)) result = Promise.resolve(result)
    } catch (error) {
      this.threw(error)
      return
    }
    if (result instanceof Promise)
      result.then(
        (value) => this.returned(value),
        (error) => this.threw(error),
      )
    else this.returned(result)
  }

  /** Asks the handler to stop, and stops waiting for it after the grace. Asked again without a grace, it waits no longer. */
  stop(reason: StopReason, graceMs: number): void {
    if (this.isDone || (this.asked !== null && graceMs > 0)) return
    if (this.asked === null) {
      this.asked = reason
      this.controller?.abort(stopError(reason))
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
    const { heard } = this
    this.untold = null
    await this.hooks.permit(this, limit, cost, heard)
    this.sentAtMs = this.world.monotonicMs()
  }

  /** An answer of the other side. Of very many the latest are kept: those before have been told, or say the same. */
  note(answer: Noted): void {
    this.firstAnswer ??= answer
    this.sentAtMs = Math.max(this.sentAtMs, answer.sentAtMs)
    this.untold ??= []
    if (this.untold.length >= mostHeard) this.untold.shift()
    this.untold.push(answer)
  }

  /** The same, from a thread: with ages instead of times. */
  hear({ sentAgoMs, respondedAgoMs, ...answer }: Answer): void {
    const nowMs = this.world.monotonicMs()
    this.note({ ...answer, sentAtMs: Math.max(this.startedAtMs, nowMs - sentAgoMs), respondedAtMs: nowMs - respondedAgoMs })
  }

  log(level: LogLevel, message: string, fields: Fields): void {
    this.hooks.log(this, level, message, fields)
  }

  get requests(): Requests {
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

  private handle(): unknown {
    const { module, isolate } = this.definition
    if (isolate === "thread") return runInThread({ module: module ?? "", task: this.task, maxBytes: this.queue.maxInputBytes }, this)
    const view = new Task(this.task)
    const checked = checkInput(this.definition, view.input)
    return "then" in checked ? checked.then((late) => this.call(view, late)) : this.call(view, checked)
  }

  private call(view: Task, checked: Checked): unknown {
    if (checked.kind === "refused") throw checked.error
    const { tracing } = this.queue
    const handle = () => this.definition.run(checked.value as never, new RunContext(this, view) as never)
    return tracing === null ? handle() : tracing.run(this.task, handle)
  }

  private returned(value: unknown): void {
    if (this.hasEnded()) this.finish(outcomeOfValue(value, this.queue.maxInputBytes))
  }

  private threw(error: unknown): void {
    if (this.hasEnded()) this.finish(this.outcomeOf(error))
  }

  /** After a request to stop, an error is taken as the handler's way of stopping; a value is still a result. */
  private outcomeOf(error: unknown): Outcome | null {
    if (this.asked !== null) return outcomeOfStop(this.task, this.asked, this.hooks.policy())
    return outcomeOfError(this.task, error, this.hooks.policy())
  }

  /** The handler has; answers with whether anybody still waits for what it has to say. */
  private hasEnded(): boolean {
    if (this.handler === "overrun") this.hooks.returned(this)
    this.handler = "ended"
    if (this.isDone) return false
    this.respondedAtMs = this.world.monotonicMs()
    return true
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
    this.grace?.cancel()
    this.hooks.done(this, outcome)
  }
}

/** As `await` sees it. */
function isPromised(value: unknown): boolean {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  )
}

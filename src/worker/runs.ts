// The runs that are under way in one worker: started, watched, ended.

import type { AnyTask, Queue } from "../queue/index.ts"
import type { Outcome, TaskRecord } from "../task/index.ts"
import type { Events } from "./events.ts"
import type { WorkerSettings } from "./options.ts"
import type { StopReason } from "./outcomes.ts"
import type { Permits } from "./permits.ts"
import { Run, type RunHooks, type RunTimes } from "./run.ts"
import { RunWatch } from "./run-watch.ts"

type Ended = (run: Run, outcome: Outcome | null) => void

export class Runs {
  /** Handlers that were given up on and have not returned. */
  overruns = 0
  private readonly queue: Queue
  private readonly settings: WorkerSettings
  private readonly events: Events
  private readonly permits: Permits
  private readonly ended: Ended
  /**
   * In no order. Not a Map: one whose entries come and go all the time points from each of its old tables to the next, so that what is long
   * gone keeps the garbage of the following alive, a few kilobytes for each task.
   */
  private readonly underWay: Run[] = []
  /** Of them, those whose tasks had been claimed before. */
  private repeated = 0
  private starting: Run[] = []
  private readonly leases: RunWatch
  private readonly timeouts: RunWatch

  constructor(queue: Queue, settings: WorkerSettings, events: Events, permits: Permits, ended: Ended) {
    this.queue = queue
    this.settings = settings
    this.events = events
    this.permits = permits
    this.ended = ended
    const all = () => this.all()
    this.leases = new RunWatch(queue.world, { all, endOf: ({ leaseEndsAtMs }) => leaseEndsAtMs, over: (run) => this.lose(run) })
    this.timeouts = new RunWatch(queue.world, { all, endOf: ({ timesOutAtMs }) => timesOutAtMs, over: (run) => run.stop("timeout", 0) })
  }

  get size(): number {
    return this.underWay.length
  }

  all(): Run[] {
    return [...this.underWay]
  }

  /** Whether this very run is under way, and not another one of its task. */
  has(run: Run): boolean {
    return this.underWay[run.place] === run
  }

  get hasRepeated(): boolean {
    return this.repeated > 0
  }

  byId(): ReadonlyMap<string, Run> {
    return new Map(this.underWay.map((run) => [run.task.id, run]))
  }

  /** Its handler begins once everything else that is to start now is under way too. */
  start(task: TaskRecord, definition: AnyTask, times: RunTimes): void {
    const run = new Run(task, definition, this.queue, times, this.hooks)
    run.place = this.underWay.length
    this.underWay.push(run)
    if (task.fence > 1) this.repeated++
    this.leases.watch(times.leaseEndsAtMs)
    this.timeouts.watch(run.timesOutAtMs)
    if (this.starting.length === 0) queueMicrotask(() => this.begin())
    this.starting.push(run)
  }

  lose(run: Run): void {
    const { id, type, fence } = run.task
    this.events.emit("task.lost", { id, type, fence })
    run.stop("lease_lost", 0)
  }

  /** Waits for no handler any longer. */
  endAll(reason: StopReason): void {
    for (const run of this.all()) run.stop(reason, 0)
    this.leases.stop()
    this.timeouts.stop()
  }

  private begin(): void {
    const { starting } = this
    this.starting = []
    for (const run of starting) run.start()
  }

  private remove(run: Run): void {
    const last = this.underWay.at(-1)
    if (!last || !this.has(run)) return
    this.underWay.pop()
    if (run.task.fence > 1) this.repeated--
    if (last === run) return
    last.place = run.place
    this.underWay[run.place] = last
  }

  private readonly hooks: RunHooks = {
    done: (run, outcome) => {
      this.remove(run)
      this.ended(run, outcome)
    },
    overrun: ({ task: { id, type, fence } }, reason) => {
      this.overruns++
      this.events.emit("task.overrun", { id, type, fence, reason })
    },
    returned: () => {
      this.overruns--
    },
    log: ({ task: { id, type, fence } }, level, message, fields) =>
      this.events.emit("task.log", { id, type, fence, level, message, fields }),
    policy: () => ({ backoff: this.settings.backoff, random: this.queue.world.random() }),
    permit: (run, limit, cost, heard) => this.permits.acquire(run, limit, cost, heard),
  }
}

// The runs that are under way in one worker, by task: started, watched, ended.

import { type AnyTask, type Queue, Task } from "../queue/index.ts"
import type { Outcome, TaskRecord } from "../task/index.ts"
import type { Events } from "./events.ts"
import { LeaseWatch } from "./leases.ts"
import type { WorkerSettings } from "./options.ts"
import type { StopReason } from "./outcomes.ts"
import type { Permits } from "./permits.ts"
import { Run, type RunHooks } from "./run.ts"

type Ended = (run: Run, outcome: Outcome | null) => void

export class Runs {
  /** Handlers that were given up on and have not returned. */
  overruns = 0
  private readonly queue: Queue
  private readonly settings: WorkerSettings
  private readonly events: Events
  private readonly permits: Permits
  private readonly ended: Ended
  private readonly byId = new Map<string, Run>()
  private readonly leases: LeaseWatch

  constructor(queue: Queue, settings: WorkerSettings, events: Events, permits: Permits, ended: Ended) {
    this.queue = queue
    this.settings = settings
    this.events = events
    this.permits = permits
    this.ended = ended
    this.leases = new LeaseWatch(queue.world, this.byId, (run) => this.lose(run))
  }

  get size(): number {
    return this.byId.size
  }

  all(): Run[] {
    return [...this.byId.values()]
  }

  /** Whether this very run is under way, and not another one of its task. */
  has(run: Run): boolean {
    return this.byId.get(run.task.id) === run
  }

  find(id: string, fence: number): Run | null {
    const run = this.byId.get(id)
    return run?.task.fence === fence ? run : null
  }

  start(task: TaskRecord, definition: AnyTask, leaseEndsAtMs: number): void {
    const run = new Run(task, definition, this.queue, leaseEndsAtMs, this.hooks)
    this.byId.set(task.id, run)
    this.leases.watch(leaseEndsAtMs)
    run.start(new Task(task))
  }

  lose(run: Run): void {
    const { id, type, fence } = run.task
    this.events.emit("task.lost", { id, type, fence })
    run.stop("lease_lost", 0)
  }

  /** The task was claimed again: the lease that an earlier run of it still relies on is gone. */
  loseEarlier(task: TaskRecord): void {
    const earlier = this.byId.get(task.id)
    if (earlier) this.lose(earlier)
  }

  /** Waits for no handler any longer. */
  endAll(reason: StopReason): void {
    for (const run of this.all()) run.stop(reason, 0)
    this.leases.stop()
  }

  private readonly hooks: RunHooks = {
    done: (run, outcome) => {
      this.byId.delete(run.task.id)
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

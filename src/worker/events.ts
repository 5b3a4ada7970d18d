// What a worker tells: typed events. Logging and metrics are listeners; payloads are not in them.

import type { LogLevel } from "../queue/context.ts"
import { Emitter } from "../queue/emitter.ts"
import type { OutcomeKind, Status } from "../task/index.ts"

interface OfTask {
  readonly id: string
  readonly type: string
  readonly fence: number
}

export interface WorkerEvents {
  "worker.started": { readonly workerId: string; readonly types: readonly string[] }
  "worker.draining": { readonly running: number }
  "worker.stopped": { readonly workerId: string }
  "task.claimed": OfTask & {
    readonly attempt: number
    /** How long it stood there although it was due, and what for: a gate, or a worker with room. */
    readonly waitedMs: number
    readonly waitedFor: "gate" | "worker"
    /** How long it was not due, from its submission on. */
    readonly scheduledMs: number
  }
  /** The store took the outcome; `status` is what became of the task. */
  "task.settled": OfTask & {
    readonly outcome: OutcomeKind
    readonly status: Status
    readonly durationMs: number
    readonly error: string | null
    /** Until it may start again, where it was put off. */
    readonly delayMs: number | null
  }
  /** One exchange with the store: how long it took, and what it carried. */
  "exchange.done": { readonly durationMs: number; readonly claimed: number; readonly settled: number; readonly hasClaim: boolean }
  /** The store refused the outcome: the lease had been lost. */
  "task.stale": OfTask & { readonly outcome: OutcomeKind }
  "task.lost": OfTask
  /** The run was ended for it, but its handler has not returned. */
  "task.overrun": OfTask & { readonly reason: string }
  "task.log": OfTask & { readonly level: LogLevel; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }
  /** The other side said "too fast": the gates of the limit cool down, all gates of the task where it is null. */
  "gate.cooling": {
    readonly id: string
    readonly type: string
    readonly limit: string | null
    readonly retryAfterMs: number | null
    readonly status: number | null
    /** How often this task has been run, and how long it waits by itself where no gate of it cools down. */
    readonly attempt: number
    readonly backoffMs: number
    readonly error: string
  }
  /** A gate has learned another distance between starts, or another number of slots. */
  "gate.paced": {
    readonly gate: string
    readonly everyMs: number
    readonly slots: number | null
    readonly errorStreak: number
  }
  /** The instant of a schedule has come, and this worker has submitted its task. */
  "schedule.fired": { readonly name: string; readonly scheduledAt: Date; readonly id: string }
  /** An instant that could not be submitted, or a schedule whose cron or time zone this process does not know. */
  "schedule.failed": { readonly name: string; readonly error: string }
  "sweep.done": { readonly rescued: number; readonly expired: number; readonly stopped: number; readonly removed: number }
  "store.unavailable": { readonly error: Error; readonly retryInMs: number }
  "store.back": { readonly awayMs: number }
}

const names: Readonly<Record<keyof WorkerEvents, true>> = {
  "worker.started": true,
  "worker.draining": true,
  "worker.stopped": true,
  "task.claimed": true,
  "task.settled": true,
  "exchange.done": true,
  "task.stale": true,
  "task.lost": true,
  "task.overrun": true,
  "task.log": true,
  "gate.cooling": true,
  "gate.paced": true,
  "schedule.fired": true,
  "schedule.failed": true,
  "sweep.done": true,
  "store.unavailable": true,
  "store.back": true,
}

export class Events extends Emitter<WorkerEvents> {
  constructor() {
    super(names)
  }
}

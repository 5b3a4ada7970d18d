// A job as people see it: times are Dates, and it does not change. A later state is another Job.

import type { JobFinish, JobReport } from "../store/index.ts"
import { allTasks, endedTasks, type JobStatus, type JobTally } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"

export interface JobDocument {
  readonly id: string
  readonly name: string
  readonly status: JobStatus
  readonly is_open: boolean
  readonly error: string | null
  readonly total: number
  readonly ended: number
  readonly progress: number
  readonly tasks: Readonly<Record<JobTally, number>>
  readonly rate_per_second: number | null
  readonly estimated_finish_at: string | null
  readonly estimated_finish_basis: JobFinish["basis"] | null
  readonly estimated_finish_gate: string | null
  readonly concurrency: number | null
  readonly failure_threshold: number | null
  readonly failure_streak: number
  readonly exempt_statuses: readonly number[]
  readonly throttle_streak: number
  readonly throttle_count: number
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly on_complete_task_id: string | null
}

export class Job {
  readonly #report: JobReport

  constructor(report: JobReport) {
    this.#report = report
  }

  get id(): string {
    return this.#report.job.id
  }
  get name(): string {
    return this.#report.job.name
  }
  get status(): JobStatus {
    return this.#report.job.status
  }
  /** Somebody outside may add tasks: it does not complete before it is closed. */
  get isOpen(): boolean {
    return this.#report.job.isOpen
  }
  /** Why it failed or was cancelled. */
  get error(): string | null {
    return this.#report.job.error
  }
  /** How many of its tasks are in which status. */
  get tasks(): Readonly<Record<JobTally, number>> {
    return this.#report.job.tasks
  }
  get total(): number {
    return allTasks(this.#report.job)
  }
  get ended(): number {
    return endedTasks(this.#report.job)
  }
  /** From 0 to 1. */
  get progress(): number {
    return this.total === 0 ? (this.status === "running" ? 0 : 1) : this.ended / this.total
  }
  /** Tasks that ended a second, lately; null before anything can be told. */
  get ratePerSecond(): number | null {
    return this.#report.ratePerSecond
  }
  /** When its last task is expected to end (or to start, where a gate decides). */
  get estimatedFinishAt(): Date | null {
    return date(this.#report.finish?.atMs ?? null)
  }
  get concurrency(): number | null {
    return this.#report.job.concurrency
  }
  get failureThreshold(): number | null {
    return this.#report.job.failureThreshold
  }
  /** Tasks in a row that ended failed. */
  get failureStreak(): number {
    return this.#report.job.failureStreak
  }
  /** How often the other side has said "too fast" to its tasks. */
  get throttleCount(): number {
    return this.#report.job.throttles
  }
  get createdAt(): Date {
    return new Date(this.#report.job.createdAtMs)
  }
  get startedAt(): Date | null {
    return date(this.#report.job.startedAtMs)
  }
  get endedAt(): Date | null {
    return date(this.#report.job.endedAtMs)
  }
  /** The task that `onComplete` became; null before, and where there was nothing to follow. */
  get onCompleteTaskId(): string | null {
    return this.#report.job.onCompleteTaskId || null
  }

  /** The wire form, as `--json` prints it. */
  toJSON(): JobDocument {
    const { job, ratePerSecond, finish } = this.#report
    return {
      id: job.id,
      name: job.name,
      status: job.status,
      is_open: job.isOpen,
      error: job.error,
      total: this.total,
      ended: this.ended,
      progress: this.progress,
      tasks: job.tasks,
      rate_per_second: ratePerSecond,
      estimated_finish_at: time(finish?.atMs ?? null),
      estimated_finish_basis: finish?.basis ?? null,
      estimated_finish_gate: finish?.gate ?? null,
      concurrency: job.concurrency,
      failure_threshold: job.failureThreshold,
      failure_streak: job.failureStreak,
      exempt_statuses: job.exemptStatuses,
      throttle_streak: job.throttleStreak,
      throttle_count: job.throttles,
      created_at: formatInstant(job.createdAtMs),
      started_at: time(job.startedAtMs),
      ended_at: time(job.endedAtMs),
      on_complete_task_id: this.onCompleteTaskId,
    }
  }
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

function time(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms)
}

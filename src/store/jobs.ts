// The jobs as one atomic step sees them: read once, changed in memory with every task that changes, written when the step ends. A
// job that ends takes its tasks with it, a step's worth at once; the sweep does the rest.

import { neverUs } from "../limits/index.ts"
import {
  cancel,
  countTask,
  endJob,
  isDone,
  type JobNews,
  type JobRecord,
  liveTasks,
  reopenJob,
  type Status,
  type TaskRecord,
  tellJob,
} from "../task/index.ts"
import { budgets } from "./contract.ts"
import type { InForce } from "./policies.ts"
import type { Records } from "./records.ts"
import { submit } from "./submit.ts"

/** As much of a task as its job has to know. */
export type OfJob = Pick<TaskRecord, "jobId">

export class Jobs {
  private readonly records: Records
  private readonly known = new Map<string, { readonly job: JobRecord | null }>()
  private readonly changed = new Set<string>()
  /** Those that have had their step's worth. */
  private readonly stopped = new Set<string>()

  constructor(records: Records) {
    this.records = records
  }

  get(id: string): JobRecord | null {
    const known = this.known.get(id)
    if (known) return known.job
    const job = this.records.jobRecords.job(id)
    this.known.set(id, { job })
    return job
  }

  put(job: JobRecord): void {
    if (this.known.get(job.id)?.job === job) return
    this.known.set(job.id, { job })
    this.changed.add(job.id)
  }

  /** It was not made after all. */
  drop(id: string): void {
    this.known.delete(id)
    this.changed.delete(id)
  }

  /** Every change of a status comes by here; null before the task was there. */
  moved({ jobId }: OfJob, from: Status | null, to: Status): void {
    const job = jobId === null ? null : this.get(jobId)
    if (job) this.put(countTask(job, from, to, this.records.nowMs))
  }

  tell({ jobId }: OfJob, news: JobNews): void {
    const job = jobId === null ? null : this.get(jobId)
    if (job) this.put(tellJob(job, news, this.records.nowMs))
  }

  /** Nothing of a job that has ended starts any more. */
  isOver({ jobId }: OfJob): boolean {
    if (jobId === null) return false
    const job = this.get(jobId)
    return job !== null && job.status !== "running"
  }

  /** The gate of a job is what its record says. */
  inForce(id: string): InForce | null {
    const job = this.get(id)
    if (!job || job.concurrency === null) return null
    return {
      policy: { rates: [], concurrency: job.concurrency },
      isOverridden: false,
      isPaused: false,
      closedUntilUs: job.status === "running" ? 0 : neverUs,
      changesAtMs: null,
    }
  }

  /** A task that is wanted again brings back a job that had completed; one that failed or was cancelled stays so. */
  reopen({ jobId }: OfJob): JobRecord | null {
    const job = jobId === null ? null : this.get(jobId)
    if (!job || job.status === "running") return null
    if (job.status !== "completed") return job
    this.put(reopenJob(job, this.records.nowMs))
    return null
  }

  /** Jobs whose last task has ended complete; those that have ended stop their tasks. Before a claim, and when the step ends. */
  conclude(): void {
    for (const id of [...this.changed]) {
      const job = this.get(id)
      if (job && isDone(job)) this.complete(job)
      else if (job?.isStopping && !this.stopped.has(id)) this.stop(job, budgets.stepRows)
    }
  }

  /** Cancels what waits and asks what runs to stop; answers how many it has told. */
  stop(job: JobRecord, limit: number): number {
    const { nowMs, jobRecords } = this.records
    this.stopped.add(job.id)
    const found = jobRecords.live(job.id, "stoppable", limit)
    const changes = found.flatMap((task) => {
      const moved = cancel(task, nowMs)
      return moved.kind === "ok" && moved.change ? [moved.change] : []
    })
    // Written first: what is cancelled may be the last that the job counts.
    this.put({ ...(this.get(job.id) ?? job), isStopping: found.length >= limit })
    this.records.save(changes)
    return found.length
  }

  close(): void {
    this.conclude()
    for (const id of this.changed) {
      const job = this.known.get(id)?.job
      if (job) this.records.jobRecords.saveJob(job)
    }
    this.changed.clear()
  }

  /** What was kept for this moment is submitted, once. */
  private complete(job: JobRecord): void {
    const { onComplete, onCompleteTaskId } = job
    const done = endJob(job, "completed", null, this.records.nowMs)
    // First, for what is submitted may be asked whether jobs have ended.
    this.put(done)
    if (!onComplete || onCompleteTaskId !== null) return
    const answer = submit(this.records, { tasks: [onComplete] })
    if (answer.kind === "ok") this.put({ ...done, onCompleteTaskId: answer.tasks[0]?.task.id ?? onComplete.id })
    else this.put({ ...done, onCompleteTaskId: "", error: `what was to follow could not be submitted: ${answer.kind}` })
  }
}

/** Whether the job may be forgotten. */
export function isAtRest(job: JobRecord): boolean {
  return job.status !== "running" && liveTasks(job) === 0
}

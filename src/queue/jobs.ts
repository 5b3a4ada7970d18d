// Jobs as people watch and change them.

import { SluiceError, shown } from "../errors/index.ts"
import { budgets, type ChangeJobAnswer, type JobChange, type JobReport, type Store } from "../store/index.ts"
import { type JobStatus, jobLimit, jobStatuses, type TaskRecord } from "../task/index.ts"
import { formatCursor, oneOf, parseCursor, parseKey, parseName, readOptions, wholeNumber } from "../units/index.ts"
import type { AnyTask } from "./definition.ts"
import { type GateView, gateView } from "./gate-view.ts"
import { Job } from "./job.ts"
import { boundReaders, type JobBounds } from "./job-settings.ts"
import type { SubmitOptions } from "./submit.ts"
import { Task } from "./task.ts"

/** One task of a job: a definition, or the name of a type, with its input. */
export interface JobTask {
  readonly task: AnyTask | string
  readonly input: unknown
  readonly options?: Omit<SubmitOptions, "job">
}

export interface JobOptions extends JobBounds {
  /** More tasks will be added from outside: it does not complete before `queue.jobs.close`. */
  readonly open?: boolean
  /** Submitted when the job completes, once. */
  readonly onComplete?: JobTask
}

export const jobReaders = {
  ...boundReaders,
  open: (name: string, value: unknown): boolean => {
    if (typeof value === "boolean") return value
    throw new SluiceError("invalid_option", `${name}: expected true or false, got ${shown(value)}`)
  },
  onComplete: readJobTask,
}

export function readJobTask(name: string, value: unknown): JobTask {
  const isTask = typeof value === "object" && value !== null && "task" in value
  if (isTask) return value as JobTask
  throw new SluiceError("invalid_option", `${name}: expected { task, input, options? }, got ${shown(value)}`)
}

export interface JobListOptions {
  readonly status?: JobStatus | readonly JobStatus[]
  readonly name?: string
  readonly limit?: number
  /** From the page before. */
  readonly cursor?: string
}

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[]
  /** For the next page; null on the last one. */
  readonly cursor: string | null
}

export interface JobDetailView {
  readonly job: Job
  /** The gate that its next task waits at, if one holds it. */
  readonly heldBy: string | null
  /** Gates that its tasks pass, of those that were looked at, the most waited at first; its own is not among them. */
  readonly gates: readonly GateView[]
  /** How many of its own slots are taken; null where it has no concurrency. */
  readonly slots: { readonly held: number; readonly of: number } | null
  /** Tasks that run now, oldest first, up to a hundred. */
  readonly running: readonly Task[]
}

const status = oneOf(...jobStatuses)
const before = parseCursor("before")
/** A cancelled job stops its tasks a step's worth at a time. */
const mostSteps = 10_000

export class Jobs {
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  async get(id: string): Promise<Job | null> {
    const { jobs } = await this.store.jobs({ ids: [id], name: null, statuses: null, beforeSeq: null, limit: 1 })
    return jobs[0] ? new Job(jobs[0]) : null
  }

  async list(options?: JobListOptions): Promise<JobPage> {
    const read = readOptions("jobs.list", options, {
      status: (name, value) => (Array.isArray(value) ? value.map((one) => status(name, one)) : [status(name, value)]),
      name: parseName,
      limit: wholeNumber(1, budgets.listPage),
      cursor: (name, value) => wholeNumber(0, Number.MAX_SAFE_INTEGER)(name, Number(before(name, value))),
    })
    const { jobs, nextBeforeSeq } = await this.store.jobs({
      ids: null,
      name: read.name ?? null,
      statuses: read.status ?? null,
      beforeSeq: read.cursor ?? null,
      limit: read.limit ?? 50,
    })
    return { jobs: jobs.map((job) => new Job(job)), cursor: nextBeforeSeq === null ? null : formatCursor("before", String(nextBeforeSeq)) }
  }

  /** The job with its gates and what runs: what holds it back. */
  async show(id: string): Promise<JobDetailView> {
    const { detail } = await this.store.job({ id })
    if (!detail) throw jobNotFound(id)
    const own = detail.gates.find(({ limit }) => limit === jobLimit)
    return {
      job: new Job(detail.report),
      heldBy: detail.heldBy,
      gates: detail.gates.filter((gate) => gate !== own).map(gateView),
      slots: own?.slots ?? null,
      running: detail.running.map((task: TaskRecord) => new Task(task)),
    }
  }

  /** What waits is cancelled, what runs is asked to stop. */
  async cancel(id: string, options?: { readonly reason?: string }): Promise<Job> {
    const { reason } = readOptions("jobs.cancel", options, { reason: parseKey })
    const change: JobChange = { kind: "cancel", reason: reason ?? null }
    for (let step = 1; ; step++) {
      const { report, more } = await this.change("jobs.cancel", id, change)
      if (!more || step >= mostSteps) return new Job(report)
    }
  }

  /** Nobody outside adds more: it completes with its last task. */
  async close(id: string): Promise<Job> {
    return new Job((await this.change("jobs.close", id, { kind: "close" })).report)
  }

  async setConcurrency(id: string, concurrency: number): Promise<Job> {
    const read = wholeNumber(1, 1_000_000)("jobs.setConcurrency", concurrency)
    return new Job((await this.change("jobs.setConcurrency", id, { kind: "concurrency", concurrency: read })).report)
  }

  private async change(where: string, id: string, change: JobChange): Promise<{ report: JobReport; more: boolean }> {
    const answer = await this.store.changeJob({ id, change })
    if (answer.kind === "ok") return answer
    throw refusal(where, id, answer)
  }
}

function refusal(where: string, id: string, answer: Exclude<ChangeJobAnswer, { kind: "ok" }>): SluiceError {
  if (answer.kind === "missing") return jobNotFound(id)
  if (answer.kind === "ended") return jobEnded(where, answer.job)
  return new SluiceError(
    "invalid_option",
    `${where} ${shown(id)}: expected a job that was submitted with a concurrency, this one has none; submit it with one to change it later`,
  )
}

export function jobNotFound(id: string): SluiceError {
  return new SluiceError(
    "not_found",
    `job ${shown(id)}: expected the id of a job, found none; it may have been removed after its retention`,
  )
}

export function jobEnded(
  where: string,
  job: { readonly id: string; readonly status: JobStatus; readonly error: string | null },
): SluiceError {
  const why = job.error === null ? "" : ` (${job.error})`
  return new SluiceError(
    "job_ended",
    `${where}: expected a job that runs, but job ${shown(job.id)} is ${job.status}${why}; submit the tasks as a new job`,
  )
}

// A job: a named group of tasks with progress, a concurrency of its own and a bound on failures in a row. Every change of it is a
// pure function of the record, the store's clock and what became of a task, made in the step that changes the task.
//
//   running ──all tasks ended, and nobody outside adds more──▶ completed
//   running ──too many failures in a row──▶ failed        running ──somebody cancels it, or nothing but refusals──▶ cancelled

import type { NewTask } from "./create.ts"
import type { GateRef } from "./record.ts"
import type { Status } from "./status.ts"

export const jobStatuses = ["running", "completed", "failed", "cancelled"] as const
export type JobStatus = (typeof jobStatuses)[number]

/** The limit whose gates are the jobs' own concurrency; no code can declare it. */
export const jobLimit = "sluice:job"

/** What tasks of a job are counted by: an archived task counts as what it was before. */
export const jobTallies = ["pending", "running", "completed", "failed", "cancelled", "expired"] as const
export type JobTally = (typeof jobTallies)[number]

export interface NewJob {
  readonly id: string
  readonly name: string
  /** Somebody outside adds more tasks: it does not complete before he says that he is done. */
  readonly isOpen: boolean
  readonly concurrency: number | null
  /** So many tasks in a row that end failed fail the job; null: any number. */
  readonly failureThreshold: number | null
  /** Upstream statuses that say something about one task and nothing about the job. */
  readonly exemptStatuses: readonly number[]
  readonly cancelAfterThrottles: CancelAfterThrottles | null
  /** Submitted in the step in which the job completes. */
  readonly onComplete: NewTask | null
}

/** So many refusals in a row, each while the distance between two starts was at least so long. */
export interface CancelAfterThrottles {
  readonly count: number
  readonly delayMs: number
}

export interface JobRecord extends NewJob {
  readonly seq: number
  readonly status: JobStatus
  /** Why it failed or was cancelled. */
  readonly error: string | null
  readonly tasks: Readonly<Record<JobTally, number>>
  readonly failureStreak: number
  readonly throttleStreak: number
  /** Refusals by the other side, of all its tasks. */
  readonly throttles: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** When its first task started. */
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  /** When the latest of its tasks ended. */
  readonly taskEndedAtMs: number | null
  /** It has ended, and not all of what waits or runs has been told. */
  readonly isStopping: boolean
  /** How many tasks had ended at times before, the latest last: what its rate is measured by. */
  readonly marks: readonly JobMark[]
  /** The task that `onComplete` became; once there is one, there will be no other. */
  readonly onCompleteTaskId: string | null
}

export interface JobMark {
  readonly atMs: number
  readonly ended: number
}

const noTasks: Readonly<Record<JobTally, number>> = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }

export function createJob(job: NewJob, seq: number, nowMs: number): JobRecord {
  return {
    id: job.id,
    seq,
    name: job.name,
    status: "running",
    isOpen: job.isOpen,
    concurrency: job.concurrency,
    failureThreshold: job.failureThreshold,
    exemptStatuses: job.exemptStatuses,
    cancelAfterThrottles: job.cancelAfterThrottles,
    onComplete: job.onComplete,
    onCompleteTaskId: null,
    error: null,
    tasks: noTasks,
    failureStreak: 0,
    throttleStreak: 0,
    throttles: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    startedAtMs: null,
    endedAtMs: null,
    taskEndedAtMs: null,
    isStopping: false,
    marks: [],
  }
}

export const endedTasks = ({ tasks }: Pick<JobRecord, "tasks">): number => tasks.completed + tasks.failed + tasks.cancelled + tasks.expired
export const liveTasks = ({ tasks }: Pick<JobRecord, "tasks">): number => tasks.pending + tasks.running
export const allTasks = (job: Pick<JobRecord, "tasks">): number => endedTasks(job) + liveTasks(job)

/** One of its tasks has another status; null before it was there. */
export function countTask(job: JobRecord, from: Status | null, to: Status, nowMs: number): JobRecord {
  if (from === to || to === "archived" || from === "archived") return job
  const tasks = { ...job.tasks, [to]: job.tasks[to] + 1 }
  // Less than none cannot be: a record that says so was damaged, and must not be made unreadable.
  if (from !== null) tasks[from] = Math.max(0, tasks[from] - 1)
  const startedAtMs = job.startedAtMs ?? (to === "running" ? nowMs : null)
  const counted = { ...job, tasks, startedAtMs, updatedAtMs: nowMs }
  const ended = endedTasks(counted)
  return ended === endedTasks(job) ? counted : { ...counted, taskEndedAtMs: nowMs, marks: marked(counted, ended, nowMs) }
}

/** So that its rate is that of the latest half or so of its time. */
const mostMarks = 9
const marksIn = 16
const leastMarkMs = 1_000

function marked({ marks, startedAtMs }: JobRecord, ended: number, nowMs: number): readonly JobMark[] {
  const fromMs = startedAtMs ?? nowMs
  const last = marks.at(-1) ?? { atMs: fromMs, ended: 0 }
  const known = marks.length > 0 ? marks : [last]
  if (nowMs - last.atMs < Math.max(leastMarkMs, (nowMs - fromMs) / marksIn)) return known
  return [...known, { atMs: nowMs, ended }].slice(-mostMarks)
}

/** Tasks that ended a second, lately; null before anything can be told. */
export function jobRate(job: JobRecord, nowMs: number): number | null {
  const [first] = job.marks
  const ended = first ? endedTasks(job) - first.ended : 0
  if (!first || ended <= 0 || job.taskEndedAtMs === null) return null
  // Up to the latest end; where the next one takes longer than those before, it counts as if it came now.
  const waitedMs = job.status === "running" ? ((nowMs - first.atMs) * ended) / (ended + 1) : 0
  const spanMs = Math.max(job.taskEndedAtMs - first.atMs, waitedMs)
  return spanMs > 0 ? (ended * 1_000) / spanMs : null
}

/** What became of one run, as far as the job is concerned. */
export type JobNews =
  | { readonly kind: "completed" }
  /** The task ended failed. `status`: what the other side had answered, where it was about that. */
  | { readonly kind: "failed"; readonly status: number | null }
  /** The other side said "too fast". */
  | { readonly kind: "throttled"; readonly everyMs: number }

/** Outcomes after the end change nothing. */
export function tellJob(job: JobRecord, news: JobNews, nowMs: number): JobRecord {
  if (job.status !== "running") return job
  switch (news.kind) {
    case "completed":
      return job.failureStreak === 0 && job.throttleStreak === 0 ? job : { ...job, failureStreak: 0, throttleStreak: 0 }
    case "failed":
      return failedTask(job, news.status, nowMs)
    case "throttled":
      return throttledTask(job, news.everyMs, nowMs)
  }
}

function failedTask(job: JobRecord, status: number | null, nowMs: number): JobRecord {
  if (status !== null && job.exemptStatuses.includes(status)) return job
  const failureStreak = job.failureStreak + 1
  const failing = { ...job, failureStreak }
  if (job.failureThreshold === null || failureStreak < job.failureThreshold) return failing
  return endJob(failing, "failed", `${failureStreak} tasks in a row failed`, nowMs)
}

function throttledTask(job: JobRecord, everyMs: number, nowMs: number): JobRecord {
  const throttles = job.throttles + 1
  const bound = job.cancelAfterThrottles
  if (bound === null || everyMs < bound.delayMs) return { ...job, throttles }
  const throttleStreak = job.throttleStreak + 1
  const refused = { ...job, throttles, throttleStreak }
  if (throttleStreak < bound.count) return refused
  const seconds = Math.round(everyMs / 1_000)
  return endJob(refused, "cancelled", `${throttleStreak} requests in a row were refused, at a distance of ${seconds} s`, nowMs)
}

export function endJob(job: JobRecord, status: Exclude<JobStatus, "running">, error: string | null, nowMs: number): JobRecord {
  if (job.status !== "running") return job
  return { ...job, status, error, isOpen: false, isStopping: liveTasks(job) > 0, endedAtMs: nowMs, updatedAtMs: nowMs }
}

/** Nobody outside adds more. */
export function closeJob(job: JobRecord, nowMs: number): JobRecord {
  return job.isOpen ? { ...job, isOpen: false, updatedAtMs: nowMs } : job
}

/** One of its tasks is wanted again. What was to be done on completion is done once. */
export function reopenJob(job: JobRecord, nowMs: number): JobRecord {
  return { ...job, status: "running", error: null, failureStreak: 0, throttleStreak: 0, endedAtMs: null, updatedAtMs: nowMs }
}

export function isDone(job: JobRecord): boolean {
  return job.status === "running" && !job.isOpen && liveTasks(job) === 0
}

/** With the gate of the job, where it has one. */
export function withJobGate(gates: readonly GateRef[], job: Pick<JobRecord, "id" | "concurrency"> | null): readonly GateRef[] {
  if (!job || job.concurrency === null || gates.some(({ limit }) => limit === jobLimit)) return gates
  return [...gates, { limit: jobLimit, key: job.id, cost: 1 }]
}

// Jobs through all trouble: what a job counts is what its tasks are, nothing of it starts after its end, and what was to follow is there once,
// where it has completed.

import type { Store } from "../../store/index.ts"
import { type JobRecord, jobTallies, type TaskRecord } from "../../task/index.ts"
import type { Violation, ViolationKind } from "../checker/index.ts"

export const crewName = "crew"
const page = { statuses: null, type: null, tag: null, createdFromMs: null, createdBeforeMs: null, beforeSeq: null, limit: 1_000 }

export async function judgeCrews(store: Store): Promise<Violation[]> {
  const { jobs } = await store.jobs({ ids: null, name: crewName, statuses: null, beforeSeq: null, limit: 1_000 })
  const found: Violation[] = []
  for (const { job } of jobs) {
    const { tasks } = await store.list({ ...page, jobId: job.id })
    const tell = (kind: ViolationKind, what: string) => found.push({ kind, about: job.id, message: `job ${job.id}: ${what}` })
    judgeCounts(job, tasks, tell)
    for (const task of tasks) await judgeStarts(store, job, task, tell)
    if (job.onComplete) await judgeFollower(store, job, job.onComplete.id, tell)
  }
  return found
}

type Tell = (kind: ViolationKind, what: string) => void

function judgeCounts(job: JobRecord, tasks: readonly TaskRecord[], tell: Tell): void {
  for (const status of jobTallies) {
    const there = tasks.filter((task) => task.status === status).length
    if (job.tasks[status] !== there) tell("index_drift", `it counts ${job.tasks[status]} ${status} tasks, and there are ${there}`)
  }
  const lastEndMs = Math.max(0, ...tasks.map(({ completedAtMs, expiredAtMs }) => completedAtMs ?? expiredAtMs ?? 0))
  if (job.status === "completed" && lastEndMs > (job.endedAtMs ?? 0))
    tell("double_terminal", `it completed at ${job.endedAtMs}, before its last task, at ${lastEndMs}`)
  if (job.status === "running") tell("not_drained", "all of its tasks have ended, and it is still running")
  const failed = tasks.filter(({ status }) => status === "failed").length
  if (job.status === "failed" && failed < (job.failureThreshold ?? 0)) tell("index_drift", `it has failed after ${failed} failures`)
}

/** Somebody may have retried a task of a job that had completed: then the job has ended anew. */
async function judgeStarts(store: Store, job: JobRecord, task: TaskRecord, tell: Tell): Promise<void> {
  const { entries } = await store.history({ id: task.id })
  const late = entries?.find(({ event, atMs }) => event === "claimed" && job.endedAtMs !== null && atMs > job.endedAtMs)
  if (late) tell("cancel_ignored", `it ended at ${job.endedAtMs} as ${job.status}, and task ${task.id} was claimed at ${late.atMs}`)
}

async function judgeFollower(store: Store, job: JobRecord, id: string, tell: Tell): Promise<void> {
  const { tasks } = await store.get({ ids: [id] })
  if (tasks[0] && job.onCompleteTaskId === null)
    tell("double_terminal", `task ${id} was to follow it, and is there though it never completed`)
  if (!tasks[0] && job.status === "completed") tell("lost", `task ${id} was to follow it, and is not there`)
}

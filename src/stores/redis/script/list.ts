// List: along the sequence numbers, from the newest on, a bounded number of tasks in one look.

import { budgets, type ListAnswer, type ListRequest } from "../../../store/contract.ts"
import type { FirstPending } from "../../../store/records.ts"
import type { TaskRecord } from "../../../task/index.ts"
import { orderSpan } from "../layout.ts"
import { recordOf, type Tasks } from "./tasks.ts"

/** How many tasks one look goes through. */
const listLook = 10_000
/** How many of a job are asked for at once. */
const piece = 500

/** The sequence numbers of a job's tasks, newest first. */
interface TasksOfJobs {
  tasksOf(jobId: string, beforeSeq: number | null, limit: number): readonly number[]
}

export function listTasks(tasks: Tasks, jobs: TasksOfJobs, request: ListRequest): ListAnswer {
  const limit = Math.min(request.limit, budgets.listPage)
  const found: TaskRecord[] = []
  let before = request.beforeSeq ?? Number.MAX_SAFE_INTEGER
  let looked = 0
  for (;;) {
    const seqs = request.jobId === null ? nextOf(tasks, before) : jobs.tasksOf(request.jobId, before, piece)
    if (seqs.length === 0) return { tasks: found, nextBeforeSeq: null }
    tasks.readBySeq(seqs)
    for (const seq of seqs) {
      before = seq
      looked++
      const entry = tasks.entryOfSeq(seq)
      const task = entry && recordOf(entry)
      if (task && fits(task, request)) found.push(task)
      if (found.length >= limit || looked >= listLook) return { tasks: found, nextBeforeSeq: before }
    }
  }
}

/** The numbers of the next bucket that has some before this one, newest first. */
function nextOf(tasks: Tasks, before: number): number[] {
  for (const bucket of tasks.buckets(Math.floor((before - 1) / orderSpan), 2)) {
    const seqs = tasks.seqsIn(bucket).filter((seq) => seq < before)
    if (seqs.length > 0) return seqs
  }
  return []
}

/** The first that waits, from the oldest on. */
export function firstPendingTask(tasks: Tasks, afterSeq: number): FirstPending {
  let after = afterSeq
  let looked = 0
  for (;;) {
    const seqs = followingOf(tasks, after)
    if (seqs.length === 0) return { first: null, nextAfterSeq: after, isEnd: true }
    tasks.readBySeq(seqs)
    for (const seq of seqs) {
      const entry = tasks.entryOfSeq(seq)
      const task = entry && recordOf(entry)
      if (task && task.status === "pending") return { first: task, nextAfterSeq: seq - 1, isEnd: false }
      after = seq
      looked++
      if (looked >= listLook) return { first: null, nextAfterSeq: after, isEnd: false }
    }
  }
}

/** The numbers of the next bucket that has some behind this one, oldest first. */
function followingOf(tasks: Tasks, after: number): number[] {
  for (const bucket of tasks.bucketsFrom(Math.floor((after + 1) / orderSpan), 2)) {
    const seqs = tasks.seqsIn(bucket).filter((seq) => seq > after)
    if (seqs.length > 0) return seqs.sort((a, b) => a - b)
  }
  return []
}

function fits(task: TaskRecord, request: ListRequest): boolean {
  if (request.statuses !== null && !request.statuses.includes(task.status)) return false
  if (request.type !== null && task.type !== request.type) return false
  if (request.createdFromMs !== null && task.createdAtMs < request.createdFromMs) return false
  if (request.createdBeforeMs !== null && task.createdAtMs >= request.createdBeforeMs) return false
  return request.tag === null || task.tags.includes(request.tag)
}

// Submit: all of the batch or nothing. A key or an id that is known already gives back the first task, so that a
// submission whose answer was lost can be sent again.

import {
  type Change,
  checkSchedule,
  closeJob,
  create,
  createJob,
  type JobRecord,
  type NewJob,
  type NewTask,
  setForecast,
  type TaskRecord,
  withJobGate,
} from "../task/index.ts"
import type { SubmitAnswer, SubmitRequest, SubmittedTask } from "./contract.ts"
import { Arrivals, aheadOf, exact, forecastTask } from "./forecast.ts"
import type { Records } from "./records.ts"

export function submit(records: Records, request: SubmitRequest): SubmitAnswer {
  const { newJob, closeJob: closed } = request
  if (newJob === undefined && closed === undefined) return submitTasks(records, request)
  const made = newJob && !records.jobs.get(newJob.id) ? newJob : null
  const wrong = made?.onComplete?.gates ? records.gates.check(made.onComplete.gates) : null
  if (wrong) return { ...wrong, index: -1 }
  if (made) records.jobs.put(createJob(made, records.takeSequence(1), records.nowMs))
  const answer = submitTasks(records, request)
  if (answer.kind !== "ok") {
    if (made) records.jobs.drop(made.id)
    return answer
  }
  return { ...answer, ...finished(records, newJob, closed) }
}

/** The job as it is behind these tasks. */
function finished(records: Records, newJob: NewJob | undefined, closed: string | undefined): { readonly job?: JobRecord } {
  const id = closed ?? newJob?.id ?? ""
  const job = records.jobs.get(id)
  if (job && closed !== undefined) records.jobs.put(closeJob(job, records.nowMs))
  // One without tasks has completed already.
  records.jobs.conclude()
  const after = records.jobs.get(id)
  return after ? { job: after } : {}
}

function submitTasks(records: Records, request: SubmitRequest): SubmitAnswer {
  const known = knownTasks(records, request.tasks)
  const firstSeq = records.takeSequence(request.tasks.length)
  const changes: Change[] = []
  const answers: SubmittedTask[] = []
  const arrivals = new Arrivals(records)
  const gatesOf = ofType(records)
  const atOnce = exact(records.nowMs, "now", null)
  for (const [index, asked] of request.tasks.entries()) {
    let task = asked.gates === null ? { ...asked, gates: gatesOf(asked.type) } : asked
    const existing = known.byId.get(task.id) ?? (task.idempotencyKey === null ? undefined : known.byKey.get(task.idempotencyKey))
    if (existing) {
      if (!isSame(existing, task)) return { kind: "conflict", index, existing }
      answers.push({ task: existing, created: false, forecast: forecastTask(records, existing, aheadOf(records, existing)) })
      continue
    }
    const wrong = task.gates && task.gates.length > 0 ? records.gates.check(task.gates) : null
    if (wrong) return { ...wrong, index }
    if (task.jobId !== null) {
      const job = records.jobs.get(task.jobId)
      if (!job) return { kind: "unknown_job", index, jobId: task.jobId }
      if (job.status !== "running") return { kind: "job_ended", index, job }
      if (task.gates) task = { ...task, gates: withJobGate(task.gates, job) }
    }
    const refusal = checkSchedule(task, records.nowMs)
    if (refusal) return { kind: "schedule_after_expiry", index, message: refusal.message }
    const created = create(task, firstSeq + index, records.nowMs)
    const isGated = created.task.gates !== null && created.task.gates.length > 0
    const isPlain =
      !isGated && created.task.gates !== null && created.task.status === "pending" && created.task.availableAtMs <= records.nowMs
    const forecast = isPlain ? atOnce : forecastTask(records, created.task, isGated ? arrivals.aheadOf(created.task) : nobodyAhead)
    if (isGated) setForecast(created, forecast?.atMs ?? null)
    if (isGated && created.task.status === "pending" && created.task.availableAtMs <= records.nowMs) arrivals.add(created.task)
    known.byId.set(task.id, created.task)
    if (task.idempotencyKey !== null) known.byKey.set(task.idempotencyKey, created.task)
    changes.push(created)
    answers.push({ task: created.task, created: true, forecast })
  }
  records.insert(changes)
  return { kind: "ok", nowMs: records.nowMs, tasks: answers }
}

const nobodyAhead = () => ({ tasks: 0, cost: 0 })

/** A type that is known to pass no gates needs nobody to say so for each task. */
function ofType(records: Records): (type: string) => readonly never[] | null {
  const known = new Map<string, { readonly gates: readonly never[] | null }>()
  return (type) => {
    const found = known.get(type) ?? { gates: records.limits.limitsOfType(type)?.length === 0 ? [] : null }
    known.set(type, found)
    return found.gates
  }
}

function knownTasks(records: Records, tasks: readonly NewTask[]): { byId: Map<string, TaskRecord>; byKey: Map<string, TaskRecord> } {
  const ids: string[] = []
  const keys: string[] = []
  for (const { id, idempotencyKey } of tasks) {
    ids.push(id)
    if (idempotencyKey !== null) keys.push(idempotencyKey)
  }
  const byId = new Map(records.load(ids))
  const byKey = new Map<string, TaskRecord>()
  if (keys.length > 0) for (const found of records.loadByKey(keys)) byKey.set(found.idempotencyKey ?? "", found)
  return { byId, byKey }
}

function isSame(existing: TaskRecord, task: NewTask): boolean {
  if (existing.type !== task.type) return false
  return task.inputDigest === null ? existing.input === task.input : existing.inputDigest === task.inputDigest
}

// Jobs for tests, with what most of them do not care about filled in.

import { ok } from "node:assert/strict"
import type { JobDetail } from "../../store/jobs-contract.ts"
import type { JobRecord, NewJob, NewTask } from "../../task/index.ts"
import type { Desk } from "./desk.ts"

export function newJob(desk: Desk, fields: Partial<NewJob> = {}): NewJob {
  return {
    id: desk.newTask().id,
    name: "import",
    isOpen: false,
    concurrency: null,
    failureThreshold: null,
    exemptStatuses: [],
    cancelAfterThrottles: null,
    onComplete: null,
    ...fields,
  }
}

/** A job with so many tasks, in one batch; its id. */
export async function startJob(desk: Desk, count: number, fields: Partial<NewJob> = {}, task: Partial<NewTask> = {}): Promise<string> {
  const job = newJob(desk, fields)
  const tasks = Array.from({ length: count }, () => desk.newTask({ jobId: job.id, flow: job.id, ...task }))
  const answer = await desk.store.submit({ tasks, newJob: job })
  ok(answer.kind === "ok", `expected the job to be stored, got ${answer.kind}`)
  return job.id
}

export async function jobOf(desk: Desk, id: string): Promise<JobRecord> {
  return (await detailOf(desk, id)).report.job
}

export async function detailOf(desk: Desk, id: string): Promise<JobDetail> {
  const { detail } = await desk.store.job({ id })
  ok(detail, `expected job ${id} to be there`)
  return detail
}

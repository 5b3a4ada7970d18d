// What is told about jobs, and what people change of them.

import { closeJob, endJob, gateName, type JobRecord, jobLimit, jobRate, liveTasks } from "../task/index.ts"
import { budgets } from "./contract.ts"
import { aheadOf, forecastTask } from "./forecast.ts"
import type { ChangeJobAnswer, ChangeJobRequest, JobDetail, JobFinish, JobReport, JobsAnswer, JobsRequest } from "./jobs-contract.ts"
import type { Records } from "./records.ts"
import { reportGate } from "./report.ts"

/** How many of its tasks are looked at for their gates, and how many gates are told. */
const lookedAt = 500
const toldGates = 100
const toldRunning = 100

export function reportJobs(records: Records, request: JobsRequest): JobsAnswer {
  const found = records.jobRecords.jobs(request)
  return {
    nowMs: records.nowMs,
    jobs: found.map((job) => reportJob(records, job)),
    nextBeforeSeq: found.length < request.limit ? null : (found.at(-1)?.seq ?? null),
  }
}

function reportJob(records: Records, job: JobRecord): JobReport {
  const ratePerSecond = jobRate(job, records.nowMs)
  return { job, ratePerSecond, finish: finishOf(records, job, ratePerSecond) }
}

/** The later of two: by how fast it was lately, and by when the gates let its last task start. */
function finishOf(records: Records, job: JobRecord, ratePerSecond: number | null): JobFinish | null {
  const left = liveTasks(job)
  if (job.status !== "running" || left === 0) return null
  const byRate: JobFinish | null =
    ratePerSecond === null ? null : { atMs: records.nowMs + Math.ceil((left * 1_000) / ratePerSecond), basis: "rate", gate: null }
  const [last] = records.jobRecords.live(job.id, "last", 1)
  const forecast = last ? forecastTask(records, last, aheadOf(records, last)) : null
  if (!forecast || forecast.atMs === null || forecast.gate === null || forecast.basis === "now") return byRate
  return byRate && byRate.atMs >= forecast.atMs ? byRate : { atMs: forecast.atMs, basis: "gate", gate: forecast.gate }
}

export function explainJob(records: Records, id: string): JobDetail | null {
  const job = records.jobRecords.job(id)
  if (!job) return null
  const running = records.jobRecords.live(id, "running", toldRunning)
  const next = records.jobRecords.live(id, "next", lookedAt)
  const refs = new Map([...running, ...next].flatMap((task) => task.gates ?? []).map((ref) => [gateName(ref), ref]))
  if (job.concurrency !== null) refs.set(gateName({ limit: jobLimit, key: id }), { limit: jobLimit, key: id, cost: 1 })
  const gates = [...refs.values()].flatMap((ref) => records.gates.gate(ref) ?? []).map((gate) => reportGate(records, gate))
  const [first] = next
  const forecast = first ? forecastTask(records, first, aheadOf(records, first)) : null
  return {
    nowMs: records.nowMs,
    report: reportJob(records, job),
    heldBy: forecast && forecast.basis !== "now" ? forecast.gate : null,
    gates: gates
      .sort((a, b) => (a.waitingTasks === b.waitingTasks ? (a.gate < b.gate ? -1 : 1) : b.waitingTasks - a.waitingTasks))
      .slice(0, toldGates),
    running,
  }
}

/** Again it changes nothing. */
export function changeJob(records: Records, { id, change }: ChangeJobRequest): ChangeJobAnswer {
  const { jobs, nowMs } = records
  const job = jobs.get(id)
  if (!job) return { kind: "missing" }
  switch (change.kind) {
    case "cancel":
      if (job.status === "completed" || job.status === "failed") return { kind: "ended", job }
      jobs.put(endJob(job, "cancelled", change.reason, nowMs))
      break
    case "close":
      jobs.put(closeJob(job, nowMs))
      break
    case "concurrency":
      if (job.status !== "running") return { kind: "ended", job }
      if (job.concurrency === null) return { kind: "unbounded" }
      jobs.put({ ...job, concurrency: change.concurrency, updatedAtMs: nowMs })
      records.gates.forget()
      records.limits.hurry(jobLimit)
      break
  }
  jobs.conclude()
  const changed = jobs.get(id) ?? job
  // Of a large job that is cancelled again, the next step's worth.
  if (changed.isStopping && job.isStopping) jobs.stop(changed, budgets.stepRows)
  const after = jobs.get(id) ?? changed
  return { kind: "ok", nowMs, report: reportJob(records, after), more: after.isStopping }
}

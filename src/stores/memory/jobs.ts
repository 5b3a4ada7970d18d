// Jobs in memory, with the tasks of each that wait or run.

import type { JobRecords, LiveTasks } from "../../store/job-records.ts"
import type { JobsRequest } from "../../store/jobs-contract.ts"
import type { JobRecord, TaskRecord } from "../../task/index.ts"
import type { ImageLine, Restore } from "./image.ts"
import { SortedSet } from "./sorted.ts"

interface Live {
  readonly seq: number
  readonly id: string
}

const wanted: Readonly<Record<LiveTasks, (task: TaskRecord) => boolean>> = {
  next: ({ status }) => status === "pending",
  last: ({ status }) => status === "pending",
  running: ({ status }) => status === "running",
  stoppable: ({ status, cancelRequestedAtMs }) => status === "pending" || cancelRequestedAtMs === null,
}

export class MemoryJobs implements JobRecords {
  private readonly byId = new Map<string, JobRecord>()
  private readonly liveByJob = new Map<string, SortedSet<Live>>()
  private readonly task: (id: string) => TaskRecord | undefined

  constructor(task: (id: string) => TaskRecord | undefined) {
    this.task = task
  }

  /** The task waits or runs: it belongs to what is live of its job. */
  enter({ jobId, seq, id, status }: TaskRecord): void {
    if (jobId === null || (status !== "pending" && status !== "running")) return
    const live = this.liveByJob.get(jobId) ?? new SortedSet<Live>((a, b) => a.seq - b.seq)
    this.liveByJob.set(jobId, live)
    live.add({ seq, id })
  }

  leave({ jobId, seq, id }: TaskRecord): void {
    const live = jobId === null ? undefined : this.liveByJob.get(jobId)
    live?.delete({ seq, id })
    if (live?.size === 0 && jobId !== null) this.liveByJob.delete(jobId)
  }

  image(): ImageLine[] {
    return [...this.byId.values()].map((job) => ["job", job])
  }

  readonly restore: Restore = { job: (job: JobRecord) => this.saveJob(job) }

  job(id: string): JobRecord | null {
    return this.byId.get(id) ?? null
  }

  saveJob(job: JobRecord): void {
    this.byId.set(job.id, job)
  }

  jobs({ ids, name, statuses, beforeSeq, limit }: JobsRequest): JobRecord[] {
    return [...this.byId.values()]
      .filter((job) => beforeSeq === null || job.seq < beforeSeq)
      .filter((job) => ids === null || ids.includes(job.id))
      .filter((job) => name === null || job.name === name)
      .filter((job) => statuses === null || statuses.includes(job.status))
      .sort((a, b) => b.seq - a.seq)
      .slice(0, limit)
  }

  live(jobId: string, which: LiveTasks, limit: number): TaskRecord[] {
    const live = this.liveByJob.get(jobId)
    if (!live) return []
    const found: TaskRecord[] = []
    for (const { id } of which === "last" ? live.before(null) : live.slice(0, live.size)) {
      if (found.length >= limit) break
      const task = this.task(id)
      if (task && wanted[which](task)) found.push(task)
    }
    return found
  }

  stopping(limit: number): JobRecord[] {
    return [...this.byId.values()]
      .filter(({ isStopping }) => isStopping)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
  }

  endedBefore(beforeMs: number, limit: number): JobRecord[] {
    return [...this.byId.values()]
      .filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs <= beforeMs)
      .sort((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0) || a.seq - b.seq)
      .slice(0, limit)
  }

  removeJobs(ids: readonly string[]): void {
    for (const id of ids) this.byId.delete(id)
  }
}

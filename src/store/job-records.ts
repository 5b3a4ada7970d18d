// What a store keeps of jobs, as one atomic step sees it. Part of the records, and synchronous like them.

import type { JobRecord, TaskRecord } from "../task/index.ts"
import type { JobsRequest } from "./jobs-contract.ts"

/**
 * `next`: pending, oldest first. `last`: pending, newest first. `running`: oldest first. `stoppable`: pending, or running and not
 * asked to stop yet, oldest first.
 */
export type LiveTasks = "next" | "last" | "running" | "stoppable"

export interface JobRecords {
  job(id: string): JobRecord | null
  saveJob(job: JobRecord): void
  /** Newest first. */
  jobs(request: JobsRequest): readonly JobRecord[]
  live(jobId: string, which: LiveTasks, limit: number): readonly TaskRecord[]
  /** Jobs that have ended, of which not every task was told; the oldest first. */
  stopping(limit: number): readonly JobRecord[]
  /** Jobs that ended at or before this time; the longest ended first. */
  endedBefore(beforeMs: number, limit: number): readonly JobRecord[]
  removeJobs(ids: readonly string[]): void
}

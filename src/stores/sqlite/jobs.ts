// Jobs in SQLite: one record each, and the tasks of a job by its partial indexes.

import { shown } from "../../errors/index.ts"
import type { JobRecords, LiveTasks } from "../../store/job-records.ts"
import { isJobRecord } from "../../store/job-sound.ts"
import type { JobsRequest } from "../../store/jobs-contract.ts"
import type { JobRecord, TaskRecord } from "../../task/index.ts"
import { readJson } from "./damage.ts"
import type { Row, Value } from "./driver.ts"
import type { Statements } from "./statements.ts"

const statements: Readonly<Record<LiveTasks, string>> = {
  next: "nextOfJob",
  last: "lastOfJob",
  running: "runningOfJob",
  stoppable: "stoppableOfJob",
}

export class SqliteJobs implements JobRecords {
  private readonly ns: number
  private readonly sql: Statements
  private readonly tasks: (statement: string, ...values: readonly Value[]) => TaskRecord[]

  constructor(ns: number, sql: Statements, tasks: (statement: string, ...values: readonly Value[]) => TaskRecord[]) {
    this.ns = ns
    this.sql = sql
    this.tasks = tasks
  }

  job(id: string): JobRecord | null {
    const [row] = this.sql("readJob").rows(this.ns, id)
    return row ? toJob(row, id) : null
  }

  saveJob(job: JobRecord): void {
    const { seq, id, name, status, isStopping, endedAtMs } = job
    this.sql("saveJob").run(seq, this.ns, id, name, status, isStopping ? 1 : 0, endedAtMs, JSON.stringify(job))
  }

  jobs({ ids, name, statuses, beforeSeq, limit }: JobsRequest): JobRecord[] {
    const before = beforeSeq ?? Number.MAX_SAFE_INTEGER
    return this.sql("listJobs")
      .rows(this.ns, listOrNull(ids), name, listOrNull(statuses), before, limit)
      .map((row) => toJob(row))
  }

  live(jobId: string, which: LiveTasks, limit: number): TaskRecord[] {
    return this.tasks(statements[which], jobId, limit)
  }

  stopping(limit: number): JobRecord[] {
    return this.sql("stoppingJobs")
      .rows(this.ns, limit)
      .map((row) => toJob(row))
  }

  endedBefore(beforeMs: number, limit: number): JobRecord[] {
    return this.sql("jobsEndedBefore")
      .rows(this.ns, beforeMs, limit)
      .map((row) => toJob(row))
  }

  removeJobs(ids: readonly string[]): void {
    if (ids.length > 0) this.sql("removeJobs").run(this.ns, JSON.stringify(ids))
  }
}

function toJob([record]: Row, id?: string): JobRecord {
  return readJson(record, isJobRecord, "a job", () => (id === undefined ? "a row of jobs" : `job ${shown(id)} (in jobs)`))
}

function listOrNull(items: readonly string[] | null): string | null {
  return items && JSON.stringify(items)
}

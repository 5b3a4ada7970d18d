// Jobs in Postgres: one record each, and the tasks of a job by their partial indexes. What a step saves is written when it ends, or
// before jobs are looked for by anything but their id.

import { shown } from "../../errors/index.ts"
import type { LiveTasks } from "../../store/job-records.ts"
import { isJobRecord } from "../../store/job-sound.ts"
import type { JobsRequest } from "../../store/jobs-contract.ts"
import type { WaitedJobs } from "../../store/waited.ts"
import type { JobRecord, TaskRecord } from "../../task/index.ts"
import { sound } from "./damage.ts"
import type { Row, Sql, Value } from "./sql.ts"

const statements: Readonly<Record<LiveTasks, string>> = {
  next: "nextOfJob",
  last: "lastOfJob",
  running: "runningOfJob",
  stoppable: "stoppableOfJob",
}

/** Reads tasks by a statement whose first parameter is the namespace. */
export type ReadTasks = (statement: string, ...values: readonly Value[]) => Promise<TaskRecord[]>

export class PostgresJobs implements WaitedJobs {
  private readonly ns: number
  private readonly sql: Sql
  private readonly tasks: ReadTasks
  /** Judged when it is asked for: one that is damaged must not keep those from being read that were read with it. */
  private readonly known = new Map<string, () => JobRecord | null>()
  private readonly saved = new Map<string, JobRecord>()
  private readonly removed = new Set<string>()

  constructor({ ns, sql, tasks }: { ns: number; sql: Sql; tasks: ReadTasks }) {
    this.ns = ns
    this.sql = sql
    this.tasks = tasks
  }

  /** Those that are not known yet, in one query. */
  async readAhead(ids: Iterable<string>): Promise<void> {
    const asked = [...new Set(ids)].filter((id) => !this.known.has(id))
    if (asked.length === 0) return
    for (const [id, record] of await this.sql.rows("readJobs", this.ns, asked))
      this.known.set(id as string, () => toJob(record, `job ${shown(id)} (in jobs)`))
    for (const id of asked) if (!this.known.has(id)) this.known.set(id, () => null)
  }

  async job(id: string): Promise<JobRecord | null> {
    await this.readAhead([id])
    return this.known.get(id)?.() ?? null
  }

  saveJob(job: JobRecord): void {
    this.known.set(job.id, () => job)
    this.saved.set(job.id, job)
  }

  async jobs({ ids, name, statuses, beforeSeq, limit }: JobsRequest): Promise<JobRecord[]> {
    await this.flush()
    const before = beforeSeq ?? Number.MAX_SAFE_INTEGER
    const rows = await this.sql.rows("listJobs", this.ns, ids, name, statuses, before, limit)
    return rows.map(([record]) => toJob(record))
  }

  live(jobId: string, which: LiveTasks, limit: number): Promise<TaskRecord[]> {
    return this.tasks(statements[which], jobId, limit)
  }

  async stopping(limit: number): Promise<JobRecord[]> {
    await this.flush()
    return (await this.sql.rows("stoppingJobs", this.ns, limit)).flatMap(toSoundJob)
  }

  async endedBefore(beforeMs: number, limit: number): Promise<JobRecord[]> {
    await this.flush()
    return (await this.sql.rows("jobsEndedBefore", this.ns, beforeMs, limit)).flatMap(toSoundJob)
  }

  removeJobs(ids: readonly string[]): void {
    for (const id of ids) {
      this.known.set(id, () => null)
      this.saved.delete(id)
      this.removed.add(id)
    }
  }

  /** Writes what the step has changed so far. */
  async flush(): Promise<void> {
    if (this.removed.size > 0) {
      const ids = [...this.removed]
      this.removed.clear()
      this.sql.tell("removeJobs", this.ns, ids)
    }
    if (this.saved.size === 0) return
    const jobs = [...this.saved.values()]
    this.saved.clear()
    this.sql.tell(
      "saveJobs",
      this.ns,
      jobs.map(({ seq }) => seq),
      jobs.map(({ id }) => id),
      jobs.map(({ name }) => name),
      jobs.map(({ status }) => status),
      jobs.map(({ isStopping }) => isStopping),
      jobs.map(({ endedAtMs }) => endedAtMs),
      JSON.stringify(jobs),
    )
  }
}

function toJob(record: unknown, name = "a row of jobs"): JobRecord {
  return sound(record, isJobRecord, "a job", () => name)
}

/** For the sweep: a job that is damaged must not keep all others from being swept. Whoever asks for it is told. */
function toSoundJob([record]: Row): JobRecord[] {
  return isJobRecord(record) ? [record] : []
}

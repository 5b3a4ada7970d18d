// Jobs in Redis: one packed record each, with its status and name before it, so that a list need not unpack what nobody asked for.

import type { JobRecords, LiveTasks } from "../../../store/job-records.ts"
import type { JobsRequest } from "../../../store/jobs-contract.ts"
import type { JobRecord, JobStatus, Status, TaskRecord } from "../../../task/index.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import type { Context } from "./context.ts"
import { JobTasks, type OfJob, type TasksBySeq } from "./job-tasks.ts"
import { bytesAfter, bytesBefore, sortable } from "./lua.ts"
import { unpackAt, unpacked, unreadable } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

/** How many jobs a list looks at at once. */
const listPiece = 200

type Brief = [status: JobStatus, name: string, seq: number]

export class RedisJobs implements JobRecords {
  private readonly base: string
  private readonly tasks: JobTasks
  private saved: JobRecord[] = []
  private readonly savedById: Record<string, JobRecord | false> = {}
  private removed: JobRecord[] = []

  constructor(context: Context, tasks: TasksBySeq) {
    this.base = context.base
    this.tasks = new JobTasks(context, tasks)
  }

  /** Every change of a status of a task that has a job; null before it was there. */
  moved(task: OfJob, from: Status | null, to: Status): void {
    this.tasks.moved(task, from, to)
  }

  /** Retention has removed the task. */
  forgetTask(task: OfJob): void {
    this.tasks.forget(task)
  }

  /** The sequence numbers of its tasks, the newest first. */
  tasksOf(jobId: string, beforeSeq: number | null, limit: number): readonly number[] {
    return this.tasks.before(jobId, beforeSeq, limit)
  }

  job(id: string): JobRecord | null {
    const own = this.savedById[id]
    if (own !== undefined) return own === false ? null : own
    const text = redis.call("HGET", `${this.base}jobs`, id) as string | false
    return text === false ? null : this.toJob(text, id)
  }

  saveJob(job: JobRecord): void {
    const known = this.savedById[job.id]
    if (known === undefined || known === false) this.saved.push(job)
    this.savedById[job.id] = job
  }

  /** Newest first. */
  jobs({ ids, name, statuses, beforeSeq, limit }: JobsRequest): readonly JobRecord[] {
    this.write()
    const isWanted = (brief: Brief) =>
      (name === null || brief[1] === name) &&
      (statuses === null || statuses.includes(brief[0])) &&
      (beforeSeq === null || brief[2] < beforeSeq)
    if (ids !== null) {
      const found = this.pick(once(ids), isWanted)
      return found.sort((a, b) => b.seq - a.seq).slice(0, limit)
    }
    const found: JobRecord[] = []
    const from = beforeSeq === null ? "+inf" : `(${beforeSeq}`
    for (let at = 0; found.length < limit; at += listPiece) {
      const piece = redis.call("ZREVRANGEBYSCORE", `${this.base}jobs-order`, from, "-inf", "LIMIT", at, listPiece) as string[]
      for (const job of this.pick(piece, isWanted)) if (found.length < limit) found.push(job)
      if (piece.length < listPiece) break
    }
    return found
  }

  live(jobId: string, which: LiveTasks, limit: number): readonly TaskRecord[] {
    return this.tasks.live(jobId, which, limit)
  }

  stopping(limit: number): readonly JobRecord[] {
    if (limit <= 0) return []
    this.write()
    return this.pick(redis.call("ZRANGE", `${this.base}jobs-stopping`, 0, limit - 1) as string[], () => true)
  }

  endedBefore(beforeMs: number, limit: number): readonly JobRecord[] {
    if (limit <= 0) return []
    this.write()
    const members = redis.call("ZRANGEBYSCORE", `${this.base}jobs-ended`, "-inf", beforeMs, "LIMIT", 0, limit) as string[]
    return this.pick(
      members.map((member) => idOfEnded(member)),
      () => true,
    )
  }

  removeJobs(ids: readonly string[]): void {
    for (const id of ids) {
      const job = this.job(id)
      if (job === null) continue
      this.savedById[id] = false
      this.removed.push(job)
    }
  }

  /** Ends the step. */
  end(): void {
    this.tasks.write()
    this.write()
  }

  private write(): void {
    // What is saved after it was removed is there.
    if (this.removed.length > 0) this.writeRemoved()
    if (this.saved.length > 0) this.writeSaved()
  }

  private writeSaved(): void {
    const { base, saved } = this
    this.saved = []
    const records: Values = []
    const order: Values = []
    const ended: Values = []
    const unended: Values = []
    const stopping: Values = []
    const stopped: Values = []
    for (const { id } of saved) {
      const job = this.savedById[id]
      if (job === undefined || job === false) continue
      delete this.savedById[id]
      records.push(id, cmsgpack.pack([job.status, job.name, job.seq], job))
      order.push(job.seq, id)
      if (job.endedAtMs !== null) ended.push(job.endedAtMs, endedMember(job))
      else unended.push(endedMember(job))
      if (job.isStopping) stopping.push(job.seq, id)
      else stopped.push(id)
    }
    callWith("HSET", `${base}jobs`, records)
    callWith("ZADD", `${base}jobs-order`, order)
    callWith("ZADD", `${base}jobs-ended`, ended)
    callWith("ZREM", `${base}jobs-ended`, unended)
    callWith("ZADD", `${base}jobs-stopping`, stopping)
    callWith("ZREM", `${base}jobs-stopping`, stopped)
  }

  private writeRemoved(): void {
    const { base, removed } = this
    this.removed = []
    for (const job of removed) {
      redis.call("HDEL", `${base}jobs`, job.id)
      redis.call("ZREM", `${base}jobs-order`, job.id)
      redis.call("ZREM", `${base}jobs-ended`, endedMember(job))
      redis.call("ZREM", `${base}jobs-stopping`, job.id)
    }
  }

  /** Those of them that are there and wanted. */
  private pick(ids: readonly string[], isWanted: (brief: Brief) => boolean): JobRecord[] {
    const texts = askWith("HMGET", `${this.base}jobs`, ids)
    const found: JobRecord[] = []
    for (let i = 0; i < ids.length; i++) {
      const text = texts[i] as string | false
      if (text === false) continue
      const id = ids[i] as string
      const [isSound, offset, brief] = unpackAt(text, 0)
      if (!isSound || typeof brief !== "object") throw unreadable(`${this.base}jobs`, id, "a job", text)
      if (isWanted(brief as Brief)) found.push(unpacked<JobRecord>(bytesAfter(text, offset), `${this.base}jobs`, id))
    }
    return found
  }

  private toJob(text: string, id: string): JobRecord {
    const [isSound, offset] = unpackAt(text, 0)
    if (!isSound) throw unreadable(`${this.base}jobs`, id, "a job", text)
    return unpacked<JobRecord>(bytesAfter(text, offset), `${this.base}jobs`, id)
  }
}

function once(ids: readonly string[]): string[] {
  const isKnown: Record<string, true> = {}
  const found: string[] = []
  for (const id of ids) {
    if (isKnown[id] !== true) found.push(id)
    isKnown[id] = true
  }
  return found
}

/** By its end, and then by its number. */
function endedMember({ seq, id }: JobRecord): string {
  return `${sortable(seq)}:${id}`
}

function idOfEnded(member: string): string {
  return bytesAfter(member, (bytesBefore(member, ":") ?? -1) + 1)
}

/** A function, so that a step that does not need it does not load it. */
export function openJobs(context: Context, tasks: TasksBySeq): RedisJobs {
  return new RedisJobs(context, tasks)
}

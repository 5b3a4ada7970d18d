// The tasks of jobs, by sequence number: all of a job, those that wait, those that run. What a step changes is written when somebody asks, or
// when the step ends: for each job a few commands, however many of its tasks have moved.

import type { LiveTasks } from "../../../store/job-records.ts"
import type { Status, TaskRecord } from "../../../task/index.ts"
import { callWith } from "./batch.ts"
import type { Context } from "./context.ts"
import { addSequences, firstSequences, lastSequences, numbersIn, removeSequences } from "./sequence-sets.ts"

/** Where tasks are read by sequence number: those that are there, in the order of the numbers. */
export interface TasksBySeq {
  loadBySeq(seqs: readonly number[]): readonly TaskRecord[]
}

export type OfJob = Pick<TaskRecord, "jobId" | "seq">

interface Moves {
  readonly jobId: string
  readonly seqs: number[]
  /** What each was before the step; false: it was not there. */
  readonly from: Record<number, Status | false>
  readonly to: Record<number, Status>
  readonly gone: number[]
}

export class JobTasks {
  private readonly base: string
  private readonly tasks: TasksBySeq
  private moves: Moves[] = []
  private byJob: Record<string, Moves> = {}

  constructor({ base }: Context, tasks: TasksBySeq) {
    this.base = base
    this.tasks = tasks
  }

  /** Null: it was not there before. */
  moved({ jobId, seq }: OfJob, from: Status | null, to: Status): void {
    if (jobId === null || from === to) return
    const moves = this.of(jobId)
    if (moves.to[seq] === undefined) {
      moves.seqs.push(seq)
      moves.from[seq] = from ?? false
    }
    moves.to[seq] = to
  }

  /** The task is removed. */
  forget({ jobId, seq }: OfJob): void {
    if (jobId !== null) this.of(jobId).gone.push(seq)
  }

  /** Of all tasks of the job, before the given one (null: the last), at most `limit`, the last first. */
  before(jobId: string, beforeSeq: number | null, limit: number): number[] {
    this.write()
    return lastSequences(`${this.base}job-tasks:${jobId}`, beforeSeq, limit)
  }

  live(jobId: string, which: LiveTasks, limit: number): readonly TaskRecord[] {
    if (limit <= 0) return []
    this.write()
    const pending = `${this.base}job-pending:${jobId}`
    if (which === "next") return this.tasks.loadBySeq(firstSequences(pending, limit))
    if (which === "last") return this.tasks.loadBySeq(lastSequences(pending, null, limit))
    const running = numbersIn(`${this.base}job-running:${jobId}`)
    if (which === "running") return this.tasks.loadBySeq(running.slice(0, limit))
    const unasked = this.tasks.loadBySeq(running).filter((task) => task.cancelRequestedAtMs === null)
    const waiting = this.tasks.loadBySeq(firstSequences(pending, limit))
    return waiting
      .concat(unasked)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit)
  }

  write(): void {
    if (this.moves.length === 0) return
    const { moves } = this
    this.moves = []
    this.byJob = {}
    for (const one of moves) this.writeJob(one)
  }

  private writeJob({ jobId, seqs, from, to, gone }: Moves): void {
    const added: number[] = []
    const waiting: number[] = []
    const started: number[] = []
    const unwaiting: number[] = []
    const stopped: number[] = []
    for (const seq of seqs) {
      const [was, is] = [from[seq], to[seq]]
      if (was === false) added.push(seq)
      if (was === is) continue
      if (was === "pending") unwaiting.push(seq)
      else if (was === "running") stopped.push(seq)
      if (is === "pending") waiting.push(seq)
      else if (is === "running") started.push(seq)
    }
    addSequences(`${this.base}job-tasks:${jobId}`, added)
    removeSequences(`${this.base}job-tasks:${jobId}`, gone)
    removeSequences(`${this.base}job-pending:${jobId}`, unwaiting)
    addSequences(`${this.base}job-pending:${jobId}`, waiting)
    callWith("SREM", `${this.base}job-running:${jobId}`, stopped)
    callWith("SADD", `${this.base}job-running:${jobId}`, started)
  }

  private of(jobId: string): Moves {
    const known = this.byJob[jobId]
    if (known !== undefined) return known
    const made: Moves = { jobId, seqs: [], from: {}, to: {}, gone: [] }
    this.byJob[jobId] = made
    this.moves.push(made)
    return made
  }
}

// Tasks that have finished, in the order in which they did: a list of sequence numbers, with the time before those of one moment. What was
// retried or archived since stays there until it is met: it counts only while its task has finished at that time.

import type { TaskRecord } from "../../../task/index.ts"
import { texts, tonumber } from "./builtins.ts"
import type { Context } from "./context.ts"
import { redis } from "./server.ts"
import type { Tasks } from "./tasks.ts"
import type { Writes } from "./writes.ts"

/** How many are looked at in one step. */
const mostLooks = 5_000
const piece = 500

export class Finished {
  private readonly context: Context
  private readonly key: string
  private readonly tasks: Tasks
  private readonly writes: Writes
  private isTimeTold = false

  constructor(context: Context, tasks: Tasks, writes: Writes) {
    this.context = context
    this.key = `${context.base}finished`
    this.tasks = tasks
    this.writes = writes
  }

  add(seq: number): void {
    if (!this.isTimeTold) this.tellTime()
    this.writes.append(this.key, seq)
  }

  private tellTime(): void {
    const { meta, nowMs } = this.context
    this.isTimeTold = true
    if (meta.number("finished") === nowMs) return
    meta.set("finished", nowMs)
    this.writes.append(this.key, texts.format("t%.0f", nowMs))
  }

  /** Takes off the list what finished at or before this time, for whoever asks is going to remove it. */
  takeBefore(beforeMs: number, limit: number): TaskRecord[] {
    const found: TaskRecord[] = []
    /** One that finished twice in one moment stands there twice, and not always in one piece. */
    const isFound: Record<number, boolean | undefined> = {}
    let taken = 0
    /** What stands before the first time was left behind by a step that ended among those of one moment. */
    let atMs: number | null = null
    let isOver = limit <= 0
    this.writes.settle(this.key)
    while (!isOver && taken < mostLooks) {
      const listed = redis.call("LRANGE", this.key, taken, taken + piece - 1) as string[]
      if (listed.length === 0) break
      const seqs: number[] = []
      for (const text of listed) if (!isTime(text)) seqs.push(tonumber(text))
      const ids = this.tasks.idsOf(seqs)
      const bySeq: Record<number, TaskRecord | undefined> = {}
      for (const task of this.tasks.soundRecords(ids)) bySeq[task.seq] = task
      for (const text of listed) {
        if (isTime(text)) {
          atMs = tonumber(texts.sub(text, 2))
          if (atMs > beforeMs) isOver = true
        } else {
          const task = bySeq[tonumber(text)]
          if (task && !isFound[task.seq] && isFinished(task, atMs, beforeMs)) {
            found.push(task)
            isFound[task.seq] = true
          }
          if (found.length >= limit) isOver = true
        }
        if (isOver && isTime(text)) break
        taken++
        if (isOver) break
      }
    }
    if (taken > 0) {
      this.writes.trim(this.key, taken)
      // What finishes in the same moment has to tell its time again.
      this.context.meta.set("finished", 0)
      this.isTimeTold = false
    }
    return found.sort((a, b) => (a.updatedAtMs === b.updatedAtMs ? a.seq - b.seq : a.updatedAtMs - b.updatedAtMs))
  }
}

function isTime(text: string): boolean {
  return texts.byte(text, 1) === 116
}

function isFinished(task: TaskRecord, atMs: number | null, beforeMs: number): boolean {
  const { status, updatedAtMs } = task
  if (status === "pending" || status === "running" || status === "archived" || updatedAtMs > beforeMs) return false
  return atMs === null || updatedAtMs === atMs
}

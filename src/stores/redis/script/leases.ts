// Who runs what: the running tasks of each worker, those of them that were asked to stop, and when to look whether a worker has lost
// some. Of that there is one time for each worker, at or before the end of its first lease: a claim or a heartbeat then writes nothing
// for its tasks, and the sweep puts the time right when it looks.

import type { TaskRecord } from "../../../task/index.ts"
import { tonumber } from "./builtins.ts"
import type { Context } from "./context.ts"
import { redis } from "./server.ts"
import type { Tasks } from "./tasks.ts"
import type { Writes } from "./writes.ts"

/** How many tasks, and workers, one look for lost leases goes through. */
const mostLooks = 2_000

export class Leases {
  private readonly base: string
  private readonly key: string
  private readonly nowMs: number
  private readonly tasks: Tasks
  private readonly writes: Writes
  /** The earliest end of what this step has leased to each worker. */
  private ends: Record<string, number | undefined> = {}
  private workers: string[] = []
  private readonly runningKeys: Record<string, string | undefined> = {}

  constructor({ base, nowMs }: Context, tasks: Tasks, writes: Writes) {
    this.base = base
    this.key = `${base}leases`
    this.nowMs = nowMs
    this.tasks = tasks
    this.writes = writes
  }

  start(workerId: string, seq: number, expiresAtMs: number): void {
    this.writes.addToSet(this.runningKey(workerId), seq)
    const known = this.ends[workerId]
    if (known === undefined) this.workers.push(workerId)
    if (known === undefined || expiresAtMs < known) this.ends[workerId] = expiresAtMs
  }

  end(workerId: string, seq: number): void {
    this.writes.removeFromSet(this.runningKey(workerId), seq)
  }

  askToStop(workerId: string, seq: number): void {
    this.writes.addToSet(this.stopKey(workerId), seq)
  }

  /** It has been asked to stop, and runs no more. */
  stopped(workerId: string, seq: number): void {
    this.writes.removeFromSet(this.stopKey(workerId), seq)
  }

  claimedBy(workerId: string, claimNumber: number): TaskRecord[] {
    return this.members(this.runningKey(workerId), workerId).filter((task) => task.claimNumber === claimNumber)
  }

  cancelRequested(workerId: string): TaskRecord[] {
    return this.members(this.stopKey(workerId), workerId).filter((task) => task.cancelRequestedAtMs !== null)
  }

  runningOf(workerId: string): number {
    return this.members(this.runningKey(workerId), workerId).length
  }

  /** Those whose lease has ended, the earliest first. */
  lost(limit: number): TaskRecord[] {
    this.flush()
    const lost: TaskRecord[] = []
    let looked = 0
    for (const workerId of redis.call("ZRANGEBYSCORE", this.key, "-inf", this.nowMs, "LIMIT", 0, mostLooks) as string[]) {
      if (looked >= mostLooks) break
      looked++
      let earliest: number | null = null
      let hasLost = false
      for (const task of this.members(this.runningKey(workerId), workerId)) {
        looked++
        const endsAtMs = task.leaseExpiresAtMs ?? 0
        if (endsAtMs <= this.nowMs) {
          lost.push(task)
          hasLost = true
        } else if (earliest === null || endsAtMs < earliest) earliest = endsAtMs
      }
      if (hasLost) continue
      if (earliest === null) this.writes.removeSorted(this.key, workerId)
      else this.writes.addSorted(this.key, earliest, workerId)
    }
    return lost.sort(byEnd).slice(0, limit)
  }

  /** Writes what was kept back. */
  flush(): void {
    if (this.workers.length === 0) return
    this.writes.settle(this.key)
    for (const workerId of this.workers) redis.call("ZADD", this.key, "LT", this.ends[workerId] as number, workerId)
    this.workers = []
    this.ends = {}
  }

  /** In order of their sequence; only those that do run there. */
  private members(key: string, workerId: string): TaskRecord[] {
    this.writes.settle(key)
    const seqs = (redis.call("SMEMBERS", key) as string[]).map((seq) => tonumber(seq))
    if (seqs.length === 0) return []
    const found = this.tasks.soundRecords(this.tasks.idsOf(seqs))
    return found.filter((task) => task.status === "running" && task.workerId === workerId).sort((a, b) => a.seq - b.seq)
  }

  private runningKey(workerId: string): string {
    const known = this.runningKeys[workerId]
    if (known !== undefined) return known
    const key = `${this.base}running:${workerId}`
    this.runningKeys[workerId] = key
    return key
  }

  private stopKey(workerId: string): string {
    return `${this.base}cancel:${workerId}`
  }
}

function byEnd(a: TaskRecord, b: TaskRecord): number {
  const later = (a.leaseExpiresAtMs ?? 0) - (b.leaseExpiresAtMs ?? 0)
  return later === 0 ? a.seq - b.seq : later
}

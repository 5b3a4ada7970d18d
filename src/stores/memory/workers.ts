// Workers in memory: what each said last, and which tasks it runs.

import type { WorkerReport } from "../../store/contract.ts"
import { workerForgottenAfterMs } from "../../store/records.ts"
import type { TaskRecord } from "../../task/index.ts"
import type { ImageLine, Restore } from "./image.ts"

interface Known {
  readonly claimNumber: number
  readonly seenAtMs: number
  readonly types: readonly string[]
}

type Running = Pick<TaskRecord, "id" | "workerId">

export class MemoryWorkers {
  private nowMs = 0
  private readonly byId = new Map<string, Known>()
  private readonly runningById = new Map<string, Set<string>>()

  begin(nowMs: number): void {
    this.nowMs = nowMs
  }

  image(): ImageLine[] {
    return [...this.byId].map(([id, worker]) => ["worker", id, worker])
  }

  readonly restore: Restore = { worker: (id: string, worker: Known) => void this.byId.set(id, worker) }

  claimNumber(id: string): number {
    return this.byId.get(id)?.claimNumber ?? 0
  }

  save(id: string, claimNumber: number, types: readonly string[]): void {
    this.byId.set(id, { claimNumber, seenAtMs: this.nowMs, types })
  }

  see(id: string, types: readonly string[]): void {
    this.save(id, this.claimNumber(id), types)
  }

  countSince(type: string, sinceMs: number): number {
    return [...this.byId.values()].filter(({ seenAtMs, types }) => seenAtMs > sinceMs && types.includes(type)).length
  }

  since(sinceMs: number, limit: number): WorkerReport[] {
    const seen = [...this.byId].filter(([, { seenAtMs }]) => seenAtMs > sinceMs).sort(([a], [b]) => (a < b ? -1 : 1))
    return seen.slice(0, limit).map(([id, { types, seenAtMs }]) => ({ id, types, seenAtMs, running: this.runningById.get(id)?.size ?? 0 }))
  }

  enter({ id, workerId }: Running): void {
    if (workerId !== null) this.runningById.set(workerId, (this.runningById.get(workerId) ?? new Set()).add(id))
  }

  leave({ id, workerId }: Running): void {
    if (workerId === null) return
    const mine = this.runningById.get(workerId)
    mine?.delete(id)
    if (mine?.size === 0) this.runningById.delete(workerId)
  }

  /** The ids of the tasks that it runs. */
  running(id: string): Iterable<string> {
    return this.runningById.get(id) ?? []
  }

  forget(limit: number): number {
    let forgotten = 0
    for (const [id, worker] of this.byId) {
      if (forgotten >= limit) break
      if (!this.isOld(worker)) continue
      this.byId.delete(id)
      forgotten++
    }
    return forgotten
  }

  /** Whether `forget` would find anything. */
  hasForgettable(): boolean {
    return [...this.byId.values()].some((worker) => this.isOld(worker))
  }

  private isOld({ seenAtMs }: Known): boolean {
    return seenAtMs + workerForgottenAfterMs <= this.nowMs
  }
}

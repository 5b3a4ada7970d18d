// What changes in a stored task. Claims and completions, which are nearly all, set the places that they change; all else is laid out anew.

import type { HistoryEntry, Lease, TaskRecord } from "../../../task/index.ts"
import type { Context } from "./context.ts"
import { packGates } from "./gate-refs.ts"
import type { Indexes } from "./indexes.ts"
import { Live, Standing } from "./live.ts"
import { longerPast, newPast, pastOf } from "./past.ts"
import { extend, isLong, outcomeCode, statusCode, toLive, toNewLive } from "./row.ts"
import type { Entry, Packed, StoredTask } from "./stored-task.ts"
import type { Tasks } from "./tasks.ts"
import type { Writes } from "./writes.ts"

export class TaskChanges {
  private readonly base: string
  private readonly nowMs: number
  private readonly tasks: Tasks
  private readonly indexes: Indexes
  private readonly writes: Writes
  private readonly running = statusCode("running")
  private readonly completed = statusCode("completed")
  private readonly asCompleted = outcomeCode("completed")

  constructor({ base, nowMs }: Context, tasks: Tasks, indexes: Indexes, writes: Writes) {
    this.base = base
    this.nowMs = nowMs
    this.tasks = tasks
    this.indexes = indexes
    this.writes = writes
  }

  insert(task: TaskRecord, entries: readonly HistoryEntry[]): Entry {
    const past = newPast(entries)
    return this.tasks.add(task, past === false ? toNewLive(task) : toLive(task, past, task.output ?? false))
  }

  /** The transition `claim`, on the record itself: nobody needs it any more as it was. `past`: what the history shows of it. */
  start(entry: Entry, task: StoredTask, { workerId, claimNumber, expiresAtMs }: Lease, past: string): void {
    const { live } = entry
    const { createdAtMs } = task
    const at = this.nowMs - createdAtMs
    this.indexes.leavePending(entry, task)
    // What the claim was charged, where that was learned.
    if (entry.task !== task) {
      extend(live, Live.gates)
      live[Live.gates] = packGates(task.gates)
    }
    task.status = "running"
    task.version += 1
    task.fence += 1
    task.attempt += 1
    task.updatedAtMs = this.nowMs
    task.startedAtMs = this.nowMs
    task.workerId = workerId
    task.claimNumber = claimNumber
    task.leaseExpiresAtMs = expiresAtMs
    task.lastOutcome = null
    task.progress = null
    if (live.length <= Live.fence) {
      entry.live = this.firstClaim(live, task, past)
      this.tasks.change(entry, task)
      this.indexes.leases.start(workerId, task.seq, expiresAtMs)
      return
    }
    extend(live, Live.past)
    live[Live.status] = this.running
    live[Live.version] = task.version
    live[Live.fence] = task.fence
    live[Live.attempt] = task.attempt
    live[Live.updatedAtMs] = at
    live[Live.startedAtMs] = at
    live[Live.workerId] = workerId
    live[Live.claimNumber] = claimNumber
    live[Live.leaseExpiresAtMs] = expiresAtMs - createdAtMs
    live[Live.lastOutcome] = false
    live[Live.past] = withMore(live[Live.past], past)
    if (live.length > Live.progress) live[Live.progress] = false
    this.tasks.change(entry, task)
    this.indexes.leases.start(workerId, task.seq, expiresAtMs)
  }

  /** Of one that has never run: made at once, for an array that grows is slow. */
  private firstClaim(live: Packed, task: TaskRecord, past: string): Packed {
    const at = this.nowMs - task.createdAtMs
    // Before the array: one with conditions in it is made piece by piece.
    const expires = live[Live.expiresAtMs] ?? false
    const jobId = live[Live.jobId] ?? false
    const flow = live[Live.flow] ?? false
    const gates = live[Live.gates] ?? false
    const forecast = live[Live.forecastAtMs] ?? false
    return [
      this.running,
      live[Live.seq],
      live[Live.type],
      live[Live.createdAtMs],
      live[Live.availableAtMs],
      live[Live.readyAtMs],
      task.version,
      live[Live.priority],
      Standing.none,
      false,
      expires,
      jobId,
      flow,
      gates,
      forecast,
      task.fence,
      task.attempt,
      at,
      at,
      task.workerId,
      task.claimNumber,
      (task.leaseExpiresAtMs ?? 0) - task.createdAtMs,
      false,
      past,
    ]
  }

  /** `past`: what the history shows of the completion. */
  complete(entry: Entry, output: string | null, past: string): void {
    const { live } = entry
    const at = this.nowMs - (live[Live.createdAtMs] as number)
    this.indexes.leaveRunning(entry)
    extend(live, Live.completedAtMs)
    live[Live.status] = this.completed
    live[Live.version] = (live[Live.version] as number) + 1
    live[Live.updatedAtMs] = at
    live[Live.workerId] = false
    live[Live.claimNumber] = false
    live[Live.leaseExpiresAtMs] = false
    live[Live.lastOutcome] = this.asCompleted
    live[Live.past] = withMore(live[Live.past], past)
    live[Live.output] = output === null ? false : this.storedOutput(entry.id, output)
    live[Live.completedAtMs] = at
    if (live.length > Live.crashCount) live[Live.crashCount] = false
    if (live.length > Live.lastError) live[Live.lastError] = false
    this.tasks.change(entry, undefined)
    this.indexes.finish(live[Live.seq] as number)
  }

  /** Its lease and its progress. */
  keep(entry: Entry, task: TaskRecord): void {
    const { live } = entry
    const { leaseExpiresAtMs, progress } = task
    extend(live, progress === null ? Live.leaseExpiresAtMs : Live.progress)
    live[Live.leaseExpiresAtMs] = leaseExpiresAtMs === null ? false : leaseExpiresAtMs - task.createdAtMs
    if (progress !== null) live[Live.progress] = progress
    this.tasks.change(entry, task)
  }

  save(entry: Entry, task: TaskRecord, entries: readonly HistoryEntry[]): void {
    const past = longerPast(pastOf(entry), entries, task.version, task.createdAtMs)
    const isApart = (task as StoredTask).isOutputApart === true
    const output = isApart || task.output === null ? isApart : this.storedOutput(task.id, task.output)
    entry.live = toLive(task, past, output)
    this.tasks.change(entry, task)
  }

  /** What stands for an output in its record. */
  private storedOutput(id: string, output: string): string | true {
    if (!isLong(output)) return output
    this.writes.setField(`${this.base}outputs`, id, output)
    return true
  }
}

function withMore(past: unknown, more: string): string {
  return typeof past === "string" ? past + more : more
}

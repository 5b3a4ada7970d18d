// What a step changes of tasks: their rows, the lanes that they stand in, how many there are, and what their jobs hear of it.

import { shown } from "../../errors/index.ts"
import type { Jobs } from "../../store/awaited/jobs.js"
import type { Completion } from "../../store/records.ts"
import { isNews } from "../../store/waiters.ts"
import { type Change, claim, completedEntry, historyLimit, type Lease, type Status, type TaskRecord } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import type { Glance } from "./glance.ts"
import type { Lanes } from "./lanes.ts"
import { type Mode, NeedsLock } from "./mode.ts"
import { fromHistory, saveColumns } from "./rows.ts"
import type { Sql } from "./sql.ts"
import type { Tally } from "./tally.ts"
import type { TaskRows } from "./task-rows.ts"
import { historyOf, insertTasks, isReserved, readHistories, routeTasks, saveReserved } from "./task-writes.ts"

export interface TaskWriterParts {
  readonly ns: number
  readonly sql: Sql
  readonly nowMs: number
  readonly mode: Mode
  readonly rows: TaskRows
  readonly lanes: Lanes
  readonly tally: Tally
  readonly glance: Glance
  readonly jobs: () => Jobs
}

export class TaskWriter {
  /** Whether this step has something for those who wait. */
  hasNews = false
  private readonly parts: TaskWriterParts

  constructor(parts: TaskWriterParts) {
    this.parts = parts
  }

  async insert(changes: readonly Change[]): Promise<void> {
    this.forget()
    this.hasNews ||= changes.some(isNews)
    for (const { task } of changes) if (this.counts(task, null, task.status)) await this.tell(task, null, task.status)
    const lanes = await this.lanesForNew(changes.map(({ task }) => task))
    await insertTasks(this.parts.sql, this.parts.ns, changes, lanes)
    for (const [i, { task }] of changes.entries()) this.parts.rows.know(task, lanes[i] ?? null)
  }

  async save(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    this.forget()
    await this.parts.lanes.reader.confirm(changes.map(({ task }) => task))
    this.hasNews ||= changes.some(isNews)
    // A task that is changed twice in one step is written as it is at the end, with all that has happened to it.
    const rows = new Map<number, Record<string, string | number | null>>()
    const trimmed = await readHistories(
      this.parts.sql,
      changes.filter(({ task }) => task.version > historyLimit).map(({ task }) => task.seq),
    )
    const routed: TaskRecord[] = []
    const reserved: TaskRecord[] = []
    // Each once, as is usual: then their lanes are found at once.
    const isOnce = new Set(changes.map(({ task }) => task.seq)).size === changes.length
    const lanes = isOnce ? await this.lanesFor(changes.map(({ task }) => task)) : null
    for (const [i, { task, entries }] of changes.entries()) {
      const before = this.parts.rows.before(task.seq)
      if (!before) throw damaged(`task ${shown(task.id)}`, `row ${task.seq} of tasks, which a step has read`, undefined)
      if (this.counts(task, before.status, task.status)) await this.tell(task, before.status, task.status)
      const [lane = null] = lanes ? [lanes[i]] : await this.lanesFor([task])
      const isRouted = before.isUnrouted && task.gates !== null
      if (isRouted) routed.push(task)
      if (task.status === "running" && isReserved(task.gates)) reserved.push(task)
      this.parts.rows.know(task, lane)
      rows.set(task.seq, { ...saveColumns(task, lane), ...historyOf(task, entries, rows.get(task.seq), trimmed) })
    }
    this.parts.sql.tell("saveTasks", JSON.stringify([...rows.values()]))
    await saveReserved(this.parts.sql, reserved)
    await routeTasks(this.parts.sql, routed)
  }

  async start(tasks: readonly TaskRecord[], lease: Lease): Promise<TaskRecord[]> {
    await this.parts.lanes.reader.confirm(tasks)
    const changes = tasks.map((task) => claim(task, this.parts.nowMs, lease))
    // A history that has to be trimmed is not just appended to.
    const long = changes.filter(({ task }) => task.version > historyLimit)
    const plain = long.length === 0 ? changes : changes.filter((change) => !long.includes(change))
    if (long.length > 0) await this.save(long)
    const first = plain[0]
    if (first) {
      for (const { task } of plain) {
        const left = this.leave(task)
        if (left) await left
        if (this.counts(task, "pending", "running")) await this.tell(task, "pending", "running")
        this.parts.rows.know(task, null)
      }
      const { workerId, claimNumber, expiresAtMs } = lease
      const seqs = plain.map(({ task }) => task.seq)
      this.parts.sql.tell("saveClaimed", seqs, workerId, claimNumber, expiresAtMs, this.parts.nowMs, `,${fromHistory(first.entries)}`)
      await saveReserved(
        this.parts.sql,
        plain.map(({ task }) => task).filter(({ gates }) => isReserved(gates)),
      )
    }
    return changes.map(({ task }) => task)
  }

  async complete(done: readonly Completion[]): Promise<void> {
    if (done.length === 0) return
    for (const { task } of done) if (this.counts(task, "running", "completed")) await this.tell(task, "running", "completed")
    const seqs = done.map(({ task }) => task.seq)
    const outputs = done.map(({ output }) => output)
    this.parts.sql.tell("complete", seqs, outputs, this.parts.nowMs, `,${fromHistory([completedEntry(this.parts.nowMs)])}`)
  }

  keep(tasks: readonly TaskRecord[]): void {
    if (tasks.length === 0) return
    this.parts.sql.tell(
      "keepTasks",
      tasks.map(({ seq }) => seq),
      tasks.map(({ leaseExpiresAtMs }) => leaseExpiresAtMs),
      tasks.map(({ progress }) => progress),
    )
  }

  remove(tasks: readonly TaskRecord[]): void {
    if (tasks.length === 0) return
    this.parts.sql.tell(
      "removeTasks",
      tasks.map(({ seq }) => seq),
    )
    for (const task of tasks) this.parts.tally.remove(task.type, task.status)
  }

  async promote(tasks: readonly TaskRecord[]): Promise<void> {
    if (tasks.length === 0) return
    this.forget()
    const lanes = await this.parts.lanes.enter(tasks)
    this.parts.sql.tell(
      "enterLanes",
      tasks.map(({ seq }) => seq),
      lanes,
    )
    for (const [i, task] of tasks.entries()) this.parts.rows.know(task, lanes[i] ?? null)
  }

  /** Every change of a status comes by here: it is counted by type. Answers with whether a job has to hear of it. */
  private counts(task: Pick<TaskRecord, "type" | "jobId">, from: Status | null, to: Status): boolean {
    this.parts.tally.move(task.type, from, to)
    return task.jobId !== null && from !== to
  }

  private leave(task: TaskRecord): void | Promise<void> {
    const { lanes } = this.parts
    return lanes.leaves(task) ? lanes.discount(task) : undefined
  }

  private async tell(task: Pick<TaskRecord, "type" | "jobId">, from: Status | null, to: Status): Promise<void> {
    if (this.parts.mode === "free") throw new NeedsLock("a task of a job")
    await this.parts.jobs().moved(task, from, to)
  }

  /** A pending task that is due waits in its lane; any other stands in none. */
  private async lanesFor(tasks: readonly TaskRecord[]): Promise<(number | null)[]> {
    for (const task of tasks) {
      const left = this.leave(task)
      if (left) await left
    }
    const isWaiting = (task: TaskRecord) => task.status === "pending" && task.gates !== null && task.availableAtMs <= this.parts.nowMs
    const lanes = await this.parts.lanes.enter(tasks.filter(isWaiting))
    let next = 0
    return tasks.map((task) => (isWaiting(task) ? (lanes[next++] as number) : null))
  }

  /** The same of new ones. Whoever has no lock leaves it to the next claim that has to put what passes gates into its lane, as what becomes due. */
  private async lanesForNew(tasks: readonly TaskRecord[]): Promise<(number | null)[]> {
    if (this.parts.mode !== "free") return this.lanesFor(tasks)
    const isOurs = ({ gates, flow, type }: TaskRecord) => gates?.length === 0 && flow === type
    const lanes = await this.lanesFor(tasks.filter(isOurs))
    let next = 0
    return tasks.map((task) => (isOurs(task) ? (lanes[next++] ?? null) : null))
  }

  /** Tasks are written otherwise than by claims and completions: what was foreseen may be about them. */
  private forget(): void {
    this.parts.glance.forget()
    this.parts.sql.forget()
  }
}

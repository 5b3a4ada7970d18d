// What a step changes of tasks: their rows, the lanes that they stand in, how many there are, and what their jobs hear of it. What a claim
// and a completion change is written for all their tasks in one statement each; everything else, being rare, a row at a time.

import { shown } from "../../errors/index.ts"
import type { Jobs } from "../../store/jobs.ts"
import type { Completion } from "../../store/records.ts"
import { isNews } from "../../store/waiters.ts"
import {
  type Change,
  claim,
  completedEntry,
  historyLimit,
  type Lease,
  type Status,
  type TaskRecord,
  trimHistory,
} from "../../task/index.ts"
import { damaged } from "./damage.ts"
import type { Value } from "./driver.ts"
import type { Lanes } from "./lanes.ts"
import { fromHistory, inlineInputBytes, insertValues, jsonOrNull, saveValues, toHistory } from "./rows.ts"
import type { Statements } from "./statements.ts"
import type { Tally } from "./tally.ts"

export interface TaskWriterParts {
  readonly ns: number
  readonly sql: Statements
  readonly nowMs: number
  readonly lanes: Lanes
  readonly tally: Tally
  readonly jobs: Jobs
}

export class TaskWriter {
  /** Whether this step has something for those who wait. */
  hasNews = false
  private readonly parts: TaskWriterParts

  constructor(parts: TaskWriterParts) {
    this.parts = parts
  }

  insert(changes: readonly Change[]): void {
    this.hasNews ||= changes.some(isNews)
    // Neighbours that differ in nothing but id and input, and in gates where they pass some, are one statement.
    const groups: { statement: string; values: readonly Value[]; rows: Value[][] }[] = []
    for (const { task, entries } of changes) {
      this.moved(task, null, task.status)
      const isInline = task.input.length <= inlineInputBytes
      if (!isInline) this.parts.sql("insertPayload").run(task.seq, task.input)
      const lane = this.laneFor(task)
      const isGated = task.gates === null || task.gates.length > 0
      const statement = isGated ? "insertGated" : "insertTasks"
      const values: Value[] = [this.parts.ns, ...insertValues(task), fromHistory(entries)]
      if (!isGated) values.push(lane)
      const last = groups.at(-1)
      const isAlike = last?.statement === statement && last.values.every((value, i) => value === values[i])
      const group = last && isAlike ? last : { statement, values, rows: [] }
      if (group !== last) groups.push(group)
      const input = isInline ? task.input : null
      group.rows.push(isGated ? [task.seq, task.id, input, lane, jsonOrNull(task.gates), task.forecastAtMs] : [task.seq, task.id, input])
    }
    for (const { statement, values, rows } of groups) this.parts.sql(statement).run(JSON.stringify(rows), ...values)
  }

  save(changes: readonly Change[]): void {
    this.hasNews ||= changes.some(isNews)
    const claimed: TaskRecord[] = []
    const others: Change[] = []
    for (const change of changes) {
      // A history that has to be trimmed is not just appended to.
      const isPlain = change.entries.length === 1 && change.task.version <= historyLimit
      if (isPlain && change.entries[0]?.event === "claimed") claimed.push(change.task)
      else others.push(change)
    }
    this.saveClaimed(claimed, changes)
    this.saveOthers(others)
    for (const { task } of changes) {
      const isReserved = task.status === "running" && task.gates?.some(({ reserved }) => reserved !== undefined)
      if (isReserved) this.parts.sql("saveReserved").run(task.seq, jsonOrNull(task.gates))
    }
  }

  start(tasks: readonly TaskRecord[], lease: Lease): TaskRecord[] {
    const changes = tasks.map((task) => claim(task, this.parts.nowMs, lease))
    this.save(changes)
    return changes.map(({ task }) => task)
  }

  complete(done: readonly Completion[]): void {
    const first = done[0]
    if (!first) return
    for (const { task } of done) this.moved(task, "running", "completed")
    const entry = `,${fromHistory([completedEntry(this.parts.nowMs)])}`
    // Most handlers answer alike, with nothing; then the outputs need not be handed over one by one.
    if (done.every(({ output }) => output === first.output)) {
      this.parts.sql("completeAlike").run(JSON.stringify(done.map(({ task }) => task.seq)), this.parts.nowMs, entry, first.output)
    } else {
      this.parts.sql("completeEach").run(JSON.stringify(done.map(({ task, output }) => [task.seq, output])), this.parts.nowMs, entry)
    }
  }

  keep(tasks: readonly TaskRecord[]): void {
    if (tasks.length === 0) return
    this.parts.sql("keepTasks").run(JSON.stringify(tasks.map(({ seq, leaseExpiresAtMs, progress }) => [seq, leaseExpiresAtMs, progress])))
  }

  remove(tasks: readonly TaskRecord[]): void {
    if (tasks.length === 0) return
    const seqs = JSON.stringify(tasks.map(({ seq }) => seq))
    this.parts.sql("removeTasks").run(seqs)
    this.parts.sql("removePayloads").run(seqs)
    for (const task of tasks) this.parts.tally.remove(task.type, task.status)
  }

  promote(tasks: readonly TaskRecord[]): void {
    const byLane = new Map<number, number[]>()
    for (const task of tasks) {
      const lane = this.parts.lanes.enter(task)
      byLane.set(lane, [...(byLane.get(lane) ?? []), task.seq])
    }
    for (const [lane, seqs] of byLane) this.parts.sql("enterLane").run(JSON.stringify(seqs), lane)
  }

  private saveClaimed(tasks: readonly TaskRecord[], changes: readonly Change[]): void {
    const first = tasks[0]
    if (!first) return
    for (const task of tasks) {
      this.parts.lanes.leave(task)
      this.moved(task, "pending", "running")
    }
    const entry = changes.find(({ task }) => task === first)?.entries ?? []
    const { workerId, claimNumber, leaseExpiresAtMs } = first
    const seqs = JSON.stringify(tasks.map(({ seq }) => seq))
    this.parts.sql("saveClaimed").run(seqs, workerId, claimNumber, leaseExpiresAtMs, this.parts.nowMs, `,${fromHistory(entry)}`)
  }

  private saveOthers(changes: readonly Change[]): void {
    if (changes.length === 0) return
    const seqs = JSON.stringify(changes.map(({ task }) => task.seq))
    const before = new Map(
      this.parts
        .sql("readBefore")
        .rows(seqs)
        .map(([seq, status, history, isUnrouted]) => [seq as number, { status, history, isUnrouted }]),
    )
    for (const { task, entries } of changes) {
      const found = before.get(task.seq)
      if (!found) throw damaged(`task ${shown(task.id)}`, `row ${task.seq} of tasks, which an index names`, undefined)
      const { status, history: stored, isUnrouted } = found as { status: Status; history: string; isUnrouted: number }
      this.moved(task, status, task.status)
      const appended = entries.length > 0 ? `${stored},${fromHistory(entries)}` : stored
      const history = task.version > historyLimit ? fromHistory(trimHistory(toHistory(appended, task.id))) : appended
      before.set(task.seq, { status: task.status, history, isUnrouted })
      this.parts.sql("saveTask").run(task.seq, ...saveValues(task, this.laneFor(task)), history)
      if (isUnrouted === 1 && task.gates !== null) {
        const flow = task.flow === task.type ? null : task.flow
        this.parts.sql("routeTask").run(task.seq, flow, jsonOrNull(task.gates), task.forecastAtMs)
      }
    }
  }

  /** Every change of a status comes by here: it is counted by type, and for the job. */
  private moved(task: Pick<TaskRecord, "type" | "jobId">, from: Status | null, to: Status): void {
    this.parts.tally.move(task.type, from, to)
    if (task.jobId !== null && from !== to) this.parts.jobs.moved(task, from, to)
  }

  /** A pending task that is due waits in its lane; any other stands in none. */
  private laneFor(task: TaskRecord): number | null {
    this.parts.lanes.leave(task)
    return task.status === "pending" && task.gates !== null && task.availableAtMs <= this.parts.nowMs ? this.parts.lanes.enter(task) : null
  }
}

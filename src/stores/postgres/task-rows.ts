// The rows of tasks that a step has read: each is remembered with its lane and its status, so that it is known what a change changes.

import type { TaskRecord } from "../../task/index.ts"
import { type Known, laneOf, toRecord } from "./rows.ts"
import type { Row, Sql, Value } from "./sql.ts"

export interface TaskRowsParts {
  readonly ns: number
  readonly sql: Sql
  /** Told where each of them stands. */
  readonly stands: (seq: number, lane: number | null) => void
}

export class TaskRows {
  private readonly parts: TaskRowsParts
  private readonly known = new Map<number, Known>()

  constructor(parts: TaskRowsParts) {
    this.parts = parts
  }

  /** By a statement whose first parameter is the namespace. */
  readonly read = async (statement: string, ...values: readonly Value[]): Promise<TaskRecord[]> =>
    (await this.parts.sql.rows(statement, this.parts.ns, ...values)).map(this.toRecord)

  /** For the sweep: a task that is damaged must not keep all others from being swept. Whoever asks for it is told. */
  async readSound(statement: string, ...values: readonly Value[]): Promise<TaskRecord[]> {
    const { sql, ns } = this.parts
    return (await sql.rows(statement, ns, ...values)).flatMap((row) => {
      try {
        return [this.toRecord(row)]
      } catch {
        return []
      }
    })
  }

  readonly toRecord = (row: Row): TaskRecord => {
    const task = toRecord(row)
    this.know(task, laneOf(row))
    return task
  }

  know(task: TaskRecord, lane: number | null): void {
    this.known.set(task.seq, { lane, status: task.status, isUnrouted: task.gates === null })
    this.parts.stands(task.seq, lane)
  }

  /** As it was before this change; undefined where it was not read. */
  before(seq: number): Known | undefined {
    return this.known.get(seq)
  }
}

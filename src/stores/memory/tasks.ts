// The tasks of a namespace with their histories. Those that are finished are put away as rows: there may be a million of them, and hardly
// anybody asks for one again.

import { SluiceError, shown } from "../../errors/index.ts"
import { type HistoryEntry, isFinished, type TaskRecord } from "../../task/index.ts"
import type { ImageLine } from "./image.ts"
import { type Brief, briefOf, fromRow, type Kept, rowFields, toRow } from "./row.ts"

export class Tasks {
  private readonly live = new Map<string, Kept>()
  private readonly finished = new Map<string, string>()

  get size(): number {
    return this.live.size + this.finished.size
  }

  kept(id: string): Kept | undefined {
    const live = this.live.get(id)
    if (live) return live
    const row = this.finished.get(id)
    return row === undefined ? undefined : fromRow(row)
  }

  get(id: string): TaskRecord | undefined {
    return this.kept(id)?.task
  }

  history(id: string): readonly HistoryEntry[] {
    return this.kept(id)?.history ?? []
  }

  /** Undefined where it surely is none of those whose rows begin so (`beginnings`). */
  ifAmong(id: string, starts: readonly string[]): TaskRecord | undefined {
    const row = this.finished.get(id)
    if (row === undefined) return this.live.get(id)?.task
    return starts.some((start) => row.startsWith(start)) ? fromRow(row).task : undefined
  }

  /** `before`: what is kept of it now. */
  put(task: TaskRecord, history: readonly HistoryEntry[], before: Kept | undefined): void {
    const { id } = task
    const wasFinished = before !== undefined && isFinished(before.task.status)
    if (isFinished(task.status)) {
      if (before && !wasFinished) this.live.delete(id)
      this.finished.set(id, toRow(task, history))
    } else {
      if (wasFinished) this.finished.delete(id)
      this.live.set(id, { task, history })
    }
  }

  delete(id: string): void {
    this.live.delete(id)
    this.finished.delete(id)
  }

  /** `laneOf` tells the lane of one that waits; 0 where it stands in none. */
  image(laneOf: (id: string) => number): ImageLine[] {
    const lines: ImageLine[] = [["fields", rowFields]]
    for (const row of this.finished.values()) lines.push(["finished", row])
    for (const [id, { task, history }] of this.live) lines.push(["task", task, history, laneOf(id)])
    return lines
  }

  /** Takes back the rows of an image that has these fields. */
  restoring(fields: readonly string[]): (row: string) => Brief {
    const isOurs = fields.length === rowFields.length && rowFields.every((field, i) => field === fields[i])
    return (given) => {
      const row = isOurs ? given : translated(given, fields)
      const brief = briefOf(row)
      if (!brief)
        throw new SluiceError("store_damaged", `image: expected the ${rowFields.length + 1} values of a finished task, got ${shown(given)}`)
      this.finished.set(brief.id, row)
      return brief
    }
  }
}

function translated(row: string, fields: readonly string[]): string {
  const { task, history } = fromRow(row, fields)
  return toRow(task, history)
}

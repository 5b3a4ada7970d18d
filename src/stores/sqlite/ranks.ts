// How many stand before a task in its lane. Counted by going through the index, so a page of neighbours is counted once: from one that is
// known to the next it is only what lies between. What was counted holds until somebody comes or leaves.

import type { TaskRecord } from "../../task/index.ts"
import type { Statements } from "./statements.ts"

/** How far the tasks of a lane are counted. */
const countUpTo = 100_000

interface Known {
  readonly of: number
  before: number
  readyAtMs: number
  seq: number
}

export class Ranks {
  private readonly sql: Statements
  /** By lane and priority, the one that was counted last. */
  private readonly known = new Map<string, Known>()

  constructor(sql: Statements) {
    this.sql = sql
  }

  forget(): void {
    if (this.known.size > 0) this.known.clear()
  }

  find(lane: number, task: TaskRecord): { before: number; of: number } {
    const key = `${lane} ${task.priority}`
    const counted = this.known.get(key)
    // From one that was not counted to the end, nothing can be told of another.
    const known = counted && counted.before < countUpTo ? counted : this.count(lane, task)
    this.known.set(key, known)
    this.move(known, lane, task)
    return { before: known.before, of: known.of }
  }

  private count(lane: number, { priority, readyAtMs, seq }: TaskRecord): Known {
    const [before] = this.sql("countBefore").rows(lane, priority, readyAtMs, seq, countUpTo)
    const [of] = this.sql("countLane").rows(lane, priority, countUpTo)
    return { of: of?.[0] as number, before: before?.[0] as number, readyAtMs, seq }
  }

  private move(known: Known, lane: number, { priority, readyAtMs, seq }: TaskRecord): void {
    if (known.readyAtMs === readyAtMs && known.seq === seq) return
    const isLater = readyAtMs > known.readyAtMs || (readyAtMs === known.readyAtMs && seq > known.seq)
    const places = [known, { readyAtMs, seq }] as const
    const [from, to] = isLater ? places : ([places[1], places[0]] as const)
    const [row] = this.sql("countBetween").rows(lane, priority, from.readyAtMs, from.seq, to.readyAtMs, to.seq, countUpTo)
    const between = row?.[0] as number
    known.before = Math.min(countUpTo, known.before + (isLater ? between : -between))
    known.readyAtMs = readyAtMs
    known.seq = seq
  }
}

// Somebody who cancels tasks by hand, and now and then wants one of them back. Works from the coordinator, which nobody kills:
// what was done by hand is known for certain.

import { isSluiceError, type Queue } from "../../src/index.ts"
import type { Dice } from "../../src/testing/dice.ts"
import type { HistoryEvent } from "../../src/testing/index.ts"

const cancelShare = 0.01
const regretShare = 0.3
const laterMs = [0, 400] as const

export class Meddler {
  cancelled = 0
  requeued = 0
  private isOver = false
  private readonly queue: Queue
  private readonly dice: Dice
  private readonly failed: (error: Error) => void
  private readonly underWay = new Set<Promise<void>>()

  constructor(queue: Queue, dice: Dice, failed: (error: Error) => void) {
    this.queue = queue
    this.dice = dice
    this.failed = failed
  }

  add(event: HistoryEvent): void {
    if (this.isOver || event.op !== "submit" || event.phase !== "ok") return
    for (const { id, stored } of event.tasks) {
      if (stored !== id || !this.dice.chance(cancelShare)) continue
      const work = this.meddle(id)
        .catch(this.failed)
        .finally(() => this.underWay.delete(work))
      this.underWay.add(work)
    }
  }

  /** Begins nothing new, and waits for what is under way. */
  async end(): Promise<void> {
    this.isOver = true
    while (this.underWay.size > 0) await Promise.all(this.underWay)
  }

  private async meddle(id: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.dice.between(...laterMs)))
    if (!(await done(() => this.queue.cancel(id)))) return
    this.cancelled++
    if (this.dice.chance(regretShare) && (await done(() => this.queue.retry(id)))) this.requeued++
  }
}

/** Too late for it is no mistake: the task goes on while somebody meddles. */
async function done(move: () => Promise<unknown>): Promise<boolean> {
  try {
    await move()
    return true
  } catch (error) {
    if (isSluiceError(error) && error.code === "illegal_transition") return false
    throw error
  }
}

// How many tasks one claim takes at most where they pass gates. There it is charged for starts about now: what comes late has stood behind
// something, behind the starts of what came before, or in a store that has much to do, and fewer at once come sooner. Answers that all take
// as long have a long way: of those, fewer at once would only be fewer.

import { budgets } from "../store/index.ts"

/** Of the time in which a task has to start, without what the way takes: what comes later than this is late. */
const inTimePart = 1 / 3
const fewest = 20
/** To begin with: where answers are steps of a log that many write, fewer would take the start of a backlog too many of them. */
const first = 50
/** So many answers in time show that it is the way that takes long. */
const enough = 10

export class ClaimSize {
  private readonly startWithinMs: number
  private size = first
  /** The shortest time from the charge to the answer since one was late; null before the first answer. */
  private wayMs: number | null = null
  /** How many have come in time since one was late, or since the size has grown. */
  private inTime = 0

  constructor(startWithinMs: number) {
    this.startWithinMs = startWithinMs
  }

  get most(): number {
    return this.size
  }

  /** An answer brought so many tasks, so long after they can have been charged. */
  answered(claimed: number, ageMs: number): void {
    const isSoon = ageMs <= this.startWithinMs * inTimePart
    if (isSoon || this.isUsual(ageMs)) this.grow(claimed, ageMs, isSoon)
    else this.shrink(claimed, ageMs)
  }

  private isUsual(ageMs: number): boolean {
    return this.wayMs !== null && ageMs <= this.wayMs + (this.startWithinMs - this.wayMs) * inTimePart
  }

  /** Twice as many, as long as there is time to start them in. */
  private grow(claimed: number, ageMs: number, isSoon: boolean): void {
    this.wayMs = Math.min(this.wayMs ?? ageMs, ageMs)
    this.inTime++
    if (claimed < this.size || (!isSoon && this.inTime < enough)) return
    this.size = Math.min(budgets.claimTasks, this.size * 2)
    this.inTime = 0
  }

  /** Half as many. What has come late may be a longer way: what comes next tells. */
  private shrink(claimed: number, ageMs: number): void {
    this.size = Math.max(fewest, Math.ceil(Math.min(claimed, this.size) / 2))
    this.wayMs = ageMs
    this.inTime = 0
  }
}

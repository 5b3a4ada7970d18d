// Gives the plan to the submitters, batch by batch, and as fast as the run goes on: the queue always holds work, and kills find
// tasks until the end. What a submitter had not finished when it was killed is given to another, and every so often two of them
// submit the same keys at the same time.

import type { Batch, FromChild } from "./child.ts"
import type { Fleet, Member } from "./fleet.ts"

const batchTasks = 200
const repeatEvery = 5

export class Feeder {
  private readonly fleet: Fleet
  private readonly tasks: number
  private next = 0
  private readonly waiting: Batch[] = []
  private readonly given = new Map<Member, Batch>()
  /** Of the plan, acknowledged. */
  submitted = 0

  constructor(fleet: Fleet, tasks: number) {
    this.fleet = fleet
    this.tasks = tasks
  }

  get isDone(): boolean {
    return this.next >= this.tasks && this.waiting.length === 0 && this.given.size === 0
  }

  /** Hands out batches until `allowed` tasks of the plan are under way or submitted. */
  feed(allowed: number): void {
    if (this.waiting.length === 0 && this.next < Math.min(this.tasks, allowed)) this.cut()
    for (const member of this.fleet.of("submitter")) {
      if (!member.isReady || member.isPaused || this.given.has(member)) continue
      const batch = this.waiting.shift()
      if (!batch) return
      this.given.set(member, batch)
      member.tell(batch)
    }
  }

  said(member: Member, message: FromChild): void {
    if (message.kind !== "submitted") return
    const batch = this.given.get(member)
    this.given.delete(member)
    if (batch && !batch.isRepeat) this.submitted += batch.count
  }

  /** What it had in hand is done again: nobody knows how far it came. */
  gone(member: Member): void {
    const batch = this.given.get(member)
    this.given.delete(member)
    if (batch) this.waiting.unshift(batch)
  }

  private cut(): void {
    const batch: Batch = { kind: "batch", from: this.next, count: Math.min(batchTasks, this.tasks - this.next), isRepeat: false }
    this.next += batch.count
    this.waiting.push(batch)
    if ((batch.from / batchTasks) % repeatEvery === 0) this.waiting.push({ ...batch, isRepeat: true })
  }
}

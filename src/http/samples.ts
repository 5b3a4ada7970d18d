// What the last hour was like: every ten seconds the counts, and what ended since the sample before. In memory; a server that was
// started a minute ago knows a minute.

import type { Queue } from "../queue/index.ts"
import type { Status } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"
import type { Timer } from "../world/index.ts"

export const sampleEveryMs = 10_000
const mostSamples = 360

const ends = ["completed", "failed", "cancelled", "expired"] as const
type End = (typeof ends)[number]

/** Per second since the sample before, where it is about what ended. */
export interface Sample extends Readonly<Record<End, number>> {
  readonly at: string
  readonly waiting: number
  readonly running: number
}

interface Seen {
  readonly atMs: number
  readonly counts: Readonly<Record<Status, number>>
}

export class Samples {
  private readonly queue: Queue
  private readonly kept: Sample[] = []
  private last: Seen | null = null
  private timer: Timer | null = null
  private isClosed = false

  constructor(queue: Queue) {
    this.queue = queue
  }

  /** Oldest first. */
  get all(): readonly Sample[] {
    return this.kept
  }

  start(): void {
    if (this.timer === null && !this.isClosed) void this.take()
  }

  close(): void {
    this.isClosed = true
    this.timer?.cancel()
  }

  private async take(): Promise<void> {
    this.timer = this.queue.world.timer(sampleEveryMs, () => void this.take())
    // A store that is away leaves a gap.
    const seen = await this.look().catch(() => null)
    if (seen && !this.isClosed) this.keep(seen)
  }

  private async look(): Promise<Seen> {
    const { store } = this.queue
    const counts = await this.queue.counts()
    return { atMs: (await store.now({})).nowMs, counts }
  }

  private keep(seen: Seen): void {
    const { last } = this
    this.last = seen
    const { counts } = seen
    const rates = last ? ratesBetween(last, seen) : { completed: 0, failed: 0, cancelled: 0, expired: 0 }
    this.kept.push({ at: formatInstant(seen.atMs), waiting: counts.pending, running: counts.running, ...rates })
    if (this.kept.length > mostSamples) this.kept.shift()
  }
}

/** Finished tasks are removed by retention and counted as `removed`, so what ended is what there is more of, with those. */
export function ratesBetween(before: Seen, after: Seen): Readonly<Record<End, number>> {
  const seconds = Math.max(0.001, (after.atMs - before.atMs) / 1_000)
  const rate = (end: End) => Math.max(0, after.counts[end] - before.counts[end]) / seconds
  return { completed: rate("completed"), failed: rate("failed"), cancelled: rate("cancelled"), expired: rate("expired") }
}

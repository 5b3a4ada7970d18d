// How the distance that gates have learned has gone in the last hour: a point for each change that was seen, every ten seconds. In memory,
// of a bounded number of gates; only limits that learn are looked at.

import type { Queue } from "../queue/index.ts"
import { formatInstant } from "../units/index.ts"
import type { Timer } from "../world/index.ts"
import { sampleEveryMs } from "./samples.ts"

const keptMs = 3_600_000
const mostPoints = 120
const mostGates = 200

export interface CoursePoint {
  readonly at: string
  readonly every_ms: number | null
}

interface Seen {
  readonly atMs: number
  readonly everyMs: number | null
}

export class Courses {
  private readonly queue: Queue
  private readonly byLimit = new Map<string, Map<string, Seen[]>>()
  private timer: Timer | null = null
  private isClosed = false

  constructor(queue: Queue) {
    this.queue = queue
  }

  /** By gate, oldest first. The first point may be older than an hour: it held when the hour began. */
  of(limit: string): Readonly<Record<string, readonly CoursePoint[]>> {
    const gates = [...(this.byLimit.get(limit) ?? [])]
    return Object.fromEntries(
      gates.map(([gate, seen]) => [gate, seen.map(({ atMs, everyMs }) => ({ at: formatInstant(atMs), every_ms: everyMs }))]),
    )
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
    // A store that is away leaves the courses as they were.
    await this.look().catch(() => {})
  }

  private async look(): Promise<void> {
    const limits = (await this.queue.limits.list()).filter(({ base, declarations }) =>
      [base, ...declarations.map(({ policy }) => policy)].some((policy) => policy?.adaptive !== undefined),
    )
    const nowMs = (await this.queue.now()).getTime()
    const names = new Set(limits.map(({ name }) => name))
    for (const name of this.byLimit.keys()) if (!names.has(name)) this.byLimit.delete(name)
    for (const { name } of limits) {
      const { gates } = await this.queue.limits.gates(name, { limit: mostGates })
      const before = this.byLimit.get(name)
      const learned = gates.flatMap(({ gate, learned }) => (learned === null ? [] : [[gate, learned.everyMs] as const]))
      this.byLimit.set(name, new Map(learned.map(([gate, everyMs]) => [gate, goneOn(before?.get(gate) ?? [], nowMs, everyMs)])))
    }
  }
}

/** A point where it has changed; of what is older than an hour only what held when it began. */
export function goneOn(seen: readonly Seen[], nowMs: number, everyMs: number | null): Seen[] {
  const all = seen.at(-1)?.everyMs === everyMs && seen.length > 0 ? seen : [...seen, { atMs: nowMs, everyMs }]
  const first = all.findLastIndex(({ atMs }) => atMs <= nowMs - keptMs)
  return all.slice(Math.max(0, first, all.length - mostPoints))
}

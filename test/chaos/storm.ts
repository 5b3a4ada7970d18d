// The storm: worker and submitter processes on one store, killed and stopped while they work, over a line that loses calls.
// Afterwards everything has to have been kept; the judge says whether it was.

import type { Queue } from "../../src/index.ts"
import type { HistoryReport } from "../../src/testing/index.ts"
import type { LineFaults } from "./bad-line.ts"
import { diceFor } from "./dice-for.ts"
import { type Disturbances, Disturber, type Done } from "./disturber.ts"
import { Feeder } from "./feeder.ts"
import { Meddler } from "./meddler.ts"
import { Recoveries, type RecoveryTimes } from "./recoveries.ts"
import { Run } from "./run.ts"
import type { ChaosStore } from "./stores/index.ts"
import { stormLimits } from "./storm-tasks.ts"
import type { SubmitterSettings } from "./submitter-process.ts"
import { Takeovers, type TakeoverTimes } from "./takeovers.ts"
import type { WorkerProcessSettings } from "./worker-process.ts"

export interface StormOptions extends Pick<Disturbances, keyof Done> {
  readonly tasks: number
  readonly workers: number
  readonly seed: number
}

export interface StormResult {
  readonly durationMs: number
  readonly done: Readonly<Done>
  readonly takeovers: TakeoverTimes
  readonly recoveries: RecoveryTimes
  /** What the store has, by status. */
  readonly counts: Readonly<Record<string, number>>
  /** Tasks that failed because three workers in a row were killed under them. */
  readonly poisoned: number
  readonly cancelled: number
  readonly torn: number
  readonly report: HistoryReport
}

export const leaseMs = 1_500
export const sweepMs = 400
const worker = {
  concurrency: 20,
  lease: `${leaseMs}ms`,
  heartbeat: "400ms",
  sweep: `${sweepMs}ms`,
  grace: "5s",
  backoff: { base: "20ms", cap: "200ms" },
} as const
/** Longer than a lease, always. */
const pauseMs = [leaseMs * 1.1, leaseMs * 1.5] as const
/** B12: many leases. */
const partitionMs = 10_000
const cutMs = [leaseMs, leaseMs * 3] as const
const submitters = 2
const line: LineFaults = {
  share: { lost_request: 0.01, lost_reply: 0.06, duplicate: 0.01, slow: 0.01, late: 0.001 },
  slowMs: [10, 200],
  // A worker waits a second for an answer.
  lateMs: [1_000, 1_500],
  tooSlowMs: leaseMs / 5,
}
/** How far submission may be ahead: enough to keep everybody busy, few enough that faults find work to the end. */
const backlog = 1_000
/** A lease, a sweep, what the limits let through of the backlog, and slack for a busy machine. */
const drainMs = 90_000
const tellEveryMs = 10_000

const longestMs = ({ tasks, kills, pauses, restarts, cuts, partitions }: StormOptions) =>
  120_000 + tasks * 20 + (kills + pauses + restarts + cuts) * 2_000 + partitions * partitionMs * 2

export async function storm(options: StormOptions, store: ChaosStore, folder: string, tell: (line: string) => void): Promise<StormResult> {
  const { tasks, workers, seed } = options
  const run = await Run.start(
    { folder, url: store.url, lines: store.lines, seed, limits: stormLimits },
    { said: (member, message) => feeder.said(member, message), gone: (member) => feeder.gone(member) },
  )
  const { judge, fleet, queue } = run
  const feeder = new Feeder(fleet, tasks)
  const disturber = new Disturber({ ...options, pauseMs, cutMs, partitionMs }, fleet, diceFor(seed, "faults"), judge.write, store)
  const meddler = new Meddler(queue, diceFor(seed, "meddler"), (error) => run.fail(`by hand: ${error.message}`))
  const takeovers = new Takeovers()
  judge.on((event) => meddler.add(event))
  judge.on((event) => takeovers.add(event))
  const recoveries = new Recoveries()
  judge.on((event) => recoveries.add(event))

  const fill = () => {
    while (fleet.of("worker").length < workers) run.start<WorkerProcessSettings>("worker", { tasks: "storm", worker, line })
    while (fleet.of("submitter").length < submitters) run.start<SubmitterSettings>("submitter", { planSeed: seed, line })
  }
  const telling = every(tellEveryMs, (ended: number) => {
    const faults = Object.entries(disturber.done).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
    tell([`${Math.round(run.elapsedMs / 1_000)} s: ${ended} of ${tasks} tasks ended`, ...faults].join(", "))
  })
  const isOver = async () => {
    const ended = endedOf(await queue.counts())
    telling(ended)
    fill()
    disturber.disturb(Math.min(1, ended / tasks))
    feeder.feed(Math.min(tasks * disturber.share, ended) + backlog)
    return feeder.isDone && disturber.isDone
  }
  try {
    const broken = await run.until("the storm to be over", longestMs(options), isOver)
    await disturber.ended()
    fill()
    for (const member of fleet.members) member.tell({ kind: "calm" })
    await meddler.end()
    if (broken.length === 0) {
      await run.drained(drainMs)
      await run.judged()
    }
    const times = { takeovers: takeovers.times(), recoveries: recoveries.times() }
    const facts = { done: disturber.done, ...times, cancelled: meddler.cancelled, torn: judge.tail.torn }
    const report = judge.report ?? judge.check()
    return { durationMs: run.elapsedMs, ...facts, counts: await queue.counts(), poisoned: await poisonedIn(queue), report }
  } finally {
    // What is under way is written down when it ends.
    await disturber.ended()
    await run.end()
  }
}

function endedOf({ pending: _, running: __, ...ended }: Readonly<Record<string, number>>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0)
}

async function poisonedIn(queue: Queue): Promise<number> {
  let found = 0
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await queue.list({ status: ["failed"], limit: 1_000, ...(cursor ? { cursor } : {}) })
    found += page.tasks.filter(({ lastError }) => lastError?.startsWith("poison")).length
    cursor = page.cursor
  }
  return found
}

function every<T>(ms: number, call: (value: T) => void): (value: T) => void {
  let nextAtMs = Date.now() + ms
  return (value) => {
    if (Date.now() < nextAtMs) return
    nextAtMs = Date.now() + ms
    call(value)
  }
}

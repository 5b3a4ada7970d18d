// The slot run (B8): worker processes that share a few slots, with jobs about as long as a lease; one job in a hundred dies with its
// process, and processes are stopped for many leases. No other faults: what is lost here is lost by kills and stops.

import type { HistoryReport } from "../../src/testing/index.ts"
import type { LineFaults } from "./bad-line.ts"
import { diceFor } from "./dice-for.ts"
import type { Member } from "./fleet.ts"
import { Run } from "./run.ts"
import { SlotFaults } from "./slot-faults.ts"
import { seats, slots, slotTasks } from "./slot-tasks.ts"
import { SlotMeter, type SlotUse } from "./slot-use.ts"
import type { ChaosStore } from "./stores/index.ts"
import type { WorkerProcessSettings } from "./worker-process.ts"

export interface SlotRunOptions {
  readonly seed: number
  /** For how long there is a backlog. */
  readonly windowMs: number
  readonly stalls: number
  readonly stallMs: number
}

export interface SlotRunResult {
  readonly durationMs: number
  readonly kills: number
  readonly stalls: number
  readonly use: SlotUse
  readonly report: HistoryReport
}

const leaseMs = 3_000
const jobMs = [4_000, 6_000] as const
const killedShare = 0.01
/**
 * As much room as there are slots: so everybody always has as many jobs as it can take, and with a small one few jobs die. Whoever
 * is killed or does not answer is replaced, as a supervisor would do; else slots would be idle because nobody is there to use them.
 */
const concurrencies = [12, 12, 12, 2, 2] as const
const worker = { lease: `${leaseMs}ms`, sweep: "500ms", grace: "5s", backoff: { base: "20ms", cap: "200ms" } } as const
const noFaults: LineFaults = {
  share: { lost_request: 0, lost_reply: 0, duplicate: 0, slow: 0, late: 0 },
  slowMs: [0, 0],
  lateMs: [0, 0],
  tooSlowMs: leaseMs / 5,
}

export async function slotRun(options: SlotRunOptions, store: ChaosStore, folder: string): Promise<SlotRunResult> {
  const { seed, windowMs } = options
  const run = await Run.start({ folder, url: store.url, lines: null, seed, limits: [seats] }, {})
  try {
    const dice = diceFor(seed, "slots")
    const meter = new SlotMeter()
    run.judge.on((event) => meter.add(event))
    const places: Member[] = []
    const fill = () => {
      for (const [i, concurrency] of concurrencies.entries()) {
        const member = places[i]
        if (member && !member.isEnding && !member.isPaused) continue
        places[i] = run.start<WorkerProcessSettings>("worker", { tasks: "slots", worker: { ...worker, concurrency }, line: noFaults })
      }
    }
    fill()
    await run.until("all workers to be there", 60_000, () => run.fleet.of("worker").every(({ isReady }) => isReady))
    const jobs = Math.round((slots * windowMs * 2) / (jobMs[0] + jobMs[1]))
    const [sit] = slotTasks(() => {})
    const lengths = Array.from({ length: jobs }, () => ({ ms: dice.between(...jobMs) }))
    await run.queue.submitMany(sit, lengths, { inPieces: true })

    const faults = new SlotFaults(run, meter, { ...options, killedJobs: Math.max(1, Math.round(jobs * killedShare)) })
    const broken = await run.until("the backlog to be claimed", windowMs * 2 + 60_000, async () => {
      fill()
      await faults.next(meter.claimedTasks / jobs)
      return meter.claimedTasks >= jobs
    })
    await faults.ended()
    if (broken.length === 0) {
      await run.drained(60_000)
      await run.judged()
    }
    const report = run.judge.report ?? run.judge.check()
    return { durationMs: run.elapsedMs, kills: faults.kills, stalls: faults.stalls, use: meter.measure(slots), report }
  } finally {
    await run.end()
  }
}

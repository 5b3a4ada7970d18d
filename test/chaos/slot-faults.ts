// What happens to the processes of the slot run: now and then a small one is killed, until one job in a hundred has died; and one
// large one after the other is stopped for many leases. Spread over the time for which there is a backlog.

import { setTimeout as sleep } from "node:timers/promises"
import type { Member } from "./fleet.ts"
import type { Run } from "./run.ts"
import type { SlotMeter } from "./slot-use.ts"

export interface SlotFaultOptions {
  /** How many jobs are to die with their process. */
  readonly killedJobs: number
  readonly stalls: number
  readonly stallMs: number
}

/** A store with a write lock answers nobody while its holder is stopped: that is an outage, which is not what is measured here. */
const answersWithinMs = 1_000
const lookEveryMs = 50
/** Faults come while there is a backlog, not at its ends. */
const from = 0.25
const to = 0.8

export class SlotFaults {
  kills = 0
  stalls = 0
  private killedJobs = 0
  private stall: Promise<void> | null = null
  /** The store's time of the latest answer that anybody got. */
  private answeredAtMs = 0
  private readonly run: Run
  private readonly meter: SlotMeter
  private readonly options: SlotFaultOptions

  constructor(run: Run, meter: SlotMeter, options: SlotFaultOptions) {
    this.run = run
    this.meter = meter
    this.options = options
    run.judge.on((event) => {
      if (event.op === "renew" || event.op === "claim") this.answeredAtMs = Math.max(this.answeredAtMs, event.atMs)
    })
  }

  /** `share`: how much of the backlog has been claimed. */
  async next(share: number): Promise<void> {
    const { killedJobs, stalls } = this.options
    if (this.killedJobs < killedJobs && share >= from + ((to - from) * this.killedJobs) / killedJobs) await this.kill()
    if (this.stalls < stalls && this.stall === null && share >= from) {
      this.stall = this.stop().finally(() => {
        this.stall = null
      })
    }
  }

  async ended(): Promise<void> {
    await this.stall
  }

  private async kill(): Promise<void> {
    // One with the fewest jobs: a kill of a large one would be many jobs of a short run.
    const [victim] = this.busy()
    if (!victim) return
    const jobs = this.meter.running().get(victim.name) ?? 0
    this.run.judge.write({ op: "fault", fault: "kill", victim: victim.name, atMs: Date.now(), untilMs: null })
    await this.run.fleet.kill(victim)
    this.killedJobs += jobs
    this.kills++
  }

  private async stop(): Promise<void> {
    const victim = this.busy().at(-1)
    if (!victim) return
    const atMs = Date.now()
    victim.signal("SIGSTOP")
    const isGood = await this.othersAreAnswered(atMs)
    if (isGood) {
      // From now on it is replaced.
      victim.isPaused = true
      await sleep(this.options.stallMs)
    }
    victim.signal("SIGCONT")
    this.run.judge.write({ op: "fault", fault: "pause", victim: victim.name, atMs, untilMs: Date.now() })
    if (!isGood) return
    this.stalls++
    victim.tellToStop()
    await victim.exited
  }

  /** Whoever has jobs under way, those with the fewest first. */
  private busy(): readonly Member[] {
    const running = this.meter.running()
    const jobsOf = ({ name }: Member) => running.get(name) ?? 0
    const busy = this.run.fleet.of("worker").filter((member) => member.isReady && !member.isPaused && jobsOf(member) > 0)
    return busy.sort((a, b) => jobsOf(a) - jobsOf(b))
  }

  /** Judged by what others write down: to ask the store could hold up the one who has to continue the process. */
  private async othersAreAnswered(sinceMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < answersWithinMs; waitedMs += lookEveryMs) {
      await sleep(lookEveryMs)
      if (this.answeredAtMs > sinceMs + lookEveryMs) return true
    }
    return false
  }
}

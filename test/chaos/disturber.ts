// Kills, pauses and restarts, spread evenly over a run: each when its share of the tasks has ended, or when that takes too long.
// Whoever was killed is replaced at once. Each fault is written down before it happens, so that nothing comes of it earlier.

import type { Dice } from "../../src/testing/dice.ts"
import type { WriteFact } from "../../src/testing/index.ts"
import type { Fleet, Member } from "./fleet.ts"

export interface Disturbances {
  readonly kills: number
  readonly pauses: number
  readonly restarts: number
  readonly pauseMs: readonly [number, number]
}

/** Where the tasks are slow to end, the next fault comes after this long all the same. */
const longestWaitMs = 700
/** A crash loop hits the same place again and again; age gets no protection from it. */
const youngestShare = 0.5
const submitterShare = 0.05
/** Somebody has to be left to work: a kill needs two at work, a pause, which lasts, three where there are so many. */
const leastAtWork = { kill: 2, pause: 3 }

export class Disturber {
  readonly done = { kills: 0, pauses: 0, restarts: 0 }
  private readonly plan: Disturbances
  private readonly fleet: Fleet
  private readonly dice: Dice
  private readonly write: WriteFact
  private readonly restart: (() => Promise<void>) | null
  private readonly underWay = new Set<Promise<void>>()
  private readonly begun = { kills: 0, pauses: 0, restarts: 0 }
  private lastAtMs = Date.now()

  constructor(plan: Disturbances, fleet: Fleet, dice: Dice, write: WriteFact, restart: (() => Promise<void>) | null) {
    this.plan = plan
    this.fleet = fleet
    this.dice = dice
    this.write = write
    this.restart = restart
  }

  /** In [0, 1]: how much of the plan has been carried out. */
  get share(): number {
    const shares = kinds.map((kind) => (this.plan[kind] === 0 ? 1 : this.done[kind] / this.plan[kind]))
    return Math.min(...shares)
  }

  get isDone(): boolean {
    return this.share === 1 && this.underWay.size === 0
  }

  /** `endedShare`: how much of all tasks has ended. At most one fault of each kind begins. */
  disturb(endedShare: number): void {
    const isOverdue = Date.now() - this.lastAtMs >= longestWaitMs
    for (const kind of kinds) {
      const isDue = this.begun[kind] < this.plan[kind] && (isOverdue || endedShare * this.plan[kind] >= this.begun[kind])
      const fault = isDue ? this.begin(kind) : null
      if (!fault) continue
      this.begun[kind]++
      this.lastAtMs = Date.now()
      const work = fault.finally(() => this.underWay.delete(work))
      this.underWay.add(work)
    }
  }

  async ended(): Promise<void> {
    await Promise.all(this.underWay)
  }

  private begin(kind: (typeof kinds)[number]): Promise<void> | null {
    if (kind === "restarts") return this.restart ? this.restartStore(this.restart) : null
    const victim = kind === "kills" ? this.killVictim() : this.pauseVictim()
    if (!victim) return null
    return kind === "kills" ? this.kill(victim) : this.pause(victim)
  }

  private async kill(victim: Member): Promise<void> {
    this.write({ op: "fault", fault: "kill", victim: victim.name, atMs: Date.now(), untilMs: null })
    await this.fleet.kill(victim)
    this.done.kills++
  }

  private async pause(victim: Member): Promise<void> {
    victim.isPaused = true
    const atMs = Date.now()
    await victim.pauseFor(this.dice.between(...this.plan.pauseMs))
    victim.isPaused = false
    this.write({ op: "fault", fault: "pause", victim: victim.name, atMs, untilMs: Date.now() })
    this.done.pauses++
  }

  /** Nobody reaches the store meanwhile. */
  private async restartStore(restart: () => Promise<void>): Promise<void> {
    const atMs = Date.now()
    await restart()
    this.write({ op: "fault", fault: "outage", victim: everybody, atMs, untilMs: Date.now() })
    this.done.restarts++
  }

  private killVictim(): Member | null {
    const submitters = this.fleet.of("submitter").filter(({ isReady, isPaused }) => isReady && !isPaused)
    if (submitters.length > 1 && this.dice.chance(submitterShare)) return this.dice.pick(submitters)
    const workers = this.atWork()
    if (workers.length < leastAtWork.kill) return null
    return this.dice.chance(youngestShare) ? (workers.at(-1) ?? null) : this.dice.pick(workers)
  }

  private pauseVictim(): Member | null {
    const workers = this.atWork()
    return workers.length < Math.min(leastAtWork.pause, this.fleet.of("worker").length) ? null : this.dice.pick(workers)
  }

  /** In the order in which they were started. */
  private atWork(): readonly Member[] {
    return this.fleet.of("worker").filter(({ isReady, isPaused }) => isReady && !isPaused)
  }
}

const kinds = ["kills", "pauses", "restarts"] as const
/** The checker's word for a fault of the store. */
const everybody = "*"

// Kills, pauses, restarts of the store and cuts of the way to it, spread evenly over a run: each when its share of the tasks has ended, or
// when that takes too long. Whoever was killed is replaced at once. What lasts is written down with its end, all else before it happens.

import type { Dice } from "../../src/testing/dice.ts"
import type { WriteFact } from "../../src/testing/index.ts"
import type { Fleet, Member } from "./fleet.ts"
import { type Cut, cuts } from "./lines/line.ts"
import type { ChaosStore } from "./stores/index.ts"

export interface Disturbances {
  readonly kills: number
  readonly pauses: number
  readonly restarts: number
  /** Of the line of one process. */
  readonly cuts: number
  /** Nobody reaches the store. */
  readonly partitions: number
  readonly pauseMs: readonly [number, number]
  /** Of a line that is held back or swallows. */
  readonly cutMs: readonly [number, number]
  readonly partitionMs: number
}

const kinds = ["kills", "pauses", "restarts", "cuts", "partitions"] as const
type Kind = (typeof kinds)[number]
export type Done = Record<Kind, number>
const none: Done = { kills: 0, pauses: 0, restarts: 0, cuts: 0, partitions: 0 }

/** Where the tasks are slow to end, the next fault comes after this long all the same. */
const longestWaitMs = 700
/** A crash loop hits the same place again and again; age gets no protection from it. */
const youngestShare = 0.5
const submitterShare = 0.05
/** Somebody has to be left to work: a kill needs two at work, a pause, which lasts, three where there are so many. */
const leastAtWork = { kill: 2, pause: 3, cut: 3 }

export class Disturber {
  readonly done: Done = { ...none }
  private readonly plan: Disturbances
  private readonly fleet: Fleet
  private readonly dice: Dice
  private readonly write: WriteFact
  private readonly store: Pick<ChaosStore, "restart" | "lines">
  private readonly underWay = new Set<Promise<void>>()
  private readonly begun: Done = { ...none }
  /** The share of the tasks that has to have ended before the next. */
  private readonly dueAt: Done = { ...none }
  private readonly cutOff = new Set<Member>()
  private isParted = false
  private lastAtMs = Date.now()

  constructor(plan: Disturbances, fleet: Fleet, dice: Dice, write: WriteFact, store: Pick<ChaosStore, "restart" | "lines">) {
    this.plan = plan
    this.fleet = fleet
    this.dice = dice
    this.write = write
    this.store = store
    for (const kind of kinds) this.dueAt[kind] = this.nextShare(kind)
  }

  /** In [0, 1]: how far the tasks may have come for what is left of the plan; the next fault of a kind may be late in its part. */
  get share(): number {
    return Math.min(...kinds.map((kind) => (this.done[kind] >= this.plan[kind] ? 1 : (this.done[kind] + 1) / this.plan[kind])))
  }

  get isDone(): boolean {
    return kinds.every((kind) => this.done[kind] >= this.plan[kind]) && this.underWay.size === 0
  }

  /** `endedShare`: how much of all tasks has ended. At most one fault of each kind begins. */
  disturb(endedShare: number): void {
    if (this.isParted) return
    const left = kinds.filter((kind) => this.begun[kind] < this.plan[kind])
    const isOverdue = Date.now() - this.lastAtMs >= longestWaitMs
    const behind = isOverdue ? left.toSorted((a, b) => this.dueAt[a] - this.dueAt[b])[0] : null
    for (const kind of left) {
      const fault = kind === behind || endedShare >= this.dueAt[kind] ? this.begin(kind) : null
      if (!fault) continue
      this.begun[kind]++
      this.dueAt[kind] = this.nextShare(kind)
      this.lastAtMs = Date.now()
      const work = fault.finally(() => this.underWay.delete(work))
      this.underWay.add(work)
    }
  }

  /** Somewhere in its part of the run. */
  private nextShare(kind: Kind): number {
    return (this.begun[kind] + this.dice.random()) / Math.max(1, this.plan[kind])
  }

  async ended(): Promise<void> {
    await Promise.all(this.underWay)
  }

  private begin(kind: Kind): Promise<void> | null {
    if (kind === "restarts") return this.restartStore()
    if (kind === "partitions") return this.part()
    const victim = kind === "kills" ? this.killVictim() : kind === "pauses" ? this.pauseVictim() : this.cutVictim()
    if (!victim) return null
    return kind === "kills" ? this.kill(victim) : kind === "pauses" ? this.pause(victim) : this.cut(victim)
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

  /** Null where one is under way. Nobody reaches the store meanwhile. */
  private restartStore(): Promise<void> | null {
    const { restart } = this.store
    if (restart === null || this.begun.restarts > this.done.restarts) return null
    return this.outage("restarts", restart)
  }

  /** Alone: what is done to a line that is held back already would set it free. */
  private part(): Promise<void> | null {
    const { lines } = this.store
    if (lines === null || this.underWay.size > 0) return null
    this.isParted = true
    return this.outage("partitions", () => lines.cutAll("held", this.plan.partitionMs)).finally(() => {
      this.isParted = false
    })
  }

  private async outage(kind: Kind, happens: () => Promise<void>): Promise<void> {
    const atMs = Date.now()
    await happens()
    this.write({ op: "fault", fault: "outage", victim: everybody, atMs, untilMs: Date.now() })
    this.done[kind]++
  }

  private async cut(victim: Member): Promise<void> {
    const how = this.dice.pick(cuts)
    const atMs = Date.now()
    this.cutOff.add(victim)
    await this.store.lines?.cut(victim.name, how, this.dice.between(...this.plan.cutMs))
    this.cutOff.delete(victim)
    this.write({ op: "fault", fault: faultOf[how], victim: victim.name, atMs, untilMs: Date.now() })
    this.done.cuts++
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

  private cutVictim(): Member | null {
    const members = [...this.fleet.of("worker"), ...this.fleet.of("submitter")].filter(({ isReady }) => isReady)
    const whole = members.filter((member) => !this.cutOff.has(member))
    return whole.length < leastAtWork.cut ? null : this.dice.pick(whole)
  }

  /** In the order in which they were started. */
  private atWork(): readonly Member[] {
    return this.fleet.of("worker").filter(({ isReady, isPaused }) => isReady && !isPaused)
  }
}

/** The checker's word for a fault of the store. */
const everybody = "*"
/** What it looks like to the process. */
const faultOf: Readonly<Record<Cut, "outage" | "lost_reply" | "slow">> = {
  reset: "outage",
  answer: "lost_reply",
  held: "slow",
  swallowed: "outage",
}

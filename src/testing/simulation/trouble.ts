// What happens to workers and to the store while trouble lasts: kills, pauses, shutdowns, outages, clocks that jump. Whoever is gone
// comes back as another process; in the end everybody is there.

import type { Dice } from "../dice.ts"
import type { Network } from "./network.ts"
import { leaseMs } from "./plan.ts"
import type { Simulation } from "./simulation.ts"

type Running = ReturnType<Simulation["startWorker"]>

const everyMs = 700

export class Trouble {
  private readonly simulation: Simulation
  private readonly network: Network
  private readonly dice: Dice
  private readonly workers = new Map<number, Running>()
  private readonly lives: number[] = []
  private isOver = false

  constructor(simulation: Simulation, network: Network) {
    this.simulation = simulation
    this.network = network
    this.dice = simulation.dice.fork()
  }

  begin(): void {
    const { plan, timeline } = this.simulation
    for (let i = 0; i < plan.workers; i++) this.start(i)
    const next = () => {
      if (this.isOver) return
      this.strike()
      timeline.at(timeline.nowMs + everyMs * (0.5 + this.dice.random()), next)
    }
    timeline.at(this.dice.random() * everyMs, next)
  }

  end(): void {
    this.isOver = true
    for (let i = 0; i < this.simulation.plan.workers; i++) {
      if (this.workers.has(i)) this.workers.get(i)?.process.resume()
      else this.start(i)
    }
  }

  killAll(): void {
    for (const { process } of this.workers.values()) process.kill()
  }

  private start(i: number): void {
    if (this.workers.has(i)) return
    this.lives[i] = (this.lives[i] ?? 0) + 1
    this.workers.set(i, this.simulation.startWorker(`worker-${i + 1}.${this.lives[i]}`))
  }

  private startLater(i: number): void {
    const { timeline } = this.simulation
    this.workers.delete(i)
    timeline.at(timeline.nowMs + this.dice.random() ** 2 * 6_000, () => this.start(i))
  }

  private strike(): void {
    const { dice } = this
    const { faults } = this.simulation.plan
    for (const [i, running] of [...this.workers]) {
      if (dice.chance(faults.kill)) this.kill(i, running)
      else if (dice.chance(faults.pause)) this.pause(running)
      else if (dice.chance(faults.stop)) this.stop(i, running)
      else if (dice.chance(faults.clockStep)) running.process.stepClock(dice.pick([-3_600_000, -10_000, 10_000, 3_600_000]))
    }
    if (dice.chance(faults.outage)) this.network.cutOff(dice.between(100, 1.5 * leaseMs))
    if (dice.chance(faults.clockStep)) this.stepStore(dice.pick([-10_000, -2_000, 2_000, 10_000]))
  }

  private kill(i: number, { process }: Running): void {
    process.kill()
    this.tell("kill", process.id, null)
    this.startLater(i)
  }

  private pause({ process }: Running): void {
    // The interesting ones end about when the lease does.
    const forMs = this.dice.chance(0.5) ? this.dice.between(0.6 * leaseMs, 1.3 * leaseMs) : this.dice.between(500, 3 * leaseMs)
    process.pause(forMs)
    this.tell("pause", process.id, forMs)
  }

  /** A gentle end: it gives back what it has when its grace is over. */
  private stop(i: number, running: Running): void {
    running.process.happen(running.stop)
    this.startLater(i)
  }

  /** Leases that last in the store's time end sooner or later for everybody. */
  private stepStore(ms: number): void {
    this.tell("clock", "*", Math.max(0, ms) + leaseMs)
    this.simulation.storeProcess.stepClock(ms)
  }

  private tell(fault: "kill" | "pause" | "clock", victim: string, forMs: number | null): void {
    const nowMs = this.simulation.storeNowMs
    this.simulation.write({ op: "fault", fault, victim, atMs: nowMs, untilMs: forMs === null ? null : nowMs + forMs })
  }
}

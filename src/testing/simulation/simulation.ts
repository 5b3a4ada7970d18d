// One seed: the real queue, workers, sweepers, lanes and limits on a real store, in virtual time, under whatever the seed has drawn. It
// ends when everything is done or the time for it is over, and the history checker judges.

import { createHash } from "node:crypto"
import { Queue, queueDefaults } from "../../queue/index.ts"
import type { Store } from "../../store/index.ts"
import { jobLimit } from "../../task/index.ts"
import { systemWorld, type World } from "../../world/index.ts"
import { HistoryChecker, type HistoryEvent, type HistoryReport, type Violation } from "../checker/index.ts"
import { Dice } from "../dice.ts"
import { lookAt } from "../look-at.ts"
import { historyLog, policyFact, recordedStore, type WriteFact } from "../recorded-store.ts"
import { Timeline } from "../timeline.ts"
import { virtualStartMs } from "../virtual-world.ts"
import { judgeCrews } from "./crews.ts"
import { Network } from "./network.ts"
import { Person } from "./people.ts"
import { drawPlan, leaseMs, type Plan, startWithinMs, workerOptions } from "./plan.ts"
import { probeSlots } from "./probe.ts"
import { SimulatedProcess } from "./process.ts"
import { tasksFor } from "./tasks.ts"
import { judgeTicks } from "./ticks.ts"
import { Trouble } from "./trouble.ts"

export interface Simulated extends HistoryReport {
  readonly seed: number
  readonly virtualMs: number
  /** Of everything that was written down: the same seed gives the same one. */
  readonly traceHash: string | null
}

export interface SimulationOptions {
  readonly seed: number
  /** The store, in the world that it is given. */
  readonly open: (world: World) => Promise<Store>
  /** Is told of every event as it happens. */
  readonly onEvent?: (event: HistoryEvent) => void
  readonly hash?: boolean
}

/** How long a network that was healed may still carry what was under way. */
const calmMs = 5_000
/** Everything has to be done this long after: the slowest rate for every task, twice, and a few leases. */
const drainMs = 240_000
const checkEveryMs = 250

export class Simulation {
  readonly plan: Plan
  readonly dice: Dice
  readonly timeline = new Timeline()
  readonly storeProcess: SimulatedProcess
  readonly write: WriteFact
  private readonly options: SimulationOptions
  private readonly checker: HistoryChecker
  private readonly hash = createHash("sha256")
  private store: Store | null = null
  private network: Network | null = null
  private undone = 0
  /** The latest time that the store has given out. */
  private storeSaidMs = 0

  constructor(options: SimulationOptions) {
    this.options = options
    this.dice = new Dice(options.seed)
    this.plan = drawPlan(this.dice)
    this.storeProcess = new SimulatedProcess("store", this.timeline, this.dice.fork(), { startMs: virtualStartMs, speed: 1 })
    const startsAreDated = this.plan.faults.clockStep === 0
    this.checker = new HistoryChecker({ toleranceMs: 1_000, ...(startsAreDated ? { startWithinMs: 1.06 * startWithinMs } : {}) })
    this.write = this.logOf("store")
  }

  async run(): Promise<Simulated> {
    const store = await this.carry(this.options.open(this.storeProcess))
    this.store = store
    const { faults, exchanges } = this.plan
    const parts = { timeline: this.timeline, dice: this.dice.fork(), faults, exchanges, write: this.write }
    this.network = new Network({ ...parts, store: recordedStore(store, this.write), storeNowMs: () => this.storeNowMs })
    for (const { name, policy } of this.limits) this.write(policyFact(name, policy))
    this.write(policyFact(jobLimit, { rates: [], concurrency: this.plan.crewConcurrency }))
    const trouble = new Trouble(this, this.network)
    trouble.begin()
    this.peopleBegin()
    await this.pass(this.plan.troubleMs)
    trouble.end()
    this.network.heal()
    await this.pass(calmMs)
    await this.settleDown()
    this.write(await this.carry(lookAt(store, { isRest: true, limits: this.limits.map(({ name }) => name), histories: true })))
    const { violations, totals } = this.checker.check()
    const { tickSeconds } = this.plan
    const crews = this.plan.crews === 0 ? [] : await this.carry(judgeCrews(store))
    const missed = tickSeconds === null ? [] : await this.carry(judgeTicks(store, tickSeconds))
    const leaks = violations.length > 0 ? [] : await this.probe(trouble)
    await this.carry(store.close())
    const { seed, hash } = this.options
    return {
      seed,
      violations: [...violations, ...crews, ...missed, ...leaks],
      totals,
      virtualMs: this.timeline.nowMs,
      traceHash: hash ? this.hash.digest("hex") : null,
    }
  }

  get limits() {
    return [this.plan.api, this.plan.slots]
  }

  /** A process with a clock of its own. */
  process(id: string): SimulatedProcess {
    const { dice, plan } = this
    const startMs = virtualStartMs + Math.round((dice.random() * 2 - 1) * plan.skewMs)
    return new SimulatedProcess(id, this.timeline, dice.fork(), { startMs, speed: 1 + (dice.random() * 2 - 1) * plan.drift })
  }

  /** The real worker, in a process of its own. Its handlers write down when they begin and end. */
  startWorker(id: string): { readonly process: SimulatedProcess; readonly stop: () => void } {
    const process = this.process(id)
    const queue = new Queue(this.storeOf(process), process, queueDefaults.maxInputBytes)
    const tasks = Object.values(tasksFor(this.plan, process, this.logOf(id)))
    const worker = queue.worker(tasks, { ...workerOptions, id, concurrency: this.plan.concurrency })
    void worker.run()
    return { process, stop: () => worker.stop() }
  }

  private logOf(id: string): WriteFact {
    const write = (event: HistoryEvent) => {
      if (event.op === "claim" || event.op === "settle") this.storeSaidMs = Math.max(this.storeSaidMs, event.atMs)
      this.checker.add(event)
      if (this.options.hash) this.hash.update(JSON.stringify(event))
      this.options.onEvent?.(event)
    }
    return historyLog(id, () => this.storeNowMs, write)
  }

  /** As near as one can know it from outside: a store does not follow its machine's clock back. */
  get storeNowMs(): number {
    return Math.max(this.storeProcess.wallMs(), this.storeSaidMs)
  }

  private storeOf(process: SimulatedProcess): Store {
    return (this.network as Network).storeFor(process)
  }

  private person(id: string): Person {
    const process = this.process(id)
    const tasks = tasksFor(this.plan, process, this.logOf(id))
    return new Person(process, this.storeOf(process), this.plan, this.dice.fork(), tasks)
  }

  private peopleBegin(): void {
    const { dice, plan } = this
    const people = [this.person("person-1"), this.person("person-2")]
    this.undone = plan.tasks
    for (let n = 0; n < plan.tasks; n++) {
      const atMs = dice.chance(0.3) ? 0 : dice.random() * plan.troubleMs
      const person = dice.pick(people)
      this.timeline.at(atMs, () => void person.submit(n).finally(() => this.undone--))
      if (dice.chance(plan.meddling)) this.timeline.at(dice.random() * plan.troubleMs, () => void dice.pick(people).meddle())
    }
    for (let n = 0; n < plan.crews; n++) {
      this.undone++
      this.timeline.at(
        dice.random() * plan.troubleMs,
        () =>
          void dice
            .pick(people)
            .submitCrew(n)
            .finally(() => this.undone--),
      )
    }
    const { tickSeconds } = plan
    if (tickSeconds !== null) this.timeline.at(dice.random() * 2_000, () => void this.person("person-4").schedule(tickSeconds))
    for (let i = 0; i < 2; i++) this.timeline.at(dice.random() * plan.troubleMs, () => void this.lookNow())
    this.timeline.at(plan.troubleMs + calmMs, () => void this.person("person-3").open())
  }

  /** The store's answers in one moment: nobody else gets a turn meanwhile. */
  private async lookNow(): Promise<void> {
    const look = await lookAt(this.store as Store, { isRest: false, limits: this.limits.map(({ name }) => name), histories: false })
    this.write(look)
  }

  private async settleDown(): Promise<void> {
    let isDone = false
    const check = async () => {
      const { byStatus } = await (this.store as Store).counts({ type: null })
      isDone = this.undone === 0 && byStatus.pending + byStatus.running === 0
      if (!isDone) this.timeline.at(this.timeline.nowMs + checkEveryMs, () => void check())
    }
    // Not before the limits have been opened.
    this.timeline.at(this.timeline.nowMs + 1_000, () => void check())
    await this.pass(drainMs, () => isDone)
  }

  private async probe(trouble: Trouble): Promise<Violation[]> {
    trouble.killAll()
    await this.pass(leaseMs)
    const { slots, keys } = this.plan
    return this.carry(probeSlots(this.store as Store, this.storeProcess, slots, keys))
  }

  /** Lets as much time pass as it takes to get an answer. */
  private async carry<T>(answer: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    answer.then(done, done)
    // Opening and closing a store may wait for files too, which takes turns of the real world.
    for (await turn(); !isDone; await turn()) this.timeline.step()
    return answer
  }

  /** Lets time pass. All that one thing starts is done before the next: nothing here waits for the real world. */
  private async pass(ms: number, isDone: () => boolean = () => false): Promise<void> {
    const untilMs = this.timeline.nowMs + ms
    for (let nextMs = this.timeline.nextAtMs(); nextMs !== null && nextMs <= untilMs && !isDone(); nextMs = this.timeline.nextAtMs()) {
      this.timeline.step()
      await turn()
    }
    if (!isDone()) this.timeline.nowMs = untilMs
  }
}

const turn = () => new Promise<void>((resolve) => systemWorld.turn(resolve))

export function simulate(options: SimulationOptions): Promise<Simulated> {
  return new Simulation(options).run()
}

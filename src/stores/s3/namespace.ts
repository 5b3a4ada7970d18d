// One namespace as one opened store has it: the log, who writes into it, who watches it, and the time.

import { type ClockState, clockStart, laterClock, tick } from "../../store/clock.ts"
import type { StoreDescription } from "../../store/contract.ts"
import type { ServerClock } from "../../store/server-clock.ts"
import { sleep, systemWorld, type World } from "../../world/index.ts"
import type { MemoryRecords } from "../memory/records.ts"
import { Committer, type Stamp } from "./committer.ts"
import { describe } from "./describe.ts"
import { closed } from "./errors.ts"
import { Keeper } from "./keeper.ts"
import type { Keys } from "./layout.ts"
import { Log } from "./log.ts"
import type { Objects } from "./objects.ts"
import { watchSecond } from "./second-turn.ts"
import { Watcher } from "./watcher.ts"

export interface NamespaceOptions {
  readonly name: string
  readonly world: World
  readonly objects: Objects
  readonly keys: Keys
  readonly serverClock: ServerClock
  readonly pollMs: number
  readonly patienceMs: number
  readonly recordsKeptMs: number
}

export class Namespace {
  private readonly options: NamespaceOptions
  private readonly committer: Committer
  private readonly log: Log
  private readonly watcher: Watcher
  private readonly keeper: Keeper
  private clock: ClockState = clockStart
  /** Before the first charge. */
  private timed: Promise<void> | null = null
  private isClosed = false

  static async open(options: NamespaceOptions): Promise<Namespace> {
    const namespace = new Namespace(options)
    await namespace.log.open()
    await namespace.log.catchUpFar()
    await namespace.committer.mark(namespace.log)
    return namespace
  }

  private constructor(options: NamespaceOptions) {
    this.options = options
    const { world, objects, keys, pollMs, patienceMs, recordsKeptMs } = options
    this.committer = new Committer({
      ...{ world, place: objects.place, patienceMs },
      stamp: () => this.stamp(),
      sawEnd: () => this.watcher.sawEnd(),
    })
    this.log = new Log({
      ...{ objects, keys, recordsKeptMs },
      applied: ({ head }, hasNews) => {
        this.committer.heard(head)
        this.watcher.heard(hasNews)
        this.keeper.heard(this.log, head.writer)
      },
      answered: (id, applied, waitedMs) => this.committer.answered(id, applied, waitedMs),
      lost: (error) => this.committer.fail(error),
    })
    this.watcher = new Watcher(this.log, world, pollMs)
    this.keeper = new Keeper({ objects, keys, writer: this.committer.writer, recordsKeptMs })
  }

  change(op: string, make: (waitedMs: number) => unknown): Promise<{ readonly answer: unknown; readonly waitedMs: number }> {
    if (this.isClosed) return Promise.reject(closed(this.options.objects.place))
    return this.committer.run(this.log, op, make)
  }

  /** The same, of what may charge a gate: it waits until the time is known, and is older by that. */
  async charge(op: string, make: (waitedMs: number) => unknown): Promise<{ readonly answer: unknown; readonly waitedMs: number }> {
    const { world, objects } = this.options
    if (this.isClosed) throw closed(objects.place)
    const askedAtMs = world.monotonicMs()
    if (this.log.pace.hasLimits) {
      this.timed ??= this.knowTime()
      await this.timed
    }
    const heldMs = world.monotonicMs() - askedAtMs
    // What was asked before the end is still carried out.
    const { answer, waitedMs } = await this.committer.run(this.log, op, (waited) => make(waited + heldMs))
    return { answer, waitedMs: waitedMs + heldMs }
  }

  async look<T>(step: (records: MemoryRecords) => T): Promise<T> {
    if (this.isClosed) throw closed(this.options.objects.place)
    await this.watcher.latest()
    return this.log.replica.look(this.stamp().atMs, step)
  }

  wait(signal: AbortSignal): Promise<void> {
    return this.watcher.wait(signal)
  }

  async describe(): Promise<StoreDescription> {
    return this.look((records) => {
      const { atMs, errorMs } = this.stamp()
      return describe(this.options, this.log, errorMs, atMs, records)
    })
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.watcher.close()
    await this.timed
    await this.committer.settled()
    await this.keeper.close()
    this.options.objects.close()
  }

  private async knowTime(): Promise<void> {
    const { serverClock, world } = this.options
    if (world.wallMs !== systemWorld.wallMs) return
    const nowMs = systemWorld.monotonicMs
    const openMs = () => {
      const bounds = this.isClosed ? null : serverClock.at(nowMs())
      return bounds && bounds.toMs - bounds.fromMs
    }
    const look = () => this.watcher.latest()
    await watchSecond({ nowMs, openMs, look, sleep: (ms) => sleep(systemWorld, ms) })
  }

  /** The server's time, no earlier than that of the last record; a world that was handed in has its own. */
  private stamp(): Stamp {
    const { world, serverClock } = this.options
    const bounds = world.wallMs === systemWorld.wallMs ? serverClock.at(systemWorld.monotonicMs()) : null
    const wallMs = bounds?.fromMs ?? world.wallMs()
    this.clock = tick(laterClock(this.clock, this.log.replica.clock), wallMs)
    const { lastMs, behindAtMs } = this.clock
    const errorMs = bounds ? Math.max(0, bounds.toMs - lastMs) : 0
    return { atMs: lastMs, errorMs, ...(behindAtMs === null ? {} : { behindAtMs }) }
  }
}

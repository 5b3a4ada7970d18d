// A queue for tests of one's own tasks: in memory, with a worker at work, in a world whose time only the test moves. What is
// due runs by itself; `drain` waits for it, `advance` lets time pass.

import { SluiceError } from "../errors/index.ts"
import { type CallsSettings, callsSettings } from "../queue/calls/index.ts"
import { type AnyTask, type CallsOptions, Queue, queueDefaults, type Task } from "../queue/index.ts"
import { resolveStore } from "../queue/resolve.ts"
import type { Store } from "../store/index.ts"
import { anything, type Duration, parseDuration, parseName, parseSize, readOptions, type Size } from "../units/index.ts"
import type { Worker, WorkerOptions } from "../worker/index.ts"
import { systemWorld } from "../world/index.ts"
import { VirtualWorld } from "./virtual-world.ts"

export interface TestQueueOptions {
  /** The URL of a store; "memory:" by default. */
  readonly store?: string
  readonly namespace?: string
  readonly world?: VirtualWorld
  readonly maxInputBytes?: Size
  readonly worker?: WorkerOptions
  /** Of limits outside the queue. */
  readonly calls?: CallsOptions
  /** What stands between the queue and its store: `faultyStore`, `viaJson`, or something that counts calls. */
  readonly through?: (store: Store) => Store
}

/** How long `drain` waits, in real time, for handlers that wait for files or the network. */
const patienceMs = 5_000

export async function testQueue(tasks: readonly AnyTask[], options?: TestQueueOptions): Promise<TestQueue> {
  const read = readOptions("testQueue", options, {
    store: anything<string>(),
    namespace: parseName,
    world: anything<VirtualWorld>(),
    maxInputBytes: parseSize,
    worker: anything<WorkerOptions>(),
    calls: anything<CallsOptions>(),
    through: anything<(store: Store) => Store>(),
  })
  const { store: url = "memory:", namespace = queueDefaults.namespace, world = new VirtualWorld() } = read
  const opened = await (await resolveStore(url))({ url, namespace, world })
  const maxInputBytes = read.maxInputBytes ?? queueDefaults.maxInputBytes
  return new TestQueue(read.through?.(opened) ?? opened, world, maxInputBytes, tasks, read.worker, callsSettings(read.calls))
}

export class TestQueue extends Queue {
  declare readonly world: VirtualWorld
  /** The worker that runs the tasks. */
  readonly ownWorker: Worker
  private readonly work: Promise<void>
  private isWorking = true
  private failure: unknown = null

  constructor(
    store: Store,
    world: VirtualWorld,
    maxInputBytes: number,
    tasks: readonly AnyTask[],
    options?: WorkerOptions,
    calls?: CallsSettings,
  ) {
    super(store, world, maxInputBytes, calls)
    this.ownWorker = this.worker(tasks, options)
    this.work = this.ownWorker.run().then(
      () => this.ended(null),
      (error) => this.ended(error),
    )
  }

  /** Until everything that is due has been run, what that has submitted included. No time passes meanwhile. */
  async drain(): Promise<void> {
    const untilMs = systemWorld.monotonicMs() + patienceMs
    for (;;) {
      const due = await this.due()
      if (this.failure) throw this.failure
      if (due.length === 0) return
      if (systemWorld.monotonicMs() > untilMs) throw stillThere(due)
      await this.world.settle()
    }
  }

  /** Lets time pass, and runs what falls due on the way. A handler that waits for files or the network may need `drain` afterwards. */
  async advance(duration: Duration): Promise<void> {
    await this.world.advance(parseDuration("advance", duration))
  }

  /** Running tasks are given back. Time passes if a store that is away makes the worker wait. */
  override async close(): Promise<void> {
    this.ownWorker.stop()
    this.ownWorker.stop()
    await this.world.advanceUntil(() => !this.isWorking).catch(() => {})
    await this.work
    await super.close()
  }

  private ended(failure: unknown): void {
    this.isWorking = false
    this.failure = failure
  }

  private async due(): Promise<Task[]> {
    const now = await this.now()
    const found: Task[] = []
    let cursor: string | null | undefined
    do {
      const page = await this.list({ status: ["pending", "running"], limit: 1_000, ...(cursor ? { cursor } : {}) })
      for (const task of page.tasks) {
        if (this.ownWorker.types.includes(task.type) && task.availableAt <= now && !(await this.isHeld(task, now))) found.push(task)
      }
      cursor = page.cursor
    } while (cursor)
    return found
  }

  /** At a gate, until time passes or somebody changes the limit. */
  private async isHeld(task: Task, now: Date): Promise<boolean> {
    if (task.status !== "pending" || !task.gates || task.gates.length === 0) return false
    const forecast = (await this.get(task.id))?.forecast
    return forecast !== null && forecast !== undefined && (forecast.at === null || forecast.at > now)
  }
}

function stillThere(tasks: readonly Task[]): SluiceError {
  const some = tasks.slice(0, 5).map(({ id, type, status }) => `${type} ${id} (${status})`)
  return new SluiceError(
    "timeout",
    `drain: expected every task that is due to end, but ${tasks.length} did not: ${some.join(", ")}; a handler that waits for time to pass needs advance()`,
  )
}

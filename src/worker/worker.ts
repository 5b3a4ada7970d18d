// A worker: claims what it has room and handlers for, runs it, keeps the leases, settles, sweeps, and stops gently.
//
//   idle ──run()──▶ working ──signal or stop()──▶ draining ──nothing left, or the grace is over──▶ stopped
//
// A worker lives once: what comes after is another worker.

import { SluiceError, shown } from "../errors/index.ts"
import { isTaskDefinition } from "../queue/definition.ts"
import type { AnyTask, Queue } from "../queue/index.ts"
import { Events, type WorkerEvents } from "./events.ts"
import { keepGreeting } from "./greeter.ts"
import { Line } from "./line.ts"
import { Loop } from "./loop.ts"
import { longestPauseMs, type WorkerOptions, type WorkerSettings, workerSettings } from "./options.ts"
import { keepSweeping } from "./sweeper.ts"
import { checkIsolated } from "./thread.ts"

export interface RunOptions extends WorkerOptions {
  /** When it fires, the worker drains: it claims no more and gives running tasks the grace to finish. */
  readonly signal?: AbortSignal
}

/** Claims, runs and settles tasks of its types until it is stopped; then what runs has the grace to finish. */
export class Worker {
  private readonly queue: Queue
  private readonly tasks: ReadonlyMap<string, AnyTask>
  private readonly options: WorkerOptions | undefined
  private readonly events = new Events()
  private settings: WorkerSettings
  /** Null before run(). */
  private loop: Loop | null = null
  private isStoppedEarly = false

  constructor(queue: Queue, tasks: readonly AnyTask[], options?: WorkerOptions) {
    this.queue = queue
    this.options = options
    this.settings = workerSettings(queue.world, options)
    this.tasks = byType(tasks)
    for (const task of this.tasks.values()) queue.declarations.noteTask(task)
  }

  get id(): string {
    return this.settings.id
  }

  /** The task types that it claims. */
  get types(): readonly string[] {
    return [...this.tasks.keys()]
  }

  /** Handlers that were given up on and have not returned. */
  get overrunCount(): number {
    return this.loop?.runs.overruns ?? 0
  }

  on<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): this {
    this.events.on(name, listener)
    return this
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): this {
    this.events.off(name, listener)
    return this
  }

  /** Works until stopped. Resolves when everything has been settled or given back; rejects when the store is gone for good. */
  async run(options: RunOptions = {}): Promise<void> {
    if (typeof options !== "object" || options === null)
      throw new SluiceError("invalid_option", `run: expected an object of options, got ${shown(options)}`)
    const { signal, ...others } = options
    checkSignal(signal)
    if (this.loop) throw new SluiceError("invalid_option", `worker ${this.id}: expected run() once, got it again; make another worker`)
    this.settings = workerSettings(this.queue.world, { id: this.id }, this.options, others)
    const loop = new Loop(this.queue, this.tasks, this.settings, this.events)
    this.loop = loop
    const stop = () => loop.drain()
    signal?.addEventListener("abort", stop, { once: true })
    if (signal?.aborted || this.isStoppedEarly) stop()
    this.events.emit("worker.started", { workerId: this.id, types: this.types })
    const ends = new AbortController()
    const aside = [
      // The loop asks, is told so too, and ends.
      keepSweeping(this.queue.store, this.queue.world, this.settings, this.events, loop.drains, () => loop.news()),
      keepGreeting(this.queue, [...this.tasks.values()], this.settings, loop.drains),
      this.keepListening(loop, ends.signal),
    ]
    try {
      await loop.work(ends.signal)
    } finally {
      signal?.removeEventListener("abort", stop)
      ends.abort()
      await Promise.all(aside)
      this.events.emit("worker.stopped", { workerId: this.id })
    }
  }

  /** Claims no more; running tasks have the grace period to finish, then they are given back. A second call ends the grace. */
  stop(): void {
    this.isStoppedEarly = true
    this.loop?.drain()
  }

  /** Waiting starts before claiming, so that what arrives in between is not missed. */
  private async keepListening(loop: Loop, signal: AbortSignal): Promise<void> {
    const line = new Line(this.queue.world, null, { deadlineMs: null, longestDelayMs: longestPauseMs(this.settings) })
    while (!signal.aborted) {
      try {
        await line.ask(() => this.queue.store.wait({ workerId: this.id }, signal), signal)
      } catch {
        // Gone for good: the loop asks, is told so, and ends.
        return
      } finally {
        loop.news()
      }
    }
  }
}

function byType(tasks: readonly AnyTask[]): ReadonlyMap<string, AnyTask> {
  if (!Array.isArray(tasks)) {
    const got = isTaskDefinition(tasks) ? "a task; put it into an array" : shown(tasks)
    throw new SluiceError("invalid_option", `worker: expected an array of what defineTask gives, got ${got}`)
  }
  const map = new Map<string, AnyTask>()
  for (const [i, task] of tasks.entries()) {
    if (!isTaskDefinition(task))
      throw new SluiceError("invalid_option", `worker: tasks[${i}]: expected what defineTask gives, got ${shown(task)}`)
    if (map.has(task.type))
      throw new SluiceError("invalid_option", `worker: expected one definition for each task type, got two for ${task.type}`)
    checkIsolated(task)
    map.set(task.type, task)
  }
  if (map.size === 0) throw new SluiceError("invalid_option", "worker: expected at least one task definition, got none")
  return map
}

function checkSignal(signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return
  throw new SluiceError("invalid_option", `run: signal: expected an AbortSignal, got ${shown(signal)}`)
}

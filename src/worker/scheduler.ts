// Fires schedules whose instant has come. Every worker does: the store takes one of them and tells the others that they are late. Nothing
// polls: answers of the store tell when the next instant is, and a timer waits for it.

import { dueInstants, readTimetable } from "../cron/index.ts"
import { shown } from "../errors/index.ts"
import type { Queue } from "../queue/index.ts"
import { budgets, type ExchangeAnswer, type Fire, type FireAnswer } from "../store/index.ts"
import { idMaker, type ScheduleRecord } from "../task/index.ts"
import type { Timer, World } from "../world/index.ts"
import type { Events } from "./events.ts"
import { Line } from "./line.ts"
import { callDeadlineMs, longestPauseMs, type WorkerSettings } from "./options.ts"

/** Runs of one schedule in one step. */
const mostRuns = 100
/** How soon it is looked again for an instant that was there at the last look, and that this worker could do nothing about. */
const inVainMs = 1_000

export class Scheduler {
  private readonly queue: Queue
  private readonly world: World
  private readonly settings: WorkerSettings
  private readonly events: Events
  private readonly signal: AbortSignal
  private readonly line: Line
  private readonly makeId: () => string
  private timer: { readonly atMs: number; readonly timer: Timer } | null = null
  /** Resolves when nothing more is to be fired. */
  private work: Promise<void> | null = null
  /** What was asked for meanwhile: its answer may be newer than the last look. */
  private wantedAtMs = Number.POSITIVE_INFINITY
  /** When it has last looked: on the store's clock, and on the monotonic one. */
  private looked = { storeMs: Number.NEGATIVE_INFINITY, atMs: 0 }
  /** The version of which it was told that it cannot be fired. */
  private readonly told = new Map<string, number>()

  /** Until the signal fires. */
  constructor(queue: Queue, settings: WorkerSettings, events: Events, signal: AbortSignal) {
    this.queue = queue
    this.world = queue.world
    this.settings = settings
    this.events = events
    this.signal = signal
    this.line = new Line(queue.world, null, { deadlineMs: callDeadlineMs(settings), longestDelayMs: longestPauseMs(settings) })
    this.makeId = idMaker(queue.world)
    signal.addEventListener("abort", () => this.disarm(), { once: true })
  }

  /** An exchange that was sent then has told of the earliest instant. */
  heard({ scheduleAtMs, nowMs, waitedMs }: ExchangeAnswer, sentAtMs: number): void {
    if (scheduleAtMs === undefined || !this.settings.schedules) return
    const atMs = sentAtMs + waitedMs + Math.max(0, scheduleAtMs - nowMs)
    this.lookAt(scheduleAtMs > this.looked.storeMs ? atMs : Math.max(atMs, this.looked.atMs + inVainMs))
  }

  /** For the end of the worker: nothing of it goes on. */
  async ended(): Promise<void> {
    this.disarm()
    await this.work
  }

  /** On the monotonic clock. */
  private lookAt(atMs: number): void {
    if (this.work) this.wantedAtMs = Math.min(this.wantedAtMs, atMs)
    if (this.signal.aborted || this.work || (this.timer && this.timer.atMs <= atMs)) return
    this.disarm()
    const timer = this.world.timer(Math.max(0, atMs - this.world.monotonicMs()), () => {
      this.timer = null
      this.work ??= this.fireAll()
    })
    this.timer = { atMs, timer }
  }

  private disarm(): void {
    this.timer?.timer.cancel()
    this.timer = null
  }

  private async fireAll(): Promise<void> {
    try {
      while (await this.fireDue());
    } catch {
      // Gone for good: the loop asks, is told so, and ends.
    } finally {
      this.work = null
      const atMs = this.wantedAtMs
      this.wantedAtMs = Number.POSITIVE_INFINITY
      if (atMs < Number.POSITIVE_INFINITY) this.lookAt(atMs)
    }
  }

  /** Whether it is worth looking again now. */
  private async fireDue(): Promise<boolean> {
    const found = await this.ask(() => this.queue.store.dueSchedules({ count: budgets.schedulesPage }))
    if (!found) return false
    this.looked = { storeMs: found.nowMs, atMs: this.world.monotonicMs() }
    if (found.nextAtMs !== null) this.lookAt(this.looked.atMs + found.nextAtMs - found.nowMs)
    const fires = this.firesOf(found.schedules, found.nowMs)
    return fires.length > 0 && this.fire(fires)
  }

  /** Together, as long as none of them is refused; then each by itself, so that one does not stop the others. */
  private async fire(fires: readonly Fire[]): Promise<boolean> {
    try {
      const answer = await this.ask(() => this.queue.store.fire({ fires }))
      if (answer) this.tell(fires, answer)
      return answer !== null
    } catch (error) {
      const [first] = fires
      if (first && fires.length === 1) this.tellOnce(first.name, first.version, error)
      let isAnyFired = false
      if (fires.length > 1) for (const one of fires) isAnyFired = (await this.fire([one])) || isAnyFired
      return isAnyFired
    }
  }

  /** As much as fits into one step; what is left is found by the next look. */
  private firesOf(schedules: readonly ScheduleRecord[], nowMs: number): Fire[] {
    const fires: Fire[] = []
    let [tasksLeft, bytesLeft]: [number, number] = [budgets.submitTasks, budgets.submitBytes]
    for (const schedule of schedules) {
      if (tasksLeft <= 0 || bytesLeft <= 0) break
      const bytes = Buffer.byteLength(schedule.template.input)
      const most = Math.max(1, Math.min(mostRuns, tasksLeft, Math.floor(bytesLeft / Math.max(1, bytes))))
      const fire = this.fireOf(schedule, nowMs, most)
      if (!fire) continue
      fires.push(fire)
      tasksLeft -= fire.runs.length
      bytesLeft -= fire.runs.length * bytes
    }
    return fires
  }

  /** Null where its cron or its time zone is none that this process knows: another one may. */
  private fireOf(schedule: ScheduleRecord, nowMs: number, most: number): Fire | null {
    const { name, cron, timezone, catchUp, nextAtMs: atMs, version } = schedule
    if (atMs === null) return null
    try {
      const timetable = readTimetable(`schedule ${shown(name)}`, cron, timezone)
      const { instants, nextAtMs } = dueInstants(timetable, catchUp, atMs, nowMs, most)
      return { name, atMs, version, runs: instants.map((instant) => ({ id: this.makeId(), atMs: instant })), nextAtMs }
    } catch (error) {
      this.tellOnce(name, version, error)
      return null
    }
  }

  private tell(fires: readonly Fire[], { results }: FireAnswer): void {
    for (const [i, result] of results.entries()) {
      const name = fires[i]?.name ?? ""
      if (result.kind === "stale") continue
      for (const { atMs, id, created } of result.tasks)
        if (created) this.events.emit("schedule.fired", { name, scheduledAt: new Date(atMs), id })
      if (result.error !== null) this.events.emit("schedule.failed", { name, error: result.error })
    }
  }

  private tellOnce(name: string, version: number, error: unknown): void {
    if (this.told.get(name) === version) return
    this.told.set(name, version)
    this.events.emit("schedule.failed", { name, error: (error as Error).message })
  }

  /** Again and again until there is an answer; null once the worker drains. */
  private async ask<T>(call: () => Promise<T>): Promise<T | null> {
    while (!this.signal.aborted) {
      const answer = await this.line.ask(call, this.signal)
      if (answer !== null) return answer
    }
    return null
  }
}

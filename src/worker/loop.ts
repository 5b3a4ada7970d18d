// The worker's loop. It makes every exchange: one at a time, or a few beside each other where the store says that it helps. What happens
// meanwhile is carried by the next. Handlers never wait for the store, and the loop never waits for a handler.
//
//   working ──drain()──▶ draining ──nothing left, or the grace is over and the store away──▶ finished

import type { AnyTask, Queue } from "../queue/index.ts"
import type { Outcome } from "../task/index.ts"
import type { Timer, World } from "../world/index.ts"
import { Answers, type Sent } from "./answers.ts"
import { isSoon, nextTurn, untilCalm } from "./calm.ts"
import { Claims } from "./claims.ts"
import type { Events } from "./events.ts"
import { Line } from "./line.ts"
import { OneByOne } from "./one-by-one.ts"
import { callDeadlineMs, longestPauseMs, type WorkerSettings } from "./options.ts"
import { heartbeatRequest, Outbox, settleRequest } from "./outbox.ts"
import { type Overlapping, overlapping } from "./overlap.ts"
import { Permits } from "./permits.ts"
import { RoundTrips } from "./round-trips.ts"
import { Router } from "./router.ts"
import type { Run } from "./run.ts"
import { Runs } from "./runs.ts"
import { Scheduler } from "./scheduler.ts"
import { Waker } from "./waker.ts"

/** A worker without room has nothing to claim, but may be woken for a cancellation. It looks no more often than this. */
const lookEveryMs = 100

export class Loop {
  readonly runs: Runs
  private readonly queue: Queue
  private readonly world: World
  private readonly tasks: ReadonlyMap<string, AnyTask>
  private readonly settings: WorkerSettings
  private readonly events: Events
  private readonly outbox: Outbox
  private readonly roundTrips = new RoundTrips()
  private readonly claims: Claims
  private readonly waker: Waker
  private readonly permits: Permits
  private readonly router: Router
  private readonly scheduler: Scheduler
  private readonly answers: Answers
  private readonly overlap: Overlapping
  private readonly oneByOne: OneByOne
  /** How many exchanges have not been answered. */
  private underWay = 0
  /** Why no exchange is made any more: the store is gone for good; or it stays away and the grace is over, or all is done. */
  private end: { readonly error: unknown } | "over" | null = null
  /** Fires when draining starts. */
  private readonly draining = new AbortController()
  private grace: Timer | null = null
  private graceEndsAtMs = Number.POSITIVE_INFINITY
  private askedAtMs = Number.NEGATIVE_INFINITY
  /** How long the exchange that was answered last was under way. */
  private tookMs = 0
  private lookAtMs: number | null = null

  constructor(queue: Queue, tasks: ReadonlyMap<string, AnyTask>, settings: WorkerSettings, events: Events) {
    this.queue = queue
    this.world = queue.world
    this.tasks = tasks
    this.settings = settings
    this.events = events
    this.permits = new Permits(queue.store, this.world, settings)
    this.runs = new Runs(queue, settings, events, this.permits, (run, outcome) => {
      if (outcome) this.settle(run, outcome)
      this.waker.wake()
    })
    this.outbox = new Outbox(this.runs, settings.heartbeatMs)
    this.claims = new Claims([...tasks.values()], settings.startWithinMs)
    this.waker = new Waker(this.world)
    this.router = new Router(queue, tasks, settings, this.drains, () => this.news())
    this.scheduler = new Scheduler(queue, settings, events, this.drains)
    const { runs, outbox, claims, router, scheduler, world, drains } = this
    this.answers = new Answers({ world, tasks, settings, events, runs, outbox, claims, router, scheduler, drains })
    this.overlap = overlapping(queue.store.overlap, settings.concurrency)
    this.oneByOne = new OneByOne(this.world)
  }

  get drains(): AbortSignal {
    return this.draining.signal
  }

  /** Claims no more; running tasks have the grace to finish, then they are given back. A second call ends the grace. */
  drain(): void {
    if (this.drains.aborted) {
      this.giveBack()
      return
    }
    this.draining.abort()
    this.events.emit("worker.draining", { running: this.runs.size })
    this.graceEndsAtMs = this.world.monotonicMs() + this.settings.graceMs
    this.grace = this.world.timer(this.settings.graceMs, () => this.giveBack())
    this.waker.wake()
  }

  private giveBack(): void {
    this.graceEndsAtMs = Math.min(this.graceEndsAtMs, this.world.monotonicMs())
    this.runs.endAll("shutdown")
    this.waker.wake()
  }

  /** Until drained. Rejects when the store is gone for good. */
  async work(signal: AbortSignal): Promise<void> {
    const line = new Line(this.world, this.events, {
      deadlineMs: callDeadlineMs(this.settings),
      longestDelayMs: longestPauseMs(this.settings),
    })
    try {
      await this.sayHello(line)
      while (!this.isFinished && this.end === null) {
        if (this.mayExchange(line)) await this.sendNext(line, signal)
        else await this.waker.sleepUntil(this.nextTimeMs())
      }
      if (this.end !== null && this.end !== "over") throw this.end.error
    } finally {
      // An answer that comes later starts nothing.
      this.end ??= "over"
      this.draining.abort()
      this.grace?.cancel()
      this.runs.endAll("lease_lost")
      await this.router.ended()
      await this.scheduler.ended()
    }
  }

  /** Something may have become claimable or cancelled. */
  news(): void {
    this.claims.wake()
    this.permits.news.tell()
    if (this.runs.size > 0) this.lookAtMs ??= this.askedAtMs + lookEveryMs
    this.waker.wake()
  }

  /** Before the first claim: the store learns what this code knows of types and limits, and the worker learns the time. */
  private async sayHello(line: Line): Promise<void> {
    while (!this.drains.aborted) {
      const answer = await line.ask(() => this.queue.declarations.say(this.settings.id, [...this.tasks.values()]), this.drains)
      if (answer) {
        this.claims.follow(answer.nowMs)
        return
      }
    }
  }

  private async sendNext(line: Line, signal: AbortSignal): Promise<void> {
    // Where no handler runs, whoever was woken claims at once.
    if (this.runs.size > 0 || this.outbox.waiting > 0) await this.untilReady()
    if (this.mayExchange(line)) void this.exchange(line, signal).finally(() => this.waker.wake())
  }

  private untilReady(): Promise<void> {
    return this.claims.passGates ? untilCalm(this.world, this.settings) : nextTurn(this.world)
  }

  /** Never rejects: what ends the worker is noted. */
  private async exchange(line: Line, signal: AbortSignal): Promise<void> {
    const sent = this.next(this.world.monotonicMs())
    this.underWay++
    try {
      const answer = await line.ask(() => this.queue.store.exchange(sent.request), signal)
      this.tookMs = this.world.monotonicMs() - sent.sentAtMs
      if (this.overlap.exchanges > 1) await this.oneByOne.next()
      if (this.end !== null) return
      if (answer) this.answers.take(sent, answer)
      else this.putBack(sent)
    } catch (error) {
      this.end ??= { error }
    } finally {
      this.underWay--
    }
  }

  /** Nobody knows whether it was carried out: everything is said again. */
  private putBack({ carried, claim, sentAtMs }: Sent): void {
    this.outbox.putBack(carried)
    if (claim) this.claims.unanswered(claim)
    if (this.runs.size > 0) this.lookAtMs = sentAtMs
    if (this.isWaitingInVain) this.end = "over"
  }

  private get isFinished(): boolean {
    return this.drains.aborted && this.runs.size === 0 && this.underWay === 0 && this.outbox.isSettled && !this.claims.isUnanswered
  }

  /** A store that stays away holds up a shutdown for its grace. What was not settled then comes back when its lease ends. */
  private get isWaitingInVain(): boolean {
    return this.drains.aborted && this.runs.size === 0 && this.world.monotonicMs() >= this.graceEndsAtMs
  }

  /**
   * A further one goes beside those under way only with a good load, and not to a store that does not answer, or not soon. Where next to nothing is going
   * on, what has just come need not wait until the store has answered to what has ended.
   */
  private mayExchange(line: Line): boolean {
    if (this.underWay === 0) return this.hasSomethingToSay()
    const { exchanges, leastTasks } = this.overlap
    if (this.underWay >= exchanges || line.isAway || this.isHeldUp) return false
    if (this.outbox.waiting >= leastTasks || (this.claims.hasBacklog && this.room() >= leastTasks)) return true
    if (this.claims.isUnanswered || this.runs.size + this.outbox.waiting >= leastTasks) return false
    return this.claims.isDue(this.world.monotonicMs(), this.room())
  }

  /** What is claimed at gates would start later still behind another exchange, where those take long. */
  private get isHeldUp(): boolean {
    return this.claims.passGates && !isSoon(this.tookMs, this.settings.startWithinMs)
  }

  private hasSomethingToSay(): boolean {
    const nowMs = this.world.monotonicMs()
    if (this.outbox.isDue(nowMs) || this.claims.isDue(nowMs, this.room())) return true
    return this.lookAtMs !== null && nowMs >= this.lookAtMs
  }

  /** Null: an answer, or a handler that ends, comes first. */
  private nextTimeMs(): number | null {
    if (this.underWay > 0) return null
    const times = [this.outbox.nextAtMs, this.claims.nextAtMs(this.room()), this.lookAtMs]
    return times.reduce((least, time) => (time !== null && (least === null || time < least) ? time : least), null)
  }

  private room(): number {
    return this.drains.aborted ? 0 : Math.max(0, this.settings.concurrency - this.runs.size - this.claims.reserved)
  }

  private next(nowMs: number): Sent {
    const { settings, overlap } = this
    this.askedAtMs = nowMs
    this.lookAtMs = null
    const carried = this.outbox.take(nowMs)
    const room = this.claims.hasBacklog ? Math.min(overlap.share, this.room()) : this.room()
    const claim = this.claims.request(nowMs, room, !this.drains.aborted)
    const request = {
      workerId: settings.id,
      leaseMs: settings.leaseMs,
      settles: carried.settling.map((one) => settleRequest(one, nowMs)),
      heartbeats: carried.beating.map(heartbeatRequest),
      claim: claim && this.claims.toRequest(claim),
    }
    return { request, carried, claim, sentAtMs: nowMs }
  }

  private settle(run: Run, outcome: Outcome): void {
    const { task, startedAtMs } = run
    const durationMs = (run.respondedAtMs ?? this.world.monotonicMs()) - startedAtMs
    const isGated = task.gates !== null && task.gates.length > 0
    // Nobody wants to know how long a run without gates took that went well.
    const isPlain = !isGated && outcome.kind === "completed" && run.heard.length === 0
    this.outbox.settle({ task, outcome, durationMs, ...(isPlain ? nothingToTell : this.toTell(run)) })
    // What it held at its gates is free in the very step that settles it.
    if (isGated) this.claims.wake()
  }

  private toTell({ task, paidFor, allSpent: spent, heard }: Run) {
    const { sentAtMs, respondedAtMs, isWatched } = paidFor
    const rttMs = isWatched && respondedAtMs !== null ? this.roundTrips.leastMs(task.gates ?? [], sentAtMs, respondedAtMs) : null
    return { spent, sentAtMs, respondedAtMs, rttMs, heard }
  }
}

const nothingToTell = { spent: [], sentAtMs: null, respondedAtMs: null, rttMs: null, heard: [] }

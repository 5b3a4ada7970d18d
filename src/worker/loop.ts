// The worker's loop. It makes every exchange, one at a time: what happens between two of them is carried by the next.
// Handlers never wait for the store, and the loop never waits for a handler.
//
//   working ──drain()──▶ draining ──nothing left, or the grace is over and the store away──▶ finished

import type { AnyTask, Queue } from "../queue/index.ts"
import type { ExchangeAnswer, ExchangeRequest, SettleAnswer } from "../store/index.ts"
import type { Outcome, TaskRecord } from "../task/index.ts"
import type { Timer, World } from "../world/index.ts"
import { Claims } from "./claims.ts"
import type { Events } from "./events.ts"
import { Line } from "./line.ts"
import { callDeadlineMs, longestPauseMs, type WorkerSettings } from "./options.ts"
import { Outbox, type Settling } from "./outbox.ts"
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
  /** Fires when draining starts. */
  private readonly draining = new AbortController()
  private grace: Timer | null = null
  private graceEndsAtMs = Number.POSITIVE_INFINITY
  private askedAtMs = Number.NEGATIVE_INFINITY
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
    this.claims = new Claims([...tasks.keys()])
    this.waker = new Waker(this.world)
    this.router = new Router(queue, tasks, settings, this.drains, () => this.news())
    this.scheduler = new Scheduler(queue, settings, events, this.drains)
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
      while (!this.isFinished) {
        if (this.hasSomethingToSay()) {
          if ((await this.exchange(line, signal)) === "no answer" && this.isWaitingInVain) break
        } else await this.waker.sleepUntil(this.nextTimeMs())
      }
    } finally {
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

  private async exchange(line: Line, signal: AbortSignal): Promise<"answered" | "no answer"> {
    // Handlers that end in the same turn share one exchange.
    await new Promise<void>((resolve) => this.world.turn(resolve))
    const sentAtMs = this.world.monotonicMs()
    const request = this.request(sentAtMs)
    const answer = await line.ask(() => this.queue.store.exchange(request), signal)
    if (answer) {
      this.take(request, answer, sentAtMs)
      return "answered"
    }
    // Nobody knows whether it was carried out: everything is said again.
    this.outbox.putBack()
    if (this.runs.size > 0) this.lookAtMs = sentAtMs
    return "no answer"
  }

  private get isFinished(): boolean {
    return this.drains.aborted && this.runs.size === 0 && this.outbox.isSettled && !this.claims.isUnanswered
  }

  /** A store that stays away holds up a shutdown for its grace. What was not settled then comes back when its lease ends. */
  private get isWaitingInVain(): boolean {
    return this.drains.aborted && this.runs.size === 0 && this.world.monotonicMs() >= this.graceEndsAtMs
  }

  private hasSomethingToSay(): boolean {
    const nowMs = this.world.monotonicMs()
    if (this.outbox.isDue(nowMs) || this.claims.isDue(nowMs, this.room())) return true
    return this.lookAtMs !== null && nowMs >= this.lookAtMs
  }

  private nextTimeMs(): number | null {
    const times = [this.outbox.nextAtMs, this.claims.nextAtMs(this.room()), this.lookAtMs]
    return times.reduce((least, time) => (time !== null && (least === null || time < least) ? time : least), null)
  }

  private room(): number {
    return this.drains.aborted ? 0 : Math.max(0, this.settings.concurrency - this.runs.size)
  }

  private request(nowMs: number): ExchangeRequest {
    this.askedAtMs = nowMs
    this.lookAtMs = null
    return {
      workerId: this.settings.id,
      leaseMs: this.settings.leaseMs,
      ...this.outbox.take(nowMs),
      claim: this.claims.request(nowMs, this.room()),
    }
  }

  private take(request: ExchangeRequest, answer: ExchangeAnswer, sentAtMs: number): void {
    const { settling, beating } = this.outbox.delivered()
    for (const [i, settled] of answer.settled.entries()) this.tellSettled(settling[i], settled)
    for (const [i, run] of beating.entries()) this.takeHeartbeat(run, request.heartbeats[i]?.progress ?? null, answer.kept[i], sentAtMs)
    if (request.claim) {
      const askedAtMs = this.claims.answered(request.claim, answer, sentAtMs)
      for (const task of answer.claimed) {
        const leaseLeftMs = (task.leaseExpiresAtMs ?? answer.nowMs) - answer.nowMs
        this.startRun(task, askedAtMs, this.leaseEnd(sentAtMs, leaseLeftMs))
      }
    }
    if (answer.unrouted.length > 0) this.router.wake(answer.unrouted)
    this.scheduler.heard(answer, sentAtMs)
    for (const paced of answer.paced ?? []) this.events.emit("gate.paced", paced)
    for (const { id, fence } of answer.cancelled) this.runs.find(id, fence)?.stop("cancelled", this.settings.graceMs)
  }

  private takeHeartbeat(run: Run, carried: string | null, kept: "ok" | "stale" | undefined, sentAtMs: number): void {
    if (!this.runs.has(run)) return
    if (kept !== "ok") {
      this.runs.lose(run)
      return
    }
    run.leaseEndsAtMs = this.leaseEnd(sentAtMs, this.settings.leaseMs)
    // What was reported while the heartbeat was under way goes with the next one.
    if (run.progress === carried) run.progress = null
  }

  private startRun(task: TaskRecord, askedAtMs: number, leaseEndsAtMs: number): void {
    const { id, type, fence, attempt } = task
    this.runs.loseEarlier(task)
    if (this.events.hasListeners("task.claimed")) this.events.emit("task.claimed", { id, type, fence, attempt })
    const nowMs = this.world.monotonicMs()
    const definition = this.tasks.get(type)
    // A rate was charged for a start about now. One that comes much later would bunch up with others at the other side.
    const isLate = nowMs >= leaseEndsAtMs || ((task.gates?.length ?? 0) > 0 && nowMs - askedAtMs > this.settings.startWithinMs)
    if (!definition || isLate || this.drains.aborted) {
      const reason = this.drains.aborted ? "shutdown" : "claimed too late to start"
      const neverStarted = { durationMs: 0, spent: [], sentAtMs: null, respondedAtMs: null, rttMs: null, heard: [] }
      this.outbox.settle({ task, outcome: { kind: "released", reason }, ...neverStarted })
      return
    }
    if (this.runs.size === 0) this.outbox.firstRunStarts(nowMs)
    this.runs.start(task, definition, leaseEndsAtMs)
  }

  private settle(run: Run, outcome: Outcome): void {
    const { task, startedAtMs, allSpent: spent, heard } = run
    const { sentAtMs, respondedAtMs, isWatched } = run.paidFor
    const rttMs = isWatched && respondedAtMs !== null ? this.roundTrips.leastMs(task.gates ?? [], sentAtMs, respondedAtMs) : null
    const durationMs = this.world.monotonicMs() - startedAtMs
    this.outbox.settle({ task, outcome, durationMs, spent, sentAtMs, respondedAtMs, rttMs, heard })
    // What it held at its gates is free in the very step that settles it.
    if (task.gates !== null && task.gates.length > 0) this.claims.wake()
  }

  private tellSettled(settling: Settling | undefined, answer: SettleAnswer): void {
    if (!settling) return
    const { task, outcome, durationMs } = settling
    const { id, type, fence } = task
    if (answer.kind === "stale") {
      this.events.emit("task.stale", { id, type, fence, outcome: outcome.kind })
      return
    }
    if (outcome.kind === "throttled" && outcome.scope !== "task") {
      const { limit, retryAfterMs, status } = outcome
      this.events.emit("gate.cooling", { id, type, limit, retryAfterMs, status })
    }
    if (this.events.hasListeners("task.settled")) {
      const error = "error" in outcome ? outcome.error : null
      this.events.emit("task.settled", { id, type, fence, outcome: outcome.kind, status: answer.status, durationMs, error })
    }
  }

  /** A sixth of the lease is kept in hand, so that a handler has stopped before somebody else starts. */
  private leaseEnd(sentAtMs: number, leaseMs: number): number {
    return sentAtMs + leaseMs - Math.min(leaseMs, this.settings.leaseMs) / 6
  }
}

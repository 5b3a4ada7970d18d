// What an answer of the store means for the worker: outcomes are told, leases kept or lost, claimed tasks started, and those that were asked
// to stop are stopped. Answers may come in another order than they were given; fences say which run one is about.

import type { AnyTask } from "../queue/index.ts"
import type { ExchangeAnswer, ExchangeRequest, SettleAnswer } from "../store/index.ts"
import type { TaskRecord } from "../task/index.ts"
import type { World } from "../world/index.ts"
import type { Claims, OpenClaim } from "./claims.ts"
import type { Events } from "./events.ts"
import { keptInHand, type WorkerSettings } from "./options.ts"
import type { Carried, Outbox, Settling } from "./outbox.ts"
import type { Router } from "./router.ts"
import type { Run } from "./run.ts"
import type { Runs } from "./runs.ts"
import type { Scheduler } from "./scheduler.ts"
import { waitOf } from "./wait.ts"

/** An exchange that is under way. */
export interface Sent {
  readonly request: ExchangeRequest
  readonly carried: Carried
  readonly claim: OpenClaim | null
  /** On the monotonic clock. */
  readonly sentAtMs: number
}

export interface AnswersParts {
  readonly world: World
  readonly tasks: ReadonlyMap<string, AnyTask>
  readonly settings: WorkerSettings
  readonly events: Events
  readonly runs: Runs
  readonly outbox: Outbox
  readonly claims: Claims
  readonly router: Router
  readonly scheduler: Scheduler
  readonly drains: AbortSignal
}

const neverStarted = { durationMs: 0, spent: [], sentAtMs: null, respondedAtMs: null, rttMs: null, heard: [] }

export class Answers {
  private readonly parts: AnswersParts

  constructor(parts: AnswersParts) {
    this.parts = parts
  }

  take({ request, carried, claim, sentAtMs }: Sent, answer: ExchangeAnswer): void {
    const { world, claims, router, scheduler, events } = this.parts
    if (events.hasListeners("exchange.done")) this.tellExchanged(answer, claim !== null, sentAtMs)
    this.tellSettled(carried.settling, answer.settled)
    for (const [i, run] of carried.beating.entries())
      this.takeHeartbeat(run, request.heartbeats[i]?.progress ?? null, answer.kept[i], sentAtMs)
    const { leaseMs } = request
    if (claim) this.startAll(answer, claims.answered(claim, answer, { sentAtMs, leaseMs }, world.monotonicMs()), sentAtMs)
    if (answer.unrouted.length > 0) router.wake(answer.unrouted)
    scheduler.heard(answer, sentAtMs)
    for (const paced of answer.paced ?? []) events.emit("gate.paced", paced)
    if (answer.cancelled.length > 0) this.stopCancelled(answer.cancelled)
  }

  private tellExchanged({ claimed, settled }: ExchangeAnswer, hasClaim: boolean, sentAtMs: number): void {
    const { events, world } = this.parts
    events.emit("exchange.done", { durationMs: world.monotonicMs() - sentAtMs, claimed: claimed.length, settled: settled.length, hasClaim })
  }

  private takeHeartbeat(run: Run, carried: string | null, kept: "ok" | "stale" | undefined, sentAtMs: number): void {
    const { runs, settings } = this.parts
    if (!runs.has(run)) return
    if (kept !== "ok") {
      runs.lose(run)
      return
    }
    run.leaseEndsAtMs = Math.max(run.leaseEndsAtMs, this.leaseEnd(sentAtMs, settings.leaseMs))
    // What was reported while the heartbeat was under way goes with the next one.
    if (run.progress === carried) run.progress = null
  }

  private startAll({ claimed, nowMs: storeNowMs }: ExchangeAnswer, askedAtMs: number, sentAtMs: number): void {
    const { world, runs } = this.parts
    const nowMs = world.monotonicMs()
    // A task that is in hand twice has been claimed twice.
    const inHand = runs.hasRepeated || claimed.some(({ fence }) => fence > 1) ? runs.byId() : null
    for (const task of claimed) {
      const earlier = inHand?.get(task.id)
      // Two answers were under way, and this is of the older lease: it was lost, and the task is in hand again.
      if (earlier && earlier.task.fence >= task.fence) continue
      if (earlier) runs.lose(earlier)
      const leaseEndsAtMs = this.leaseEnd(sentAtMs, (task.leaseExpiresAtMs ?? storeNowMs) - storeNowMs)
      this.startRun(task, askedAtMs, { startedAtMs: nowMs, leaseEndsAtMs })
    }
  }

  private startRun(task: TaskRecord, askedAtMs: number, times: { readonly startedAtMs: number; readonly leaseEndsAtMs: number }): void {
    const { tasks, events, settings, drains, outbox, runs } = this.parts
    const { id, type, fence, attempt, gates } = task
    if (events.hasListeners("task.claimed")) events.emit("task.claimed", { id, type, fence, attempt, ...waitOf(task) })
    const nowMs = times.startedAtMs
    const definition = tasks.get(type)
    // A rate was charged for a start about now. One that comes much later would bunch up with others at the other side.
    const isLate = nowMs >= times.leaseEndsAtMs || ((gates?.length ?? 0) > 0 && nowMs - askedAtMs > settings.startWithinMs)
    if (!definition || isLate || drains.aborted) {
      const reason = drains.aborted ? "shutdown" : "claimed too late to start"
      outbox.settle({ task, outcome: { kind: "released", reason }, ...neverStarted })
      return
    }
    if (runs.size === 0) outbox.firstRunStarts(nowMs)
    runs.start(task, definition, times)
  }

  private stopCancelled(cancelled: ExchangeAnswer["cancelled"]): void {
    const { runs, settings } = this.parts
    const inHand = runs.byId()
    for (const { id, fence } of cancelled) {
      const run = inHand.get(id)
      if (run?.task.fence === fence) run.stop("cancelled", settings.graceMs)
    }
  }

  private tellSettled(settling: readonly Settling[], answers: readonly SettleAnswer[]): void {
    const { events } = this.parts
    const isHeard = events.hasListeners("task.settled")
    for (let i = 0; i < settling.length; i++) {
      const { task, outcome, durationMs } = settling[i] as Settling
      const { id, type, fence } = task
      const answer = answers[i]
      if (!answer) continue
      if (answer.kind === "stale") {
        events.emit("task.stale", { id, type, fence, outcome: outcome.kind })
        continue
      }
      if (outcome.kind === "throttled" && outcome.scope !== "task") {
        const { limit, retryAfterMs, status, error } = outcome
        const backoffMs = retryAfterMs ?? outcome.delayMs
        events.emit("gate.cooling", { id, type, limit, retryAfterMs, status, attempt: task.attempt, backoffMs, error })
      }
      if (isHeard) {
        const error = "error" in outcome ? outcome.error : null
        const delayMs = "delayMs" in outcome ? outcome.delayMs : null
        events.emit("task.settled", { id, type, fence, outcome: outcome.kind, status: answer.status, durationMs, error, delayMs })
      }
    }
  }

  private leaseEnd(sentAtMs: number, leaseMs: number): number {
    return sentAtMs + leaseMs - Math.min(leaseMs, this.parts.settings.leaseMs) * keptInHand
  }
}

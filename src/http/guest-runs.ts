// What workers in other languages do, told as a worker of this house tells it: no process of theirs counts it. A run is known from its claim to
// its settle; one whose claim was answered by another server, or before this one was started, is not told.

import type { ExchangeAnswer, ExchangeRequest } from "../store/index.ts"
import type { TaskRecord } from "../task/index.ts"
import { Events } from "../worker/events.ts"
import { waitOf } from "../worker/index.ts"
import type { World } from "../world/index.ts"

/** Those that were claimed the longest ago are forgotten: a worker that is gone settles nothing. */
const mostRuns = 10_000

interface Run {
  readonly type: string
  readonly attempt: number
  readonly startedAtMs: number
}

export class GuestRuns extends Events {
  private readonly world: World
  private readonly runs = new Map<string, Run>()

  constructor(world: World) {
    super()
    this.world = world
  }

  tell({ settles, claim }: ExchangeRequest, answer: ExchangeAnswer, sentAtMs: number): void {
    const nowMs = this.world.monotonicMs()
    for (const [i, settle] of settles.entries()) this.tellSettled(settle, answer.settled[i], nowMs)
    for (const task of answer.claimed) this.tellClaimed(task, nowMs)
    const [claimed, settled] = [answer.claimed.length, answer.settled.length]
    this.emit("exchange.done", { durationMs: nowMs - sentAtMs, claimed, settled, hasClaim: claim !== null })
  }

  private tellClaimed(task: TaskRecord, nowMs: number): void {
    const { id, type, fence, attempt } = task
    // A claim whose answer was lost is asked again.
    if (this.runs.has(keyOf(task))) return
    this.runs.set(keyOf(task), { type, attempt, startedAtMs: nowMs })
    if (this.runs.size > mostRuns) for (const oldest of this.runs.keys()) if (this.runs.delete(oldest)) break
    this.emit("task.claimed", { id, type, fence, attempt, ...waitOf(task) })
  }

  private tellSettled(
    settle: ExchangeRequest["settles"][number],
    answer: ExchangeAnswer["settled"][number] | undefined,
    nowMs: number,
  ): void {
    const run = this.runs.get(keyOf(settle))
    if (!run || !answer) return
    this.runs.delete(keyOf(settle))
    const { id, fence, outcome } = settle
    const { type, attempt } = run
    if (answer.kind === "stale") {
      this.emit("task.stale", { id, type, fence, outcome: outcome.kind })
      return
    }
    if (outcome.kind === "throttled") {
      const { limit, retryAfterMs, status, error } = outcome
      this.emit("gate.cooling", { id, type, limit, retryAfterMs, status, attempt, backoffMs: retryAfterMs ?? outcome.delayMs, error })
    }
    const error = "error" in outcome ? outcome.error : null
    const delayMs = "delayMs" in outcome ? outcome.delayMs : null
    const durationMs = nowMs - run.startedAtMs
    this.emit("task.settled", { id, type, fence, outcome: outcome.kind, status: answer.status, durationMs, error, delayMs })
  }
}

function keyOf({ id, fence }: { readonly id: string; readonly fence: number }): string {
  return `${id} ${fence}`
}

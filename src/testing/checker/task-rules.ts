// C1 to C4: one task after the other, lease by lease.

import type { Faulted, SeenTask } from "./events.ts"
import type { Violation } from "./report.ts"
import { type Lease, type Story, terminal } from "./story.ts"

export interface TaskView {
  readonly faultsOf: (worker: string) => readonly Faulted[]
  readonly toleranceMs: number
  /** What the store says of it at rest; null before. */
  readonly atRest: SeenTask | null
  /** Whether anybody has written down when handlers begin and end. */
  readonly hasRuns: boolean
}

export function judgeTask(story: Story, view: TaskView): Violation[] {
  const leases = story.sorted()
  const found = [...story.problems]
  for (const [i, lease] of leases.entries()) {
    const next = leases[i + 1]
    if (next) found.push(...judgeSuccession(story, lease, next, view))
    const isOver = next !== undefined || (view.atRest !== null && view.atRest.status !== "running")
    if (isOver && !lease.settled && !isExplained(lease, view)) {
      found.push(
        story.violation("unattributed_run", `the lease of fence ${lease.fence} was lost by ${lease.worker}, to whom nothing happened`),
      )
    }
  }
  if (view.atRest) found.push(...story.orphans(), ...judgeEnd(story, leases, view.atRest, view.hasRuns))
  return found
}

/** The earliest moment from which somebody else may have the task. */
export function leaseEndMs({ settled, triedAtMs, unanswered, untilMs }: Lease, toleranceMs: number): number {
  const endMs = Math.min(settled?.atMs ?? Number.POSITIVE_INFINITY, untilMs)
  // A settle whose answer was lost may have been the one that counted; the one that was answered then only repeated it.
  return unanswered > 0 && triedAtMs !== null ? Math.min(endMs, triedAtMs - toleranceMs) : endMs
}

function judgeSuccession(story: Story, lease: Lease, next: Lease, { toleranceMs, atRest }: TaskView): Violation[] {
  const found: Violation[] = []
  const { settled } = lease
  if (next.fence !== lease.fence + 1 && atRest) {
    found.push(story.violation("fence_order", `fence ${next.fence} follows ${lease.fence}; nobody was given those between`))
  }
  if (next.atMs < lease.atMs) {
    found.push(
      story.violation("fence_order", `fence ${next.fence} was given at ${next.atMs}, fence ${lease.fence} later, at ${lease.atMs}`),
    )
  }
  if (settled && settled.atMs > next.atMs) {
    const late = `fence ${lease.fence} was settled as ${settled.outcome} at ${settled.atMs}, when fence ${next.fence} had been given at ${next.atMs}`
    found.push(story.violation("stale_settle", late))
  } else if (next.atMs < leaseEndMs(lease, toleranceMs)) {
    const early = `fence ${next.fence} was given at ${next.atMs}, while ${lease.worker} held fence ${lease.fence} until ${leaseEndMs(lease, toleranceMs)}`
    found.push(story.violation("two_leases", early))
  }
  if (settled && terminal.has(settled.status) && !wasRetried(story, settled.atMs, next.atMs)) {
    found.push(story.violation("double_terminal", `it was ${settled.status} at ${settled.atMs}, and claimed again at ${next.atMs}`))
  }
  for (const { status, atMs, verb } of story.moves) {
    if (atMs < lease.atMs || atMs >= next.atMs || wasRetried(story, atMs, next.atMs)) continue
    if (verb === "cancel" && status === "running") {
      found.push(story.violation("cancel_ignored", `it was asked to stop at ${atMs}, and claimed again at ${next.atMs}`))
    }
    if (status === null || !terminal.has(status)) continue
    found.push(story.violation("double_terminal", `${verb} made it ${status} at ${atMs}, and it was claimed again at ${next.atMs}`))
  }
  return found
}

function wasRetried({ moves }: Story, fromMs: number, untilMs: number): boolean {
  // What nobody got an answer to may have happened at any time since.
  return moves.some(({ verb, phase, atMs }) => verb === "retry" && (phase === "ok" ? atMs >= fromMs : true) && atMs <= untilMs)
}

/** A fault that touched the worker while it held the lease. */
function isExplained({ worker, atMs, untilMs, isHearsay }: Lease, { faultsOf, toleranceMs }: TaskView): boolean {
  const endMs = isHearsay ? Number.POSITIVE_INFINITY : untilMs + toleranceMs
  return faultsOf(worker).some((fault) => {
    return fault.atMs <= endMs && (fault.untilMs === null || fault.untilMs >= atMs - toleranceMs)
  })
}

function judgeEnd(story: Story, leases: readonly Lease[], { status, fence }: SeenTask, hasRuns: boolean): Violation[] {
  const found: Violation[] = []
  const last = leases.at(-1)
  if ((last?.fence ?? 0) !== fence) {
    found.push(story.violation("fence_order", `the store says fence ${fence}, the last that was given is ${last?.fence ?? "none"}`))
  }
  if (!terminal.has(status)) return [...found, story.violation("not_drained", `it is still ${status}`)]
  const settled = last?.settled
  const isAllowed = (was: string, atMs: number) =>
    was === status || status === "archived" || wasRetried(story, atMs, Number.POSITIVE_INFINITY)
  if (settled && terminal.has(settled.status) && !isAllowed(settled.status, settled.atMs)) {
    found.push(story.violation("double_terminal", `it was settled as ${settled.status}, and is ${status} now`))
  }
  for (const move of story.moves) {
    if (move.status === null || !terminal.has(move.status) || isAllowed(move.status, move.atMs)) continue
    found.push(story.violation("double_terminal", `${move.verb} made it ${move.status}, and it is ${status} now`))
  }
  if (hasRuns && status === "completed" && !leases.some(({ run }) => run.startMs !== null)) {
    found.push(story.violation("never_ran", "it is completed, and no handler was ever started for it"))
  }
  return found
}

// What is known of one task: every lease it was given, how each ended, what people did to it.

import type { Claimed, GatePassed, Moved, Ran, Renewed, Settled } from "./events.ts"
import type { Violation } from "./report.ts"

export const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "expired", "archived"])

export interface Ending {
  readonly outcome: string
  readonly status: string
  readonly atMs: number
  readonly spent: Readonly<Record<string, number>>
}

export interface Lease {
  readonly fence: number
  readonly worker: string
  readonly atMs: number
  readonly gates: readonly GatePassed[]
  /** As far as anybody was told. */
  untilMs: number
  /** Only the store knows of it: nobody got the answer, so nobody was told how long it lasts. */
  isHearsay: boolean
  /** The settle that the store took. */
  settled: Ending | null
  /** When somebody first tried to settle it: an answer that nobody got may have ended it from then on. */
  triedAtMs: number | null
  /** Settles of which nobody knows whether the store took them, and what was spent by their word. */
  unanswered: number
  saidSpent: Readonly<Record<string, number>>
  run: { startMs: number | null; endMs: number | null }
}

export class Story {
  readonly id: string
  readonly leases = new Map<number, Lease>()
  readonly moves: Moved[] = []
  readonly problems: Violation[] = []
  refusedSettles = 0
  /** Settles and starts under leases that nobody has told of yet. */
  private readonly early: (Settled | Renewed | Ran)[] = []

  constructor(id: string) {
    this.id = id
  }

  sorted(): Lease[] {
    return [...this.leases.values()].sort((a, b) => a.fence - b.fence)
  }

  claimed({ fence, worker, atMs, untilMs, gates }: Pick<Claimed, "fence" | "worker" | "atMs" | "untilMs" | "gates">): void {
    const known = this.leases.get(fence)
    if (known) {
      // The answer came again, or several have written it down.
      if (known.worker !== worker || known.atMs !== atMs) {
        this.say("two_leases", `fence ${fence} was given to ${known.worker} at ${known.atMs} and to ${worker} at ${atMs}`)
      }
      known.untilMs = Math.max(known.untilMs, untilMs)
      known.isHearsay = false
      return
    }
    const run = { startMs: null, endMs: null }
    const unsettled = { settled: null, triedAtMs: null, unanswered: 0, saidSpent: {} }
    this.leases.set(fence, { fence, worker, atMs, gates, untilMs, isHearsay: false, ...unsettled, run })
    const late = this.early.filter((event) => event.fence === fence)
    for (const event of late) {
      this.early.splice(this.early.indexOf(event), 1)
      this.add(event)
    }
  }

  /** One that was asked for stays as long as nobody knows what became of it. */
  moved(move: Moved): void {
    const isAnswer = move.phase === "ok" || move.phase === "refused"
    const asked = (other: Moved) => other.phase === "invoke" && other.proc === move.proc && other.verb === move.verb
    const at = isAnswer ? this.moves.findIndex(asked) : -1
    if (at >= 0) this.moves.splice(at, 1)
    if (move.phase !== "refused") this.moves.push(move)
  }

  /** What the task's history tells. Where that is all there is, the lease counts for an instant only. */
  heardOf({ fence, worker, atMs }: Pick<Claimed, "fence" | "worker" | "atMs">, gates: readonly GatePassed[]): void {
    const isHearsay = this.leases.get(fence)?.isHearsay ?? true
    this.claimed({ fence, worker, atMs, untilMs: atMs, gates })
    const lease = this.leases.get(fence)
    if (lease) lease.isHearsay = isHearsay
  }

  add(event: Settled | Renewed | Ran): void {
    const lease = this.leases.get(event.fence)
    if (!lease) this.early.push(event)
    else if (event.op === "renew") lease.untilMs = Math.max(lease.untilMs, event.untilMs)
    else if (event.op === "settle") this.settle(lease, event)
    else this.ran(lease, event)
  }

  private settle(lease: Lease, { phase, outcome, status, atMs, spent }: Settled): void {
    if (phase === "invoke" || phase === "unknown") lease.triedAtMs = Math.min(lease.triedAtMs ?? atMs, atMs)
    // One that is asked for and answered adds up to none; an answer that is known to be lost never does.
    lease.unanswered += phase === "invoke" ? 1 : phase === "unknown" ? Number.POSITIVE_INFINITY : -1
    lease.saidSpent = spent
    if (phase === "refused") this.refusedSettles++
    if (phase !== "ok" || status === null) return
    const known = lease.settled
    if (known && known.outcome !== outcome) {
      this.say("stale_settle", `fence ${lease.fence} was settled as ${known.outcome} at ${known.atMs} and as ${outcome} at ${atMs}`)
    }
    // A repeated settle is answered like the first; the first is when it happened.
    if (!known || atMs < known.atMs) lease.settled = { outcome, status, atMs, spent }
  }

  private ran({ run, fence }: Lease, { phase, atMs }: Ran): void {
    if (phase === "end") run.endMs = atMs
    else if (run.startMs === null) run.startMs = atMs
    else this.say("two_leases", `its handler was started twice under fence ${fence}, at ${run.startMs} and ${atMs}`)
  }

  /** What was said of leases that nobody has told of: judged when everything has been told. */
  orphans(): Violation[] {
    return this.early.flatMap((event): Violation[] => {
      const isAccepted = event.op !== "settle" || event.phase === "ok"
      return isAccepted ? [this.violation("fence_order", `a ${event.op} under fence ${event.fence}, which nobody was given`)] : []
    })
  }

  violation(kind: Violation["kind"], message: string): Violation {
    return { kind, about: this.id, message: `task ${this.id}: ${message}` }
  }

  private say(kind: Violation["kind"], message: string): void {
    this.problems.push(this.violation(kind, message))
  }
}

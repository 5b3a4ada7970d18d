// B8: how much of a limit's slots is used by work while workers are killed and stopped.
//
// Slot use is the time that live handlers have held slots, divided by what there was of it: the number of slots times the time for
// which there was a backlog. The clock runs from the moment when all tasks had been submitted until the last of them was claimed for
// the first time; what comes back later counts no more, because then there are not enough tasks for all slots.
//
// - A run counts from the start of its handler to its end: the way to the store and back, at both ends, is a loss.
// - A killed one counts until the kill. What is left of its lease is lost, because nobody can know that it is dead.
// - A stopped one counts until its lease ends: as far as anybody can know, it works. `strictShare` counts it until it was stopped.
//
// What kills cost in theory: each takes the rest of a lease, which is between lease − heartbeat and lease. With a lease of 3 s, a
// heartbeat each second and jobs of 5 s, a kill of 1 % of all jobs costs 0.01 · 2.5 / 5 = 0.5 %.

import type { HistoryEvent } from "../../src/testing/index.ts"

export interface SlotUse {
  readonly share: number
  readonly strictShare: number
  /** Of all runs that were started. */
  readonly killedShare: number
  readonly runs: number
  readonly killedRuns: number
  readonly stoppedRuns: number
  readonly windowMs: number
}

interface Held {
  worker: string
  startMs: number | null
  endMs: number | null
  untilMs: number
}

export class SlotMeter {
  private readonly held = new Map<string, Held>()
  private readonly firstClaimMs = new Map<string, number>()
  private readonly killedAtMs = new Map<string, number>()
  private readonly stoppedAtMs = new Map<string, number[]>()
  private submittedAtMs = 0

  add(event: HistoryEvent): void {
    if (event.op === "claim") {
      const { worker, untilMs, atMs } = event
      this.held.set(nameOf(event), { worker, startMs: null, endMs: null, untilMs })
      this.firstClaimMs.set(event.task, Math.min(this.firstClaimMs.get(event.task) ?? atMs, atMs))
    } else if (event.op === "renew") {
      const held = this.held.get(nameOf(event))
      if (held) held.untilMs = Math.max(held.untilMs, event.untilMs)
    } else if (event.op === "run") {
      const held = this.held.get(nameOf(event))
      if (held) held[event.phase === "start" ? "startMs" : "endMs"] = event.atMs
    } else if (event.op === "submit" && event.phase === "ok") this.submittedAtMs = Math.max(this.submittedAtMs, event.atMs)
    else if (event.op === "fault" && event.fault === "kill") this.killedAtMs.set(event.victim, event.atMs)
    else if (event.op === "fault" && event.fault === "pause")
      this.stoppedAtMs.set(event.victim, [...(this.stoppedAtMs.get(event.victim) ?? []), event.atMs])
  }

  /** How many tasks were claimed at least once. */
  get claimedTasks(): number {
    return this.firstClaimMs.size
  }

  /** How many runs each worker has under way. */
  running(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { worker, startMs, endMs } of this.held.values()) {
      if (startMs !== null && endMs === null && !this.killedAtMs.has(worker)) counts.set(worker, (counts.get(worker) ?? 0) + 1)
    }
    return counts
  }

  measure(slots: number): SlotUse {
    const fromMs = this.submittedAtMs
    const toMs = Math.max(fromMs + 1, ...this.firstClaimMs.values())
    const used = { ms: 0, strictMs: 0 }
    const counts = { runs: 0, killedRuns: 0, stoppedRuns: 0 }
    for (const { worker, startMs, endMs, untilMs } of this.held.values()) {
      if (startMs === null) continue
      counts.runs++
      const killedMs = this.killedAtMs.get(worker) ?? Number.POSITIVE_INFINITY
      const goneMs = Math.min(endMs ?? Number.POSITIVE_INFINITY, killedMs)
      if (endMs === null && killedMs < Number.POSITIVE_INFINITY) counts.killedRuns++
      const stoppedMs = this.stoppedAtMs.get(worker)?.find((atMs) => atMs > startMs && atMs < goneMs) ?? null
      if (stoppedMs !== null) counts.stoppedRuns++
      const within = (endsAtMs: number) => Math.max(0, Math.min(endsAtMs, toMs) - Math.max(startMs, fromMs))
      used.ms += within(stoppedMs === null ? goneMs : Math.min(goneMs, Math.max(stoppedMs, untilMs)))
      used.strictMs += within(Math.min(goneMs, stoppedMs ?? goneMs))
    }
    const windowMs = toMs - fromMs
    const killedShare = counts.runs === 0 ? 0 : counts.killedRuns / counts.runs
    return { share: used.ms / (slots * windowMs), strictShare: used.strictMs / (slots * windowMs), killedShare, ...counts, windowMs }
  }
}

const nameOf = ({ task, fence }: { readonly task: string; readonly fence: number }) => `${task} ${fence}`

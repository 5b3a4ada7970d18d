// How long what a killed worker held was left lying: from the kill to the next claim. Only of urgent tasks that pass no gate: the
// others wait for their turn or their window as well.

import type { HistoryEvent } from "../../src/testing/index.ts"
import { urgent } from "./plan.ts"

export interface TakeoverTimes {
  /** Kills that found tasks under way. */
  readonly kills: number
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface Lease {
  readonly worker: string
  readonly atMs: number
  isSettled: boolean
}

export class Takeovers {
  private readonly killedAtMs = new Map<string, number>()
  private readonly urgent = new Set<string>()
  private readonly leases = new Map<string, Map<number, Lease>>()

  add(event: HistoryEvent): void {
    if (event.op === "fault" && event.fault === "kill") this.killedAtMs.set(event.victim, event.atMs)
    else if (event.op === "submit") this.noteUrgent(event)
    else if (event.op === "claim" && event.gates.length === 0) this.noteClaim(event)
    else if (event.op === "settle" && event.phase === "ok") this.noteSettle(event)
  }

  times(): TakeoverTimes {
    const times: number[] = []
    const killed = new Set<string>()
    for (const [task, leases] of this.leases) {
      if (!this.urgent.has(task)) continue
      for (const [fence, { worker, atMs, isSettled }] of leases) {
        const killedAtMs = this.killedAtMs.get(worker)
        const next = leases.get(fence + 1)
        // What was settled, or taken away before, was not left lying.
        if (killedAtMs === undefined || isSettled || atMs > killedAtMs || (next && next.atMs <= killedAtMs)) continue
        killed.add(worker)
        if (next) times.push(next.atMs - killedAtMs)
      }
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
    return { kills: killed.size, count: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: times.at(-1) ?? 0 }
  }

  private noteUrgent({ tasks }: Extract<HistoryEvent, { op: "submit" }>): void {
    for (const { key, stored } of tasks) if (stored !== null && key?.startsWith(urgent)) this.urgent.add(stored)
  }

  /** A claim and its settle are of one process, so they come in their order. */
  private noteClaim({ task, fence, worker, atMs }: Extract<HistoryEvent, { op: "claim" }>): void {
    const leases = this.leases.get(task) ?? new Map<number, Lease>()
    this.leases.set(task, leases)
    if (!leases.has(fence)) leases.set(fence, { worker, atMs, isSettled: false })
  }

  private noteSettle({ task, fence }: Extract<HistoryEvent, { op: "settle" }>): void {
    const lease = this.leases.get(task)?.get(fence)
    if (lease) lease.isSettled = true
  }
}

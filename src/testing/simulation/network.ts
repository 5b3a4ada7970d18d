// The way between processes and the store. Every call takes its time there and back, and may be lost on either way, come twice or
// come late: whoever asked learns only that there was no answer, sometimes not even that.

import { SluiceError } from "../../errors/index.ts"
import type { Operation, Overlap, Store } from "../../store/index.ts"
import type { Faulted } from "../checker/index.ts"
import type { Dice } from "../dice.ts"
import type { WriteFact } from "../recorded-store.ts"
import { throughCalls } from "../through-calls.ts"
import type { Timeline } from "../timeline.ts"
import type { Faults } from "./plan.ts"
import type { SimulatedProcess } from "./process.ts"

type Fault = Faulted["fault"]

/** How long a fault is taken to have its effect on whoever asked: he asks again, ever more slowly. */
const effectMs = 3_000

export class Network {
  private readonly timeline: Timeline
  private readonly dice: Dice
  private readonly store: Store
  private readonly write: WriteFact
  private readonly storeNowMs: () => number
  private readonly overlap: Overlap
  private faults: Faults
  private outUntilMs = 0
  private isHealed = false
  /** The connections of those who wait. */
  private readonly cuts = new Set<AbortController>()

  constructor(parts: {
    timeline: Timeline
    dice: Dice
    store: Store
    faults: Faults
    write: WriteFact
    storeNowMs: () => number
    exchanges: number
  }) {
    this.timeline = parts.timeline
    this.dice = parts.dice
    this.store = parts.store
    this.faults = parts.faults
    this.write = parts.write
    this.storeNowMs = parts.storeNowMs
    this.overlap = { exchanges: parts.exchanges, leastTasks: 1, reason: "a network is between, and calls on it overtake each other" }
  }

  /** From now on every call arrives, and every answer. */
  heal(): void {
    this.isHealed = true
    this.faults = { ...this.faults, lostRequest: 0, lostReply: 0, duplicate: 0, slow: 0 }
    this.outUntilMs = 0
  }

  /** The store is out of reach, for everybody. */
  cutOff(forMs: number): void {
    this.outUntilMs = this.timeline.nowMs + forMs
    this.tell("outage", "*", forMs)
    for (const cut of this.cuts) cut.abort()
  }

  /** The store as this process sees it. */
  storeFor(process: SimulatedProcess): Store {
    const remote = throughCalls(this.store, (operation, request, call) => this.send(process, operation, () => call(request)))
    return new Proxy(remote, {
      get: (target, property) => {
        if (property === "wait") return (request: never, signal: AbortSignal) => this.wait(process, request, signal)
        if (property === "close") return async () => {}
        if (property === "overlap") return this.overlap
        return Reflect.get(target, property)
      },
    })
  }

  private send(process: SimulatedProcess, operation: Operation, call: () => Promise<unknown>): Promise<unknown> {
    if (!process.isAlive) return new Promise(() => {})
    return new Promise((resolve, reject) => {
      const back = (run: () => void) => this.after(this.delayMs(process), () => process.happen(run))
      const lost = () => {
        // Somebody who closes the connection is noticed at once; silence is not.
        if (this.dice.chance(0.5)) back(() => reject(new SluiceError("store_unavailable", `simulation: no answer to ${operation}`)))
      }
      const arrive = (isReplyLost: boolean) => {
        if (this.isOut) return lost()
        call().then(
          (answer) => (isReplyLost || this.isOut ? lost() : back(() => resolve(answer))),
          (error) => back(() => reject(error)),
        )
      }
      const fault = this.isOut ? null : this.draw()
      if (fault) this.tell(fault, process.id, effectMs)
      if (fault === "lost_request") return lost()
      this.after(this.delayMs(process), () => arrive(fault === "lost_reply"))
      if (fault === "duplicate") this.after(this.dice.between(0, 9_000), () => this.isOut || this.isHealed || void call().catch(() => {}))
    })
  }

  /** The contract counts from the call on, whatever the way takes: as a connection that is subscribed already does. It ends with the connection. */
  private wait(process: SimulatedProcess, request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    const cut = new AbortController()
    this.cuts.add(cut)
    const woken = this.isOut ? Promise.resolve() : this.store.wait(request, AbortSignal.any([signal, cut.signal]))
    return new Promise((resolve, reject) => {
      const failed = () => reject(new SluiceError("store_unavailable", "simulation: the store is out of reach"))
      void woken.then(() => {
        this.cuts.delete(cut)
        this.after(this.delayMs(process), () => process.happen(this.isOut || cut.signal.aborted ? failed : resolve))
      })
    })
  }

  private get isOut(): boolean {
    return this.outUntilMs > this.timeline.nowMs
  }

  private draw(): "lost_request" | "lost_reply" | "duplicate" | null {
    const { lostRequest, lostReply, duplicate } = this.faults
    const thrown = this.dice.random()
    if (thrown < lostRequest) return "lost_request"
    if (thrown < lostRequest + lostReply) return "lost_reply"
    return thrown < lostRequest + lostReply + duplicate ? "duplicate" : null
  }

  private delayMs(process: SimulatedProcess): number {
    if (!this.dice.chance(this.faults.slow)) return this.dice.random() ** 3 * 20
    this.tell("slow", process.id, effectMs)
    return this.dice.between(200, 4_000)
  }

  private after(delayMs: number, run: () => void): void {
    this.timeline.at(this.timeline.nowMs + delayMs, run)
  }

  private tell(fault: Fault, victim: string, forMs: number): void {
    this.write({ op: "fault", fault, victim, untilMs: this.storeNowMs() + forMs })
  }
}

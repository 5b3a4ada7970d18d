// The calls of this process: who waits, in order; who runs; and who has ended without the store having been told. Every call changes its
// state here, where it is counted and told.

import type { World } from "../../world/index.ts"
import type { Emitter } from "../emitter.ts"
import type { QueueEvents } from "../events.ts"
import { type Call, type Ending, nothingToTell } from "./call.ts"
import { Counters } from "./counters.ts"
import { slotsOf } from "./detached.ts"
import { slotLost } from "./refusals.ts"
import type { Shares } from "./shares.ts"

export class Roster {
  readonly waiting = new Map<string, Call>()
  readonly running = new Map<string, Call>()
  readonly counters = new Counters()
  endings: Ending[] = []
  private readonly shares: Shares
  private readonly world: World
  private readonly events: Emitter<QueueEvents>

  constructor(shares: Shares, world: World, events: Emitter<QueueEvents>) {
    this.shares = shares
    this.world = world
    this.events = events
  }

  start(call: Call): void {
    this.waiting.delete(call.id)
    this.running.set(call.id, call)
    const counted = this.counters.of(call.wanted.limit)
    counted.granted++
    if (call.isUnderShare) counted.underShare++
    call.start(this.world.monotonicMs())
  }

  /** It waits no more; without an error it was to try. */
  giveUp(call: Call, error: unknown): void {
    if (!this.waiting.delete(call.id)) return
    this.counters.of(call.wanted.limit).refused++
    call.refuse(error)
    if (call.isSent) this.endings.push(nothingToTell(call.id))
  }

  lose(call: Call): void {
    if (call.isLost) return
    call.isLost = true
    const { limit, key } = call.wanted
    this.counters.of(limit).lost++
    call.lost.abort(slotLost(call))
    this.events.emit("limit.lost", { limit, key, id: call.id })
  }

  /** Whether it ran. */
  end(call: Call, ending: Ending): boolean {
    if (!this.running.delete(call.id)) return false
    call.state = "ended"
    this.endings.push(ending)
    return true
  }

  get isEmpty(): boolean {
    return this.waiting.size + this.running.size + this.endings.length === 0
  }

  /** Something that the store does not know, and has to. */
  get hasNews(): boolean {
    if (this.endings.length > 0) return true
    for (const call of this.waiting.values()) if (!call.isKnown) return true
    for (const call of this.running.values()) if (!call.isKnown && !call.isLost) return true
    return false
  }

  /** Those who stand in line, and not only try. */
  get hasLine(): boolean {
    for (const call of this.waiting.values()) if (call.isKnown) return true
    return false
  }

  /** Both waiting and running calls that the store knows: when the first of them was renewed. */
  get renewedAtMs(): number {
    let least = Number.POSITIVE_INFINITY
    for (const call of this.known()) least = Math.min(least, call.renewedAtMs)
    return least
  }

  *known(): Generator<Call> {
    for (const call of this.waiting.values()) if (call.isKnown) yield call
    for (const call of this.running.values()) if (call.isKnown && !call.isLost) yield call
  }

  /** When the first slot is over, if it is not renewed. */
  get firstLeaseEndMs(): number {
    let least = Number.POSITIVE_INFINITY
    for (const call of this.running.values()) if (!call.isLost) least = Math.min(least, call.leaseEndsAtMs)
    return least
  }

  /** How many slots of the gate are in use, as far as this process goes. */
  inUse(gate: string, nowMs: number): number {
    let slots = 0
    for (const call of this.running.values()) {
      if (call.gate !== gate || call.isLost) continue
      slots += slotsOf(call, this.shares.allowance(call.wanted.limit, call.wanted.key, nowMs))
    }
    return slots
  }

  /** Limits that calls of this process wait at or hold. */
  get limits(): string[] {
    return [...this.running.values(), ...this.waiting.values()].map(({ wanted }) => wanted.limit)
  }

  /** Gates that somebody waits at or holds, each once, with one call of each. */
  gates(): Map<string, Call> {
    const found = new Map<string, Call>()
    for (const call of [...this.running.values(), ...this.waiting.values()]) found.set(call.gate, call)
    return found
  }

  /** Of a gate, the latest first. */
  runningAt(gate: string): Call[] {
    return [...this.running.values()].filter((call) => call.gate === gate && !call.isLost).reverse()
  }

  waitingAt(gate: string): Call[] {
    return [...this.waiting.values()].filter((call) => call.gate === gate)
  }
}

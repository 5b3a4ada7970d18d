// When to claim, for how many, and under which number. A claim whose answer has not come is asked again under its number, so that what it
// took is not left lying; until then the room that it asked for is its own. Several may be under way: the store answers each number with
// what that claim got, in whatever order they come.

import type { AnyTask } from "../queue/index.ts"
import { type ClaimRequest, type ExchangeAnswer, ServerClock } from "../store/index.ts"
import { ClaimSize } from "./claim-size.ts"

export class Claims {
  private readonly types: readonly string[]
  private number = 0
  /** Those that nobody has answered: under way, or to be asked again. */
  private readonly open: OpenClaim[] = []
  private mayFind = true
  /** The latest answer had no end to what it found: another claim is worth sending before the next answer has come. */
  private isDeep = false
  private isGated: boolean
  private readonly sizeAtGates: ClaimSize
  private nextDueAtMs: number | null = null
  /** It tells whole milliseconds. */
  private readonly storeClock = new ServerClock(1)

  constructor(tasks: readonly AnyTask[], startWithinMs: number) {
    this.types = tasks.map(({ type }) => type)
    this.sizeAtGates = new ClaimSize(startWithinMs)
    this.isGated = tasks.some(({ limits }) => typeof limits === "function" || limits.length > 0)
  }

  get isUnanswered(): boolean {
    return this.open.length > 0
  }

  /** Room that is promised to claims which nobody has answered. */
  get reserved(): number {
    return this.open.reduce((sum, { max }) => sum + max, 0)
  }

  /** There may be something to claim. */
  wake(): void {
    this.mayFind = true
  }

  /** Whether the store has said that there is more than was taken. */
  get hasBacklog(): boolean {
    return this.isDeep
  }

  /** Whether the tasks that were claimed last pass gates; at first, whether any of these may. */
  get passGates(): boolean {
    return this.isGated
  }

  isDue(nowMs: number, room: number): boolean {
    if (this.lost) return true
    if (this.nextDueAtMs !== null && nowMs >= this.nextDueAtMs) this.mayFind = true
    return (this.mayFind || this.isDeep) && room > 0
  }

  /** On the monotonic clock. */
  nextAtMs(room: number): number | null {
    return room > 0 ? this.nextDueAtMs : null
  }

  /** For as many as there is room for. One that is asked again takes no more than it asked for, or nothing, where nothing may be claimed any more. */
  request(nowMs: number, room: number, mayClaim: boolean): OpenClaim | null {
    const again = this.lost
    if (!again && ((!this.mayFind && !this.isDeep) || room <= 0)) return null
    const claim = again ?? { number: ++this.number, max: this.mostOf(room), sentAtMs: nowMs, isUnderWay: true }
    if (!again) this.open.push(claim)
    claim.isUnderWay = true
    if (!mayClaim) claim.max = 0
    // Set before the call: a wake-up that comes while it is under way must not be lost.
    this.mayFind = false
    this.nextDueAtMs = null
    return claim
  }

  toRequest({ number, max }: OpenClaim): ClaimRequest {
    return { number, max, types: this.types.map((type) => ({ type, room: max })) }
  }

  /**
   * Answers with the earliest time at which the tasks can have been claimed: how long the request stood in the store's line before is told by
   * what its other answers have said of its clock. Leases that began before this answer's step are those of another sending of the request, or
   * of a copy that the network has made of it: all that is known is that the claim was sent by then.
   */
  answered(claim: OpenClaim, answer: ExchangeAnswer, { sentAtMs, leaseMs }: ClaimSent, receivedAtMs: number): number {
    this.open.splice(this.open.indexOf(claim), 1)
    const begunAtMs = this.storeClock.earliest({ atMs: answer.nowMs, sentAtMs: sentAtMs + answer.waitedMs, receivedAtMs })
    this.follow(answer.nowMs)
    // What filled the room may not have been all: the next claim tells.
    this.isDeep = answer.more || answer.claimed.length >= claim.max
    if (answer.claimed.length > 0) this.isGated = answer.claimed.some(({ gates }) => (gates?.length ?? 0) > 0)
    if (this.isGated) this.sizeAtGates.answered(answer.claimed.length, receivedAtMs - begunAtMs)
    if (this.isDeep) this.mayFind = true
    if (answer.nextAtMs !== null) this.lookAt(begunAtMs + Math.max(0, answer.nextAtMs - answer.nowMs))
    const isOfThisStep = answer.claimed.every(({ leaseExpiresAtMs }) => (leaseExpiresAtMs ?? 0) - leaseMs >= answer.nowMs)
    return isOfThisStep ? begunAtMs : claim.sentAtMs
  }

  private mostOf(room: number): number {
    return this.isGated ? Math.min(room, this.sizeAtGates.most) : room
  }

  /** Nobody knows whether it was carried out. */
  unanswered(claim: OpenClaim): void {
    claim.isUnderWay = false
  }

  /** Numbers follow the store's clock: those of a worker that was started again under its name are not taken for repetitions. */
  follow(storeNowMs: number): void {
    this.number = Math.max(this.number, storeNowMs * 1_000)
  }

  /** Of several answers the earliest time counts: they may have come in another order than they were given. */
  private lookAt(atMs: number): void {
    this.nextDueAtMs = this.nextDueAtMs === null ? atMs : Math.min(this.nextDueAtMs, atMs)
  }

  private get lost(): OpenClaim | undefined {
    return this.open.find(({ isUnderWay }) => !isUnderWay)
  }
}

/** The exchange that carried a claim. */
export interface ClaimSent {
  /** On the monotonic clock. */
  readonly sentAtMs: number
  readonly leaseMs: number
}

export interface OpenClaim {
  readonly number: number
  max: number
  /** On the monotonic clock: when it was first sent. */
  readonly sentAtMs: number
  isUnderWay: boolean
}

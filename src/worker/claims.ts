// When to claim, and under which number. A claim whose answer has not come is asked again under its number, so that what it
// took is not left lying.

import type { ClaimRequest, ExchangeAnswer } from "../store/index.ts"

export class Claims {
  private readonly types: readonly string[]
  private number = 0
  /** On the monotonic clock: when a claim was first sent whose answer has not come. */
  private sentAtMs: number | null = null
  private mayFind = true
  private nextDueAtMs: number | null = null

  constructor(types: readonly string[]) {
    this.types = types
  }

  get isUnanswered(): boolean {
    return this.sentAtMs !== null
  }

  /** There may be something to claim. */
  wake(): void {
    this.mayFind = true
  }

  isDue(nowMs: number, room: number): boolean {
    if (this.isUnanswered) return true
    if (this.nextDueAtMs !== null && nowMs >= this.nextDueAtMs) this.mayFind = true
    return this.mayFind && room > 0
  }

  /** On the monotonic clock. */
  nextAtMs(room: number): number | null {
    return room > 0 ? this.nextDueAtMs : null
  }

  request(nowMs: number, room: number): ClaimRequest | null {
    if (!this.isUnanswered) {
      if (!this.mayFind || room <= 0) return null
      this.number++
      this.sentAtMs = nowMs
    }
    // Set before the call: a wake-up that comes while it is under way must not be lost.
    this.mayFind = false
    this.nextDueAtMs = null
    return { number: this.number, max: room, types: this.types.map((type) => ({ type, room })) }
  }

  /** Answers with the earliest time at which the tasks can have been claimed. */
  answered(request: ClaimRequest, answer: ExchangeAnswer, sentAtMs: number): number {
    const firstSentAtMs = this.sentAtMs ?? sentAtMs
    this.sentAtMs = null
    const begunAtMs = sentAtMs + answer.waitedMs
    this.follow(answer.nowMs)
    // What filled the room may not have been all: the next claim tells.
    if (answer.more || answer.claimed.length >= request.max) this.mayFind = true
    if (answer.nextAtMs !== null) this.nextDueAtMs = begunAtMs + Math.max(0, answer.nextAtMs - answer.nowMs)
    // What an earlier sending has claimed is as old as that.
    return firstSentAtMs === sentAtMs ? begunAtMs : firstSentAtMs
  }

  /** Numbers follow the store's clock: those of a worker that was started again under its name are not taken for repetitions. */
  follow(storeNowMs: number): void {
    this.number = Math.max(this.number, storeNowMs * 1_000)
  }
}

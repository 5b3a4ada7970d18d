// Numbers for claims that bring none, and claiming under them: no two claims here have the same, and one that another server has given to the
// same worker is told by the store.

import type { ExchangeAnswer, ExchangeRequest, Store } from "../store/index.ts"
import type { World } from "../world/index.ts"

/** How often a number may be taken already: once is rare enough. */
const mostNumbers = 5

export class ClaimNumbers {
  private readonly world: World
  private last = 0

  constructor(world: World) {
    this.world = world
  }

  next(storeNowMs: number): number {
    this.last = Math.max(this.last + 1, storeNowMs * 1_000 + Math.floor(this.world.random() * 1_000))
    return this.last
  }

  /**
   * For a request whose number was given out here, which nobody has asked for before. Answered as a repeat, it was given to this worker by
   * another server as well, and what it got there is being run already. What else was said is said; only the claim is made again.
   */
  async exchange(store: Store, request: ExchangeRequest): Promise<ExchangeAnswer> {
    const first = await store.exchange(request)
    let answer = first
    for (let tries = 1; answer.isRepeat && request.claim && tries < mostNumbers; tries++) {
      const claim = { ...request.claim, number: this.next(answer.nowMs) }
      const again = await store.exchange({ ...request, settles: [], heartbeats: [], claim })
      answer = { ...again, settled: first.settled, kept: first.kept }
    }
    return answer.isRepeat ? { ...answer, claimed: [], more: false } : answer
  }
}

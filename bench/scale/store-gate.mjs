// The limit as the store keeps it: one gate, by the limiter's own code. It hands out moments that may lie ahead, each charged when it is given.
import { emptyGate, reserveAll } from "../../dist/limits/index.js"

const usPerMs = 1_000

/** So many a second, one after the other. */
export function pacedPolicy(perSecond) {
  const rate = { limit: perSecond, perUs: 1_000_000, provider: "bucket", burst: 1, phaseUs: 0, guardUs: 0, slackUs: 0 }
  return { rates: [rate], concurrency: null }
}

export class StoreGate {
  #policy
  #state
  operations = 0

  constructor(perSecond) {
    this.#policy = pacedPolicy(perSecond)
    this.#state = emptyGate(this.#policy)
  }

  /** One operation: the next `count` moments. */
  reserve(nowMs, count) {
    this.operations++
    const nowUs = Math.ceil(nowMs * usPerMs)
    return Array.from({ length: count }, () => {
      const { atUs, states } = reserveAll([{ policy: this.#policy, state: this.#state, cost: 1, delayUs: 0 }], nowUs)
      this.#state = states[0]
      return atUs / usPerMs
    })
  }
}

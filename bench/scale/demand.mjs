// Who wants how much, and when: workers of very different size that are busy by turns, as tenants are.
import { seeded } from "../limits-http/random.mjs"

const meanOnMs = 2_000
const meanOffMs = 2_000

const exponential = (random, mean) => -Math.log(1 - random()) * mean

/** Of 1, 1/2, 1/3, …, so that they add up to one. */
function zipf(count) {
  const weights = Array.from({ length: count }, (_, i) => 1 / (i + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** Arrivals of each worker, in order of time: `perSecond` in all, on average. */
export function arrivalsOf({ workers, perSecond, durationMs, seed }) {
  const random = seeded(seed)
  return zipf(workers).map((share) => {
    const times = []
    const meanGapMs = 1_000 / (share * perSecond * ((meanOnMs + meanOffMs) / meanOnMs))
    let atMs = random() < 0.5 ? 0 : exponential(random, meanOffMs)
    while (atMs < durationMs) {
      const offAtMs = atMs + exponential(random, meanOnMs)
      for (atMs += exponential(random, meanGapMs); atMs < Math.min(offAtMs, durationMs); atMs += exponential(random, meanGapMs))
        times.push(atMs)
      atMs = offAtMs + exponential(random, meanOffMs)
    }
    return times
  })
}

/** What somebody has lately got a second, who forgets within about a second. */
export class Pulse {
  #perMs = 0
  #atMs = 0
  #memoryMs = 1_000

  add(nowMs) {
    this.#perMs = this.perMs(nowMs) + 1 / this.#memoryMs
    this.#atMs = nowMs
  }

  perMs(nowMs) {
    return this.#perMs * Math.exp(-(nowMs - this.#atMs) / this.#memoryMs)
  }
}

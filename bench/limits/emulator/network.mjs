// How long a message takes, one way: a base and a lognormal jitter, the same for the same seed. Messages may overtake each other.
import { seeded } from "../../limits-http/random.mjs"

/** The figures that everything in LIMITS.md was simulated with: the 99th percentile of the jitter is 257 ms. */
export const usualNetwork = { baseMs: 30, medianMs: 40, sigma: 0.8, capMs: 500 }
export const noNetwork = { baseMs: 0, medianMs: 0, sigma: 0, capMs: 0 }

/** Where the 99th percentile of a normal distribution lies, in deviations. */
const z99 = 2.3263

/** `p99Ms` instead of a median asks for a jitter with that 99th percentile, cut off at twice of it. */
export function createNetwork({ seed = 1, p99Ms, ...figures } = {}) {
  const usual =
    p99Ms === undefined ? usualNetwork : { ...usualNetwork, medianMs: p99Ms / Math.exp(z99 * usualNetwork.sigma), capMs: 2 * p99Ms }
  const { baseMs, medianMs, sigma, capMs } = { ...usual, ...figures }
  const normal = createNormal(seeded(seed))
  return { oneWayMs: medianMs === 0 ? () => baseMs : () => baseMs + Math.min(capMs, medianMs * Math.exp(sigma * normal())) }
}

/** Standard normal numbers, two for two uniform ones (Box-Muller). */
export function createNormal(random) {
  let spare = null
  return () => {
    if (spare !== null) {
      const value = spare
      spare = null
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    const angle = 2 * Math.PI * random()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

// Arrivals, and costs of tasks, from a seed.
import { seeded } from "../limits-http/random.mjs"
import { createNormal } from "./emulator/network.mjs"

/**
 * Bursts at random times: each brings between half and three times of what the limit allows in one window, at once, after a pause such
 * that all of them make up the given load.
 */
export function burstyArrivals({ limit, perMs, fromMs, toMs, load = 0.7, seed }) {
  const random = seeded(seed)
  const trace = []
  const meanSize = 1.75 * limit
  const meanPauseMs = (meanSize / limit / load) * perMs
  for (let atMs = fromMs + random() * perMs; atMs < toMs; atMs += -Math.log(1 - random()) * meanPauseMs) {
    const size = Math.max(1, Math.round((0.5 + 2.5 * random()) * limit))
    for (let i = 0; i < size; i++) trace.push({ atMs, cost: 1 })
  }
  return trace
}

/** Costs with a heavy tail: an input of a few hundred tokens, and an output that is lognormal and cut off at `mostOutput`. */
export function heavyTailedCosts({ medianOutput = 600, sigma = 1, mostOutput = 4_096, medianInput = 300, seed }) {
  const normal = createNormal(seeded(seed))
  return () => {
    const input = Math.round(medianInput * Math.exp(0.5 * normal()))
    const output = Math.min(mostOutput, Math.round(medianOutput * Math.exp(sigma * normal())))
    return { cost: input + output, input, output, mostCost: input + mostOutput }
  }
}

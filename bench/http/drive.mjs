// A closed loop: so many calls, so many of them under way at once, each timed. `call` is told which lane it is in and which call it is.
import { quantile } from "../report/figures.mjs"

export async function drive(calls, inFlight, call) {
  const times = new Array(calls)
  let next = 0
  const lane = async (which) => {
    while (next < calls) {
      const number = next++
      const startedAtMs = performance.now()
      await call(which, number)
      times[number] = performance.now() - startedAtMs
    }
  }
  const startedAtMs = performance.now()
  await Promise.all(Array.from({ length: inFlight }, (_, which) => lane(which)))
  const ms = performance.now() - startedAtMs
  return { calls, ms, perS: (calls / ms) * 1_000, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

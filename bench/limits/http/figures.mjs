// From the log of a real run to the figures and lines that a run in virtual time has.
import { createLog } from "../measure.mjs"
import { figuresOf, linesOf } from "../verdict.mjs"

/** Times are the provider's: an hour of its own is an hour, however fast it passes here. `more` figures replace those of the same name. */
export function judge(cell, { log, startedAtMs, leastWaiting }, more = () => ({})) {
  const { scale } = cell.provider
  const own = log.filter(({ name }) => name === cell.name)
  const observed = createLog()
  for (const { countedAtMs, status } of own) observed.observe({ atMs: countedAtMs * scale, status, cost: 1 })
  const startMs = startedAtMs * scale
  const counted = figuresOf(cell, { provider: cell.provider, log: observed, startMs })
  const figures = { ...counted, leastWaiting: leastWaiting[cell.name], ...more({ own, observed, startMs }) }
  return { cell, figures, lines: linesOf(cell, figures) }
}

/**
 * Of the windows that the provider allows, how many were filled: from each arrival to the one so many full limits later. In a run of a
 * few windows, counting up to a moment would be wrong by a whole burst.
 */
export function utilOfCycles(acceptedAtMs, fromMs, { limit, perMs }) {
  const times = acceptedAtMs.filter((atMs) => atMs >= fromMs)
  const cycles = Math.floor(times.length / limit) - 1
  if (cycles < 1) return 0
  let spanMs = 0
  for (let i = 0; i < limit; i++) spanMs += times[i + cycles * limit] - times[i]
  return (cycles * perMs) / (spanMs / limit)
}

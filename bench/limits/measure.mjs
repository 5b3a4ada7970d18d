// What a provider saw, in figures. `observe` goes to createProvider.

export function createLog() {
  const times = []
  const statuses = []
  const costs = []
  return {
    observe({ atMs, status, cost }) {
      times.push(atMs)
      statuses.push(status)
      costs.push(cost)
    },
    /** From a time (inclusive) to another (exclusive). */
    between: (fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY) => {
      const counts = { requests: 0, accepted: 0, refused: 0, acceptedCost: 0 }
      for (let i = 0; i < times.length; i++) {
        if (times[i] < fromMs || times[i] >= toMs) continue
        counts.requests++
        if (statuses[i] === 429) counts.refused++
        if (statuses[i] !== 200) continue
        counts.accepted++
        counts.acceptedCost += costs[i]
      }
      return { ...counts, perMille: counts.requests === 0 ? 0 : (counts.refused / counts.requests) * 1_000 }
    },
    timesOf: (status) => times.filter((_, i) => statuses[i] === status),
    get size() {
      return times.length
    },
  }
}

/** Out and back at most, on the usual network: as long a client cannot know of the first refusal of an episode. */
const episodeMs = 1_060

/** Refusals that no client could have kept from happening after the first of them are one episode: `[{ fromMs, size }]`. */
export function episodes(refusedAtMs, lengthMs = episodeMs) {
  const found = []
  for (const atMs of refusedAtMs) {
    const last = found.at(-1)
    if (last !== undefined && atMs - last.fromMs <= lengthMs) last.size++
    else found.push({ fromMs: atMs, size: 1 })
  }
  return found
}

/** Accepted requests in stretches of `binMs`, as a rate per second. */
export function binned(atMs, { fromMs, toMs, binMs }) {
  const bins = new Array(Math.ceil((toMs - fromMs) / binMs)).fill(0)
  for (const ms of atMs) if (ms >= fromMs && ms < toMs) bins[Math.floor((ms - fromMs) / binMs)]++
  return bins.map((count, i) => ({ atMs: fromMs + (i + 0.5) * binMs, perSecond: (count / binMs) * 1_000 }))
}

/**
 * How long after a change of the limit it was kept again: from the first moment on which, for a whole stretch, at least nine tenths of
 * the new limit were accepted and no more than one request in fifty was refused. Null where that never came.
 */
export function reconvergedMs(log, { changedAtMs, toMs, limit, perMs }) {
  const stretchMs = Math.max(60_000, 2 * perMs)
  for (let fromMs = changedAtMs; fromMs + stretchMs <= toMs; fromMs += 10_000) {
    const { accepted, perMille } = log.between(fromMs, fromMs + stretchMs)
    if (accepted >= (0.9 * limit * stretchMs) / perMs && perMille <= 20) return fromMs - changedAtMs
  }
  return null
}

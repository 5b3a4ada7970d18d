// Reads the provider's log after the run, apart from how the provider counted: how many arrived in any one window, how long it all took.

/** The most arrivals of one key in any window of the provider's kind. */
export function mostInWindow(log, { counting, windowMs, phaseMs }) {
  const most = counting === "fixed" ? (times) => mostAligned(times, windowMs, phaseMs) : (times) => mostRolling(times, windowMs)
  return Math.max(0, ...timesByKey(log).map(most))
}

function timesByKey(log) {
  const byKey = new Map()
  for (const { key, atMs } of log) {
    if (!byKey.has(key)) byKey.set(key, [])
    byKey.get(key).push(atMs)
  }
  return [...byKey.values()].map((times) => times.sort((a, b) => a - b))
}

function mostAligned(times, windowMs, phaseMs) {
  const counts = new Map()
  for (const atMs of times) {
    const window = Math.floor((atMs - phaseMs) / windowMs)
    counts.set(window, (counts.get(window) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

/** A window that holds the most can always be moved to begin with one of its arrivals. */
function mostRolling(times, windowMs) {
  let most = 0
  for (let from = 0, to = 0; from < times.length; from++) {
    while (to < times.length && times[to] < times[from] + windowMs) to++
    most = Math.max(most, to - from)
  }
  return most
}

/** From the first arrival to the last one that was accepted and counts. */
export function spanMs(log, countsFor = () => true) {
  const firstAtMs = Math.min(...log.map(({ atMs }) => atMs))
  const lastAtMs = Math.max(...log.filter((entry) => entry.status === 200 && countsFor(entry)).map(({ atMs }) => atMs))
  return lastAtMs - firstAtMs
}

/** For each key: how long after the first arrival of all its first window was used up. What comes after waits for that. */
export function firstWindowMs(log, { limit }) {
  const firstAtMs = Math.min(...log.map(({ atMs }) => atMs))
  return timesByKey(log).map((times) => times[Math.min(limit, times.length) - 1] - firstAtMs)
}

/** What windows took beyond their length: for each arrival that had to wait for an earlier one, how much later than need be it came. */
export function excessMs(log, { limit, windowMs }) {
  return timesByKey(log).flatMap((times) => times.slice(limit).map((atMs, i) => atMs - times[i] - windowMs))
}

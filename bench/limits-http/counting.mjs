// How the provider counts. Plain arithmetic of its own, so that no limiter is measured with its own ruler.

/** Aligned windows that begin at `phaseMs`; one that is full refuses until the next begins. */
function fixedWindow({ limit, windowMs, phaseMs }) {
  let current = -1
  let count = 0
  return (nowMs) => {
    const window = Math.floor((nowMs - phaseMs) / windowMs)
    if (window !== current) {
      current = window
      count = 0
    }
    if (count < limit) {
      count++
      return null
    }
    return (window + 1) * windowMs + phaseMs - nowMs
  }
}

/** A log of what was accepted during the last window, at every moment. */
function slidingLog({ limit, windowMs }) {
  const accepted = []
  return (nowMs) => {
    while (accepted.length > 0 && accepted[0] <= nowMs - windowMs) accepted.shift()
    if (accepted.length < limit) {
      accepted.push(nowMs)
      return null
    }
    return accepted[0] + windowMs - nowMs
  }
}

/** For one key: a function of the time that answers with null for "accepted", else with how long to wait. */
export const countings = { fixed: fixedWindow, sliding: slidingLog }

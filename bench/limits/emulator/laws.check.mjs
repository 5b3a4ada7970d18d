// Each accounting by its definition, from the list of what was accepted so far: whether the next request has to be accepted. Null where
// only rounding would decide. Slow and plain on purpose, and without a line of the emulator.

const near = 1e-6

const sum = (requests) => requests.reduce((total, { cost }) => total + cost, 0)
const decide = (used, cost, limit) => (Math.abs(used + cost - limit) < near && !Number.isInteger(used) ? null : used + cost <= limit)

const aligned =
  (phase) =>
  (past, { atMs, cost }, { limit, perMs }) => {
    const windowOf = (ms) => Math.floor((ms - phase(perMs)) / perMs)
    return decide(sum(past.filter((request) => windowOf(request.atMs) === windowOf(atMs))), cost, limit)
  }

function anchored(past, { atMs, cost }, { limit, perMs }) {
  let opened = null
  for (const request of past) if (opened === null || request.atMs >= opened + perMs) opened = request.atMs
  const isOpen = opened !== null && atMs < opened + perMs
  return decide(isOpen ? sum(past.filter((request) => request.atMs >= opened)) : 0, cost, limit)
}

function sliding(past, { atMs, cost }, { limit, perMs }) {
  return decide(sum(past.filter((request) => request.atMs + perMs > atMs)), cost, limit)
}

function counter(past, { atMs, cost }, { limit, perMs }) {
  const index = Math.floor(atMs / perMs)
  const [last, current] = [index - 1, index].map((window) => sum(past.filter((request) => Math.floor(request.atMs / perMs) === window)))
  const used = last * (1 - (atMs - index * perMs) / perMs) + current
  return Math.abs(used + cost - limit) < near ? null : used + cost <= limit
}

/** In no stretch of time, from any accepted request to now, more than the burst and what came in since. */
function bucket(past, { atMs, cost }, { limit, perMs, burst }) {
  let total = cost
  let worst = total - burst
  for (let i = past.length - 1; i >= 0; i--) {
    total += past[i].cost
    worst = Math.max(worst, total - burst - ((atMs - past[i].atMs) * limit) / perMs)
  }
  return Math.abs(worst) < near ? (worst === 0 ? true : null) : worst <= 0
}

export const laws = {
  fixed: aligned(() => 0),
  offset: aligned((perMs) => Math.round(0.371 * perMs)),
  anchored,
  sliding,
  counter,
  bucket,
  gcra: bucket,
}

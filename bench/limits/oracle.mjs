// What a provider could have accepted at most, by asking its own accounting: every request is sent at the very moment it gets in, with
// no network between. Sent early is never worse for all of them but the counter, where it costs nothing after the first window.
import { createAccounting } from "./emulator/accountings.mjs"

/** Costs are divided into this many pieces of a limit at least, for the bound on what costs of any size could use. */
const piecesOfLimit = 1_000

/** The accounting of one key, with the changes of its limit as time goes on. Times are the client's. */
class Allowance {
  constructor(options) {
    this.skewMs = options.skewMs ?? 0
    this.changes = [...(options.changes ?? [])]
    this.accounting = createAccounting(options)
  }

  /** Takes it at the first time from `atMs` on at which it gets in; answers with that time, or null if that is not before `toMs`. */
  take(atMs, cost, toMs) {
    let nowMs = atMs
    while (nowMs < toMs) {
      this.#change(nowMs)
      const waitMs = this.accounting.waitMs(nowMs + this.skewMs, cost)
      if (waitMs === 0) {
        this.accounting.take(nowMs + this.skewMs, cost)
        return nowMs
      }
      // A wait that rounds to nothing would never end.
      nowMs = Math.min(Math.max(nowMs + waitMs, nowMs * (1 + Number.EPSILON)), this.changes[0]?.atMs ?? Number.POSITIVE_INFINITY)
    }
    return null
  }

  #change(nowMs) {
    while (this.changes.length > 0 && this.changes[0].atMs <= nowMs) {
      const { atMs, limit } = this.changes.shift()
      this.accounting.change(atMs + this.skewMs, limit)
    }
  }
}

/**
 * A backlog from one time to another, on a provider that nobody used before:
 * - `most`: what the accounting can accept, the burst at the start included;
 * - `steady`: the limit times the windows, which a long run comes close to;
 * - `oneLess`: the same for a limit that is lower by one, which is what even traffic gets from the counter.
 *
 * With a neighbour the last two are what its share leaves.
 */
export function mostOfBacklog(options, { fromMs, toMs, cost = 1 }) {
  const allowance = new Allowance(options)
  let most = 0
  for (let atMs = allowance.take(fromMs, cost, toMs); atMs !== null; atMs = allowance.take(atMs, cost, toMs)) most += cost
  const share = 1 - (options.neighbour?.share ?? 0)
  const steady = share * integrate(options, fromMs, toMs, (limit) => limit)
  const oneLess = share * integrate(options, fromMs, toMs, (limit) => limit - 1)
  return { most, steady, oneLess }
}

function integrate({ limit, perMs, changes = [] }, fromMs, toMs, of) {
  const steps = [{ atMs: Number.NEGATIVE_INFINITY, limit }, ...changes, { atMs: Number.POSITIVE_INFINITY }]
  let total = 0
  for (let i = 0; i + 1 < steps.length; i++) {
    const ms = Math.min(toMs, steps[i + 1].atMs) - Math.max(fromMs, steps[i].atMs)
    if (ms > 0) total += (of(steps[i].limit) * ms) / perMs
  }
  return total
}

/**
 * Arrivals `[{ atMs, cost }]` in order of time: the most cost that can have been accepted by `toMs`, when the last of it was, and how
 * long a request waited in the mean. Exact for costs of one; others are divided, so that it is a bound which whole tasks may not reach.
 */
export function mostOfArrivals(options, trace, { toMs }) {
  const allowance = new Allowance(options)
  const piece = Math.max(1, Math.floor(options.limit / piecesOfLimit))
  let [accepted, lastAtMs, waitedMs] = [0, Number.NEGATIVE_INFINITY, 0]
  const result = () => ({ accepted, lastAtMs, meanWaitMs: accepted === 0 ? 0 : waitedMs / accepted })
  for (const { atMs, cost = 1 } of trace) {
    for (let left = cost; left > 0; left -= piece) {
      const part = Math.min(left, piece)
      const takenAtMs = allowance.take(Math.max(atMs, lastAtMs), part, toMs)
      if (takenAtMs === null) return result()
      accepted += part
      waitedMs += part * (takenAtMs - atMs)
      lastAtMs = takenAtMs
    }
  }
  return result()
}

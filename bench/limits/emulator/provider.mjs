// A provider with a limit, as a plain object: it is told when each request arrives and has no clock of its own. The same requests at the
// same times always get the same answers.
import { seeded } from "../../limits-http/random.mjs"
import { createAccounting } from "./accountings.mjs"
import { findDialect } from "./dialects.mjs"
import { Neighbour } from "./neighbour.mjs"

const accepted = '{"ok":true}'
const dateOf = cachedBySecond((seconds) => new Date(seconds * 1_000).toUTCString())

/**
 * - `accounting`, `limit`, `perMs`, `burst`, `offsetMs`: how it counts; `unit` names what ("requests", or "tokens").
 * - `tokens`: a second budget `{ accounting, limit, perMs, burst }`. Then the first counts one for each request, this one the cost.
 * - `reserves`: true where a request is let in only if its highest cost fits; its true cost is what counts.
 * - `rejectsCount`: what is refused uses up the limit as well.
 * - `changes`: `[{ atMs, limit }]` of the first budget, in order of time.
 * - `neighbour`: `{ share | ratePerMs, cost, seed }`, foreign requests on the same budget of every key.
 * - `skewMs`: how far the provider's clock is ahead. `scale`: how many ms here are one ms in headers.
 * - `overloads`, `timeouts`: shares of requests that get a 5xx (not counted), or are counted and never answered (status 0).
 * - `observe({ atMs, key, cost, status })`: called for every request, for charts and logs.
 */
export function createProvider(options) {
  return new Provider(options)
}

class Provider {
  constructor({ dialect = "none", changes = [], skewMs = 0, scale = 1, overloads = 0, timeouts = 0, seed = 1, ...options }) {
    this.options = { ...options, dialect, changes, skewMs, scale, overloads, timeouts, seed }
    this.dialect = findDialect(dialect)
    this.refusedStatus = options.refusedStatus ?? 429
    this.random = overloads + timeouts > 0 ? seeded(seed) : null
    this.keys = new Map()
    this.lastAtMs = Number.NEGATIVE_INFINITY
    this.counts = { received: 0, accepted: 0, refused: 0, overloaded: 0, unanswered: 0, acceptedCost: 0 }
    createAccounting(options)
  }

  receive({ atMs, key = "", cost = 1, mostCost = cost }) {
    if (atMs < this.lastAtMs) throw new Error(`provider: expected times in order, got ${atMs} after ${this.lastAtMs}`)
    this.lastAtMs = atMs
    const nowMs = atMs + this.options.skewMs
    const account = this.account(key, nowMs)
    account.advance(nowMs)
    const answer = this.answer(account, nowMs, cost, mostCost)
    this.note(account, answer.status, cost)
    this.options.observe?.({ atMs, key, cost, status: answer.status })
    return answer
  }

  answer(account, nowMs, cost, mostCost) {
    const chance = this.random === null ? 1 : this.random()
    const { overloads, timeouts, reserves, scale } = this.options
    const date = dateOf(nowMs / scale)
    if (chance < overloads) return { status: this.dialect.overloadedStatus, headers: { date }, body: '{"error":"overloaded"}' }
    const waitMs = account.receive(nowMs, cost, reserves ? mostCost : cost)
    if (waitMs === null && chance < overloads + timeouts) return { status: 0, headers: {}, body: "" }
    const facts = {
      key: account.key,
      nowMs: nowMs / scale,
      waitMs: waitMs === null ? null : waitMs / scale,
      budgets: account.budgets.map((budget) => factsOf(budget, nowMs, scale)),
    }
    const headers = this.dialect.writeHeaders(facts)
    headers.date = date
    headers["content-type"] = "application/json"
    return waitMs === null
      ? { status: 200, headers, body: accepted }
      : { status: this.refusedStatus, headers, body: this.dialect.writeRefusal(facts) }
  }

  note(account, status, cost) {
    const kind = status === 200 ? "accepted" : status === 0 ? "unanswered" : status === this.refusedStatus ? "refused" : "overloaded"
    for (const counts of [this.counts, account.counts]) {
      counts.received++
      counts[kind]++
      if (kind === "accepted") counts.acceptedCost += cost
    }
  }

  account(key, nowMs) {
    let account = this.keys.get(key)
    if (account === undefined) {
      account = new Account(key, this.options, nowMs)
      this.keys.set(key, account)
    }
    return account
  }

  /** The true limit at a time, for charts and oracles. */
  limitAt(atMs) {
    return this.options.changes.reduce((limit, change) => (change.atMs <= atMs ? change.limit : limit), this.options.limit)
  }

  stats() {
    const byKey = Object.fromEntries([...this.keys].map(([key, { counts }]) => [key, { ...counts }]))
    return { ...this.counts, byKey }
  }
}

/** What one key has used. */
class Account {
  constructor(key, options, nowMs) {
    const { tokens, unit = "requests", skewMs, neighbour } = options
    this.key = key
    this.options = options
    this.budgets = [{ unit, perMs: options.perMs, accounting: createAccounting(options) }]
    if (tokens) this.budgets.push({ unit: "tokens", perMs: tokens.perMs, accounting: createAccounting(tokens) })
    this.counts = { received: 0, accepted: 0, refused: 0, overloaded: 0, unanswered: 0, acceptedCost: 0, foreign: 0, foreignRefused: 0 }
    this.changes = options.changes.map(({ atMs, limit }) => ({ atMs: atMs + skewMs, limit }))
    this.changed = 0
    this.limit = options.limit
    // The neighbour was there before: the first request finds what it had used of the last window.
    this.neighbour = neighbour ? new Neighbour(neighbour, key, nowMs - options.perMs) : null
    this.neighbour?.goOn(options.limit / options.perMs)
  }

  /** Foreign requests and changes of the limit up to now, in order of time. */
  advance(nowMs) {
    for (;;) {
      const change = this.changes[this.changed]
      const foreignAtMs = this.neighbour?.nextAtMs ?? Number.POSITIVE_INFINITY
      if (change !== undefined && change.atMs <= nowMs && change.atMs <= foreignAtMs) {
        this.limit = change.limit
        this.budgets[0].accounting.change(change.atMs, change.limit)
        this.changed++
      } else if (foreignAtMs <= nowMs) {
        const { cost } = this.neighbour
        if (this.receive(foreignAtMs, cost, cost) === null) this.counts.foreign++
        else this.counts.foreignRefused++
        this.neighbour.goOn(this.limit / this.options.perMs)
      } else return
    }
  }

  /** Null where it is accepted, else how long to wait. */
  receive(nowMs, cost, neededCost) {
    const [first, second] = this.budgets
    const firstCost = second ? 1 : cost
    const firstNeeded = second ? 1 : neededCost
    const isIn = first.accounting.fits(nowMs, firstNeeded) && (!second || second.accounting.fits(nowMs, neededCost))
    if (isIn || this.options.rejectsCount) {
      first.accounting.take(nowMs, firstCost)
      second?.accounting.take(nowMs, cost)
    }
    if (isIn) return null
    const waitMs = Math.max(first.accounting.waitMs(nowMs, firstNeeded), second?.accounting.waitMs(nowMs, neededCost) ?? 0)
    // What never fits has no true answer; a window is what such providers say.
    return Number.isFinite(waitMs) ? waitMs : first.perMs
  }
}

function factsOf({ unit, perMs, accounting }, nowMs, scale) {
  return {
    unit,
    limit: accounting.capacity,
    remaining: Math.floor(accounting.remaining(nowMs)),
    resetMs: accounting.resetMs(nowMs) / scale,
    windowMs: (perMs * accounting.capacity) / accounting.limit / scale,
  }
}

function cachedBySecond(write) {
  let [last, text] = [Number.NaN, ""]
  return (ms) => {
    const seconds = Math.floor(ms / 1_000)
    if (seconds !== last) [last, text] = [seconds, write(seconds)]
    return text
  }
}

// `node emulator.check.mjs [seed]`: the emulator against brute force. What was accepted is judged from the list of requests alone, by
// the definition of each accounting; what headers tell is tried out on a second provider with the same past.
import assert from "node:assert/strict"
import { between, seeded } from "../../limits-http/random.mjs"
import { EventLoop } from "../events.mjs"
import { accountings } from "./accountings.mjs"
import { laws } from "./laws.check.mjs"
import { createNetwork } from "./network.mjs"
import { createProvider } from "./provider.mjs"
import { readers } from "./readers.check.mjs"
import { virtualFetch } from "./virtual-fetch.mjs"

const seed = Number(process.argv[2] ?? 1 + Math.floor(Math.random() * 999_999))
const random = seeded(seed)
const pick = (values) => values[Math.floor(random() * values.length)]
let checked = 0

function randomOptions(accounting) {
  const limit = pick([1, 2, 3, 10, 50])
  const perMs = pick([1_000, 10_000, 60_000])
  return {
    accounting,
    limit,
    perMs,
    burst: accounting === "gcra" ? pick([1, 2, 3]) : accounting === "bucket" ? pick([limit, 2 * limit]) : undefined,
  }
}

/** Around the limit, with bursts and pauses, some times equal and some on the edges of windows. */
function randomTrace({ limit, perMs }, { length, isWeighted }) {
  const meanMs = perMs / limit / pick([0.7, 1, 2, 5])
  let atMs = Math.floor(random() * 1e6)
  return Array.from({ length }, () => {
    const chance = random()
    if (chance < 0.6) atMs += -Math.log(1 - random()) * meanMs
    else if (chance < 0.7) atMs = Math.ceil(atMs / perMs) * perMs
    else if (chance < 0.72) atMs += between(random, 1, 3) * perMs
    return { atMs, cost: isWeighted ? 1 + Math.floor(random() * Math.max(1, limit / 3)) : 1 }
  })
}

const replay = (options, trace) => {
  const provider = createProvider(options)
  return { provider, answers: trace.map((request) => provider.receive(request)) }
}

function checkLaw(options, trace) {
  const { answers } = replay(options, trace)
  const isAllowed = laws[options.accounting]
  const past = []
  for (const [i, { status }] of answers.entries()) {
    const request = trace[i]
    const expected = isAllowed(past, request, options)
    // A difference that only rounding decides is nobody's fault.
    if (expected !== null) {
      assert.equal(status === 200, expected, `${JSON.stringify(options)}: request ${i} at ${request.atMs} got ${status}`)
      checked++
    }
    if (status === 200) past.push(request)
  }
}

/** `remaining` unit requests get in at once and one more does not; after what a refusal says to wait, it gets in, and not before. */
function checkHeaders(options, dialect, trace) {
  const read = readers[dialect]
  const all = { ...options, dialect }
  const { answers } = replay(all, trace)
  for (let tries = 0; tries < 12; tries++) {
    const i = Math.floor(random() * trace.length)
    const past = trace.slice(0, i + 1)
    const { atMs, cost } = trace[i]
    const { headers, status, body } = answers[i]
    const told = read(headers, body, atMs)
    const say = `${JSON.stringify(all)}: after request ${i} at ${atMs}: ${JSON.stringify(headers)}`
    if (told.used !== undefined) assert.equal(told.used + told.remaining, told.limit, say)
    if (told.windowMs !== undefined) assert.equal(told.limit / told.windowMs, options.limit / options.perMs, say)
    if (told.resetTwiceMs !== undefined) assert.ok(Math.abs(told.resetTwiceMs - told.resetMs) < 2, say)
    if (told.remaining !== undefined) {
      const { provider } = replay(all, past)
      for (let n = 0; n < told.remaining; n++) assert.equal(provider.receive({ atMs }).status, 200, `${say}: ${n} of ${told.remaining}`)
      assert.notEqual(provider.receive({ atMs }).status, 200, `${say}: more than ${told.remaining}`)
      checked++
    }
    if (status !== 429) {
      assert.equal(told.retryMs, undefined, say)
      continue
    }
    if (told.retryMs !== undefined && cost <= (options.burst ?? options.limit)) {
      const after = replay(all, past).provider.receive({ atMs: atMs + told.retryMs, cost })
      assert.equal(after.status, 200, `${say}: ${told.retryMs} ms later`)
      const early = told.retryMs - told.roundedMs * 1.001 - 0.001
      if (early > 0) assert.equal(replay(all, past).provider.receive({ atMs: atMs + early, cost }).status, 429, `${say}: ${early} ms later`)
      checked++
    }
    checkReset(all, past, told, say)
  }
}

/** At its reset a window or a bucket has all of its limit, a log or a counter more than before. */
function checkReset(options, past, { limit, remaining, resetMs }, say) {
  if (resetMs === undefined) return
  const { atMs } = past.at(-1)
  const { provider } = replay({ ...options, dialect: "ietf-old" }, past)
  const later = provider.receive({ atMs: atMs + resetMs, cost: 0 })
  const left = Number(later.headers["ratelimit-remaining"])
  if (["sliding", "counter"].includes(options.accounting)) assert.ok(left >= remaining, `${say}: ${left} left at the reset`)
  else assert.equal(left, limit, `${say}: ${left} left at the reset`)
  checked++
}

/** From the change on the new limit holds, and a bucket keeps what it had filled before. */
function checkChanges() {
  for (const accounting of Object.keys(accountings)) {
    const options = {
      accounting,
      limit: 100,
      perMs: 10_000,
      burst: accounting === "bucket" ? 10 : undefined,
      changes: [{ atMs: 50_000, limit: 40 }],
    }
    const provider = createProvider(options)
    const accepted = []
    for (let atMs = 0; atMs < 100_000; atMs += 10) if (provider.receive({ atMs }).status === 200) accepted.push(atMs)
    const count = (fromMs, toMs) => accepted.filter((atMs) => atMs >= fromMs && atMs < toMs).length
    assert.ok(Math.abs(count(20_000, 40_000) - 200) <= 3, `${accounting}: ${count(20_000, 40_000)} of 200 before the change`)
    assert.ok(Math.abs(count(70_000, 90_000) - 80) <= 3, `${accounting}: ${count(70_000, 90_000)} of 80 after the change`)
    assert.equal(provider.limitAt(49_999), 100)
    assert.equal(provider.limitAt(50_000), 40)
    checked += 2
  }
}

function checkOptions() {
  const fixed = { accounting: "fixed", limit: 10, perMs: 10_000 }
  const keys = createProvider(fixed)
  for (let i = 0; i < 30; i++) keys.receive({ atMs: 0, key: `key-${i % 3}` })
  assert.equal(keys.stats().accepted, 30, "keys are counted apart")

  const counts = createProvider({ accounting: "sliding", limit: 1, perMs: 1_000, rejectsCount: true })
  assert.deepEqual(
    [0, 600, 1_200, 1_800, 2_900].map((atMs) => counts.receive({ atMs }).status),
    [200, 429, 429, 429, 200],
    "refused ones count",
  )

  const ahead = createProvider({ ...fixed, skewMs: 250, dialect: "github" })
  const { headers } = ahead.receive({ atMs: 9_800 })
  assert.equal(headers["x-ratelimit-reset"], "20", "a clock that is ahead is in the next window")
  assert.equal(headers.date, "Thu, 01 Jan 1970 00:00:10 GMT")

  const scaled = createProvider({ ...fixed, scale: 20, dialect: "discord" })
  assert.equal(scaled.receive({ atMs: 2_000 }).headers["x-ratelimit-reset-after"], "0.400", "headers tell real time")

  const both = createProvider({ ...fixed, dialect: "openai", tokens: { accounting: "bucket", limit: 6_000, perMs: 60_000 } })
  const { "x-ratelimit-remaining-requests": requests, "x-ratelimit-reset-tokens": tokens } = both.receive({ atMs: 0, cost: 1_500 }).headers
  assert.deepEqual([requests, tokens], ["9", "15s"], "two budgets")
  assert.equal(both.receive({ atMs: 0, cost: 5_000 }).status, 429, "the tighter budget decides")

  const reserving = createProvider({ accounting: "bucket", limit: 100, perMs: 60_000, reserves: true })
  assert.deepEqual(
    [reserving.receive({ atMs: 0, cost: 10, mostCost: 95 }).status, reserving.receive({ atMs: 0, cost: 10, mostCost: 95 }).status],
    [200, 429],
  )

  const failing = createProvider({ accounting: "bucket", limit: 1e6, perMs: 1_000, overloads: 0.1, timeouts: 0.05 })
  for (let atMs = 0; atMs < 10_000; atMs++) failing.receive({ atMs })
  const { overloaded, unanswered } = failing.stats()
  assert.ok(Math.abs(overloaded - 1_000) < 120 && Math.abs(unanswered - 500) < 90, `${overloaded} overloaded, ${unanswered} unanswered`)
  assert.throws(() => failing.receive({ atMs: 0 }), /in order/)
  assert.throws(() => createProvider({ ...fixed, accounting: "leaky" }), /expected one of/)
  assert.throws(() => createProvider({ ...fixed, dialect: "martian" }), /expected one of/)
  checked += 11
}

/** Looked at rarely or often, a neighbour is the same; together nobody gets more than the limit. */
function checkNeighbour() {
  const options = { accounting: "sliding", limit: 100, perMs: 10_000, neighbour: { share: 0.4, seed: 7 } }
  const run = (stepMs) => {
    const provider = createProvider(options)
    for (let atMs = 0; atMs <= 1e6; atMs += stepMs) provider.receive({ atMs, cost: 0 })
    return provider.stats().byKey[""].foreign
  }
  assert.equal(run(10), run(10_000))
  assert.ok(Math.abs(run(10_000) - 4_040) < 250, `${run(10_000)} foreign requests instead of 4,040`)
  const busy = createProvider(options)
  for (let atMs = 0; atMs < 1e6; atMs += 20) busy.receive({ atMs })
  const { accepted, foreign } = busy.stats().byKey[""]
  assert.ok(accepted + foreign <= 10_200 && accepted + foreign > 9_900, `${accepted} + ${foreign} in 100 windows`)
  checked += 3
}

async function checkFetch() {
  const loop = new EventLoop(1_000_000)
  const provider = createProvider({ accounting: "fixed", limit: 1, perMs: 10_000 })
  const seen = []
  const fetch = virtualFetch({
    provider,
    network: createNetwork({ seed, baseMs: 40, medianMs: 0 }),
    clock: loop,
    observe: (answer) => seen.push(answer),
  })
  const statuses = []
  const send = async (path, init) =>
    statuses.push((await fetch(`http://provider/${path}`, init).catch((error) => error)).status ?? "aborted")
  // Sent in one window, arrived in the next.
  loop.at(1_009_970, () => send("a"))
  loop.at(1_009_990, () => send("a"))
  const stops = new AbortController()
  loop.at(1_030_000, () => send("a", { signal: stops.signal }))
  loop.at(1_030_010, () => stops.abort())
  await loop.runUntil(1_100_000)
  assert.deepEqual(statuses, [200, 429, "aborted"])
  assert.deepEqual(seen[0], { key: "a", cost: 1, status: 200, sentAtMs: 1_009_970, arrivedAtMs: 1_010_010, answeredAtMs: 1_010_050 })
  assert.equal(provider.stats().received, 3, "what was sent arrives")
  await assert.rejects(fetch("http://provider/a", { signal: AbortSignal.abort(new Error("no")) }), /no/)

  const ways = Array.from({ length: 20_000 }, createNetwork({ seed }).oneWayMs).sort((a, b) => a - b)
  assert.ok(Math.abs(ways[10_000] - 70) < 3 && ways[0] >= 30 && ways.at(-1) <= 530, "the usual network")
  const slow = Array.from({ length: 20_000 }, createNetwork({ seed, p99Ms: 1_000 }).oneWayMs).sort((a, b) => a - b)
  assert.ok(Math.abs(slow[19_800] - 1_030) < 150, `p99 of ${slow[19_800]} ms`)
  checked += 6
}

try {
  for (const accounting of Object.keys(accountings)) {
    for (let round = 0; round < 60; round++) {
      const options = randomOptions(accounting)
      checkLaw(options, randomTrace(options, { length: 300, isWeighted: round % 2 === 1 }))
      const dialect = Object.keys(readers)[round % Object.keys(readers).length]
      checkHeaders(options, dialect, randomTrace(options, { length: 60, isWeighted: round % 3 === 1 }))
    }
  }
  checkChanges()
  checkOptions()
  checkNeighbour()
  await checkFetch()
  console.log(`emulator: ${checked.toLocaleString("en-US")} checks passed (seed ${seed})`)
} catch (error) {
  console.error(`emulator: ${error.message}\n(seed ${seed})`)
  process.exitCode = 1
}

// `node oracle.check.mjs [seed]`: the oracle against closed forms, and against what random senders got from a provider, which is never more.
import assert from "node:assert/strict"
import { seeded } from "../limits-http/random.mjs"
import { accountings } from "./emulator/accountings.mjs"
import { createProvider } from "./emulator/provider.mjs"
import { mostOfArrivals, mostOfBacklog } from "./oracle.mjs"

const seed = Number(process.argv[2] ?? 1 + Math.floor(Math.random() * 999_999))
const random = seeded(seed)
let checked = 0

function equal(...values) {
  assert.equal(...values)
  checked++
}

/** 10 in 10 s, for 100 s that begin 3 s into an aligned window. */
function checkClosedForms() {
  const span = { fromMs: 3_000, toMs: 103_000 }
  const expected = { fixed: 110, offset: 110, anchored: 100, sliding: 100, counter: 10 + 9 * 9 + 3, bucket: 10 + 99, gcra: 2 + 99 }
  for (const [accounting, most] of Object.entries(expected)) {
    const found = mostOfBacklog({ accounting, limit: 10, perMs: 10_000 }, span)
    equal(found.most, most, accounting)
    equal(found.steady, 100)
    equal(found.oneLess, 90)
  }
  const changing = { accounting: "bucket", limit: 5, perMs: 1_000, burst: 10, changes: [{ atMs: 60_000, limit: 15 }] }
  equal(mostOfBacklog(changing, { fromMs: 0, toMs: 120_000.5 }).most, 10 + 300 + 900)
  equal(mostOfBacklog(changing, { fromMs: 0, toMs: 120_000 }).steady, 1_200)
}

function checkArrivals() {
  const options = { accounting: "fixed", limit: 10, perMs: 10_000 }
  const burst = Array.from({ length: 25 }, () => ({ atMs: 9_000, cost: 1 }))
  const { accepted, lastAtMs, meanWaitMs } = mostOfArrivals(options, burst, { toMs: 100_000 })
  assert.deepEqual([accepted, lastAtMs, meanWaitMs], [25, 20_000, (10 * 1_000 + 5 * 11_000) / 25])
  equal(mostOfArrivals(options, burst, { toMs: 15_000 }).accepted, 20)
  const large = { accounting: "bucket", limit: 6_000, perMs: 60_000, burst: 600 }
  const bound = mostOfArrivals(
    large,
    Array.from({ length: 20 }, () => ({ atMs: 0, cost: 500 })),
    { toMs: 60_000 },
  ).accepted
  assert.ok(bound > 6_580 && bound <= 6_600, `${bound} of 6,600`)
  checked += 2
}

/** A counter rewards nobody for waiting by more than its first window. */
function checkNobodyGetsMore(accounting) {
  const [limit, perMs] = [1 + Math.floor(random() * 20), 10_000]
  const options = { accounting, limit, perMs, changes: random() < 0.5 ? [{ atMs: 40_000, limit: Math.ceil(limit / 2) }] : [] }
  const provider = createProvider(options)
  const trace = []
  const loadMs = perMs / limit / (0.8 + 2 * random())
  for (let atMs = 1; atMs < 100_000; atMs += -Math.log(1 - random()) * loadMs) trace.push({ atMs, cost: 1 })
  for (const request of trace) provider.receive(request)
  const { accepted } = provider.stats()
  const { most } = mostOfBacklog(options, { fromMs: trace[0].atMs, toMs: 100_000 })
  const byArrivals = mostOfArrivals(options, trace, { toMs: 100_000 }).accepted
  const slack = accounting === "counter" ? limit : 0
  assert.ok(accepted <= most + slack, `${JSON.stringify(options)}: ${accepted} accepted, backlog bound ${most}`)
  assert.ok(accepted <= byArrivals + slack, `${JSON.stringify(options)}: ${accepted} accepted, arrivals bound ${byArrivals}`)
  checked += 2
}

try {
  checkClosedForms()
  checkArrivals()
  for (const accounting of Object.keys(accountings)) for (let round = 0; round < 200; round++) checkNobodyGetsMore(accounting)
  console.log(`oracle: ${checked.toLocaleString("en-US")} checks passed (seed ${seed})`)
} catch (error) {
  console.error(`oracle: ${error.message}\n(seed ${seed})`)
  process.exitCode = 1
}

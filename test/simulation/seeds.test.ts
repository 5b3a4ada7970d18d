// The real code under ten thousand seeds: not one promise broken, and the same seed gives the same run.

import { deepEqual, equal, notEqual, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { describeFailure, ownSource, runSeeds } from "./many-seeds.ts"
import { runnerOf, storeNames } from "./seed-store.ts"

const seeds = { memory: 10_000, sqlite: 100 }
/** Run twice each. */
const repeated = { memory: 100, sqlite: 5 }

describe("the simulation", () => {
  for (const store of storeNames) {
    const count = seeds[store]
    it(`keeps every promise on ${store} under ${count} seeds`, async (test) => {
      const { ran, failures, totals } = await runSeeds({ from: 1, count, store })
      deepEqual(
        failures.map((failure) => describeFailure(failure, store)),
        [],
      )
      equal(ran, count)
      test.diagnostic(JSON.stringify(totals))
      // It looked: there was trouble, and there were limits to break.
      for (const name of [
        "kill",
        "pause",
        "outage",
        "clock",
        "lost_reply",
        "lost_request",
        "duplicate",
        "slow",
        "refusedSettles",
        "lostLeases",
      ])
        ok((totals[name] ?? 0) > count / 10, `only ${totals[name]} ${name}`)
      for (const name of ["admissions", "slotsTaken"]) ok((totals[name] ?? 0) > 10 * count, `only ${totals[name]} ${name}`)
    })

    it(`is the same run on ${store} for the same seed, and another one for another`, async () => {
      const run = await runnerOf(ownSource, store)
      const traceOf = async (seed: number) => (await run({ seed, hash: true })).traceHash
      const traces = new Set<string | null>()
      for (let seed = 1; seed <= repeated[store]; seed++) {
        const trace = await traceOf(seed)
        equal(await traceOf(seed), trace, `seed ${seed}`)
        traces.add(trace)
      }
      notEqual(traces.has(null), true)
      equal(traces.size, repeated[store])
    })
  }
})

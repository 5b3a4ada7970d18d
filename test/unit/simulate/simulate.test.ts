// What a simulation tells, in cases that can be reckoned by hand.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, type SimulateOptions, simulate } from "../../../src/index.ts"

const tenIn10s = defineLimit("api", { rate: "10/10s", provider: "sliding" })
const fiveAtOnce = defineLimit("slots", { concurrency: 5 })

/** What each unit more buys, by its limit and part. */
function buys(options: SimulateOptions): Record<string, number | null> {
  return Object.fromEntries(simulate(options).oneMore.map(({ limit, of, earlierMs }) => [`${limit ?? "all"} ${of}`, earlierMs]))
}

describe("a simulation where a rate binds", () => {
  const told = simulate({ tasks: 110, limits: [tenIn10s], duration: "1s" })

  it("ends after as many windows as it takes", () => {
    equal(told.endMs, 101_000)
    equal(told.perSecond, 110 / 101)
    equal(told.mostRunning, 10)
  })

  it("tells how long tasks wait", () => {
    deepEqual(told.wait, { p50Ms: 50_000, p95Ms: 100_000, p99Ms: 100_000, maxMs: 100_000 })
    deepEqual([told.lastArrivalMs, told.waitingAtLastArrival, told.ahead], [0, 100, 0])
  })

  it("blames the rate for all of the time", () => deepEqual(told.binds, [{ limit: "api", by: "rate", share: 1 }]))

  it("tells what one more in each window buys", () => {
    const [more] = told.oneMore
    deepEqual(
      [more?.limit, more?.of, more?.perMs, more?.from, more?.to, more?.endMs, more?.earlierMs],
      ["api", "rate", 10_000, 10, 11, 91_000, 10_000],
    )
    equal(more?.wait.maxMs, 90_000)
    // A hundred take ten windows either way.
    deepEqual(buys({ tasks: 100, limits: [tenIn10s], duration: "1s" }), { "api rate": 0 })
  })
})

describe("a simulation where something else binds", () => {
  it("tells of a concurrency", () => {
    const told = simulate({ tasks: 100, limits: [fiveAtOnce], duration: "1s" })
    equal(told.endMs, 20_000)
    equal(told.mostRunning, 5)
    deepEqual(told.binds, [{ limit: "slots", by: "concurrency", share: 1 }])
    deepEqual(buys({ tasks: 100, limits: [fiveAtOnce], duration: "1s" }), { "slots concurrency": 3_000 })
  })

  it("tells of the room of the workers, and that nothing else would help", () => {
    const options = { tasks: 100, limits: [fiveAtOnce], duration: "1s", concurrency: 4 } as const
    const told = simulate(options)
    equal(told.endMs, 25_000)
    deepEqual(told.binds, [{ limit: null, by: "workers", share: 1 }])
    deepEqual(buys(options), { "slots concurrency": 0, "all workers": 5_000 })
  })

  it("tells the parts of one limit apart", () => {
    const both = defineLimit("both", { rate: "10/60s", provider: "sliding", concurrency: 2 })
    const told = simulate({ tasks: 20, limits: [both], duration: "2s" })
    // Five pairs in 8 s, then nothing until the first of them is a minute old. From there on rate and slots come free together, which counts as the rate.
    equal(told.endMs, 70_000)
    deepEqual(
      told.binds.map(({ by, share }) => [by, Math.round(share * 68)]),
      [
        ["rate", 60],
        ["concurrency", 8],
      ],
    )
  })

  it("tells of several rates of one limit", () => {
    const several = defineLimit("several", { rate: ["2/1s", "10/60s"], provider: "sliding" })
    // Ten in the first five seconds, ten a minute later, two after another minute; or eleven, and eleven a minute later.
    const more = simulate({ tasks: 22, limits: [several], duration: "1s" }).oneMore.map(({ to, perMs, earlierMs }) => [
      to,
      perMs,
      earlierMs,
    ])
    deepEqual(more, [
      [3, 1_000, 0],
      [11, 60_000, 55_000],
    ])
  })

  it("lets a costly task pay for what it costs", () => {
    equal(simulate({ tasks: 20, limits: [{ limit: tenIn10s, cost: 5 }] }).endMs, 90_000)
    equal(simulate({ tasks: 20, limits: [{ limit: fiveAtOnce, cost: 2 }], duration: "1s" }).endMs, 10_000)
  })

  it("gives every key a gate of its own", () => {
    const told = simulate({ tasks: 1_000, limits: [{ limit: tenIn10s, keys: 10 }] })
    ok(told.endMs !== null && told.endMs >= 90_000 && told.endMs <= 140_000, `${told.endMs}`)
    equal(told.mostRunning, 100)
  })

  it("ends at once where nothing binds", () => {
    const told = simulate({ tasks: 1_000, duration: "3s" })
    deepEqual([told.endMs, told.binds, told.oneMore, told.wait.maxMs, told.mostRunning], [3_000, [], [], 0, 1_000])
    deepEqual([simulate({ tasks: 5 }).endMs, simulate({ tasks: 5 }).perSecond], [0, null])
  })
})

describe("tasks that come one after the other", () => {
  it("wait for nothing where the limit keeps up", () => {
    const told = simulate({ tasks: 100, limits: [tenIn10s], arrivals: "1/1s", duration: "500ms" })
    deepEqual([told.endMs, told.lastArrivalMs, told.wait.maxMs, told.waitingAtLastArrival], [99_500, 99_000, 0, 0])
    deepEqual([told.binds, told.oneMore[0]?.earlierMs], [[], 0])
  })

  it("wait ever longer where it does not", () => {
    const told = simulate({ tasks: 100, limits: [tenIn10s], arrivals: "2/1s", duration: "500ms" })
    equal(told.lastArrivalMs, 49_500)
    equal(told.waitingAtLastArrival, 50)
    ok(told.wait.p95Ms > told.wait.p50Ms && told.wait.p50Ms > 10_000)
    const [bound] = told.binds
    ok(bound?.limit === "api" && bound.share > 0.9 && bound.share < 1, `${bound?.share}`)
  })
})

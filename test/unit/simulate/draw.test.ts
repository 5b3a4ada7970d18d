// What chance decides: it follows from the seed, has the shape that was asked for, and one part of it does not disturb another.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { defineLimit, type SimulateOptions } from "../../../src/index.ts"
import { planFor } from "../../../src/queue/simulate.ts"
import { draw } from "../../../src/simulate/index.ts"

const drawn = (options: SimulateOptions) => draw(planFor(options))
const durations = (options: SimulateOptions) => [...drawn(options).durationsMs]
const api = defineLimit("api", { rate: "10/10s" })

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(share * values.length)] ?? 0
}

function isNear(value: number, expected: number, within: number): void {
  ok(Math.abs(value - expected) <= expected * within, `expected about ${expected}, got ${value}`)
}

describe("durations", () => {
  it("are always the same where one was given", () => {
    deepEqual(durations({ tasks: 3, duration: "2s" }), [2_000, 2_000, 2_000])
    deepEqual(durations({ tasks: 2 }), [0, 0])
  })

  it("have the median and the 99th percentile that were given", () => {
    const found = durations({ tasks: 100_000, duration: { p50: "1s", p99: "8s" } })
    isNear(quantile(found, 0.5), 1_000, 0.02)
    isNear(quantile(found, 0.99), 8_000, 0.05)
    ok(found.every((ms) => Number.isInteger(ms) && ms >= 1))
  })

  it("are whole milliseconds of at least one, however short they were asked for", () => {
    ok(durations({ tasks: 1_000, duration: { p50: "1ms", p99: "50ms" } }).every((ms) => Number.isInteger(ms) && ms >= 1))
    deepEqual(new Set(durations({ tasks: 100, duration: { p50: "3s", p99: "3s" } })), new Set([3_000]))
  })
})

describe("a seed", () => {
  const duration = { p50: "1s", p99: "8s" }

  it("gives the same again, and another one something else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_294_967_295 }), (seed) => {
        const options = { tasks: 20, duration, limits: [{ limit: api, keys: 5 }], seed }
        deepEqual(drawn(options), drawn(options))
        ok(durations(options).join() !== durations({ ...options, seed: (seed + 1) % 4_294_967_296 }).join())
      }),
      { numRuns: 50 },
    )
  })

  it("draws the same durations whatever limits there are", () => {
    const without = durations({ tasks: 50, duration })
    deepEqual(durations({ tasks: 50, duration, limits: [{ limit: api, keys: 9 }] }), without)
  })

  it("draws the keys of two limits apart from each other", () => {
    const other = defineLimit("other", { rate: "1/s" })
    const options = {
      tasks: 10_000,
      limits: [
        { limit: api, keys: 2 },
        { limit: other, keys: 2 },
      ],
    }
    const { laneOf, lanes } = drawn(options)
    equal(lanes.length, 4)
    for (const lane of lanes.keys()) isNear(laneOf.filter((one) => one === lane).length, 2_500, 0.06)
  })
})

describe("keys", () => {
  function shares(keys: number | readonly number[], tasks = 30_000): number[] {
    const { laneOf, lanes } = drawn({ tasks, limits: [{ limit: api, keys }] })
    const counts: number[] = []
    for (const lane of laneOf) {
      const key = lanes[lane]?.[0]?.key ?? 0
      counts[key] = (counts[key] ?? 0) + 1
    }
    return Array.from(counts, (count) => (count ?? 0) / tasks)
  }

  it("are met alike, or as often as their weights say", () => {
    for (const share of shares(4)) isNear(share, 0.25, 0.05)
    const [often = 0, sometimes = 0, seldom = 0] = shares([6, 3, 1])
    isNear(often, 0.6, 0.05)
    isNear(sometimes, 0.3, 0.05)
    isNear(seldom, 0.1, 0.1)
  })

  it("are one where none were asked for", () => deepEqual(shares([7]), [1]))
})

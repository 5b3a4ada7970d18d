// Who is blamed where it is not plain to see: tasks, lanes and durations set by hand.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, simulate } from "../../../src/index.ts"
import { planFor } from "../../../src/queue/simulate.ts"
import { run } from "../../../src/simulate/index.ts"

describe("what is blamed", () => {
  it("is the room of the workers once the gate is open and nobody is free", () => {
    const api = defineLimit("api", { rate: "1/5s", provider: "sliding" })
    const plan = planFor({ tasks: 3, limits: [{ limit: api, keys: 2 }], duration: "10s", concurrency: 2 })
    const lanes = [0, 1].map((key) => [{ limit: 0, key, cost: 1 }])
    const drawn = { ahead: 0, durationsMs: Float64Array.of(10_000, 10_000, 10_000), laneOf: Int32Array.of(0, 0, 1), lanes }
    const { held, startsMs, lackedRoom } = run(plan, drawn)
    // The second is refused, the third takes the last room; after 5 s the gate is open, after 10 s somebody has room.
    deepEqual([...startsMs], [0, 10_000, 0])
    deepEqual(held, [
      { holder: { limit: 0, holding: { kind: "rate", index: 0 } }, us: 5_000_000 },
      { holder: null, us: 5_000_000 },
    ])
    equal(lackedRoom, true)
  })

  it("is the rate that a costly task has to wait for, and not slots, of which it takes one", () => {
    const both = defineLimit("both", { rate: "30/60s", provider: "sliding", concurrency: 20 })
    const { binds } = simulate({ tasks: 20, limits: [{ limit: both, cost: 30 }], duration: "1s" })
    deepEqual(binds, [{ limit: "both", by: "rate", share: 1 }])
  })
})

describe("one more", () => {
  it("of a bucket's rate leaves its burst as it is", () => {
    const bucket = defineLimit("bucket", { rate: "1/1s", provider: "bucket", burst: 5 })
    const { endMs, oneMore } = simulate({ tasks: 25, limits: [bucket] })
    deepEqual([endMs, oneMore[0]?.endMs], [20_000, 10_000])
  })
})

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { formatRate, parseRate } from "../../../src/units/index.ts"

describe("a rate", () => {
  it("is so many in so long", () => {
    assert.deepEqual(parseRate("rate", "10/10s"), { limit: 10, perMs: 10_000 })
    assert.deepEqual(parseRate("rate", "1/1h"), { limit: 1, perMs: 3_600_000 })
    assert.deepEqual(parseRate("rate", "100000/1m"), { limit: 100_000, perMs: 60_000 })
    assert.deepEqual(parseRate("rate", " 3 / s "), { limit: 3, perMs: 1_000 })
  })

  it("is printed as it is written", () => {
    for (const text of ["10/10s", "1/1h", "100000/1m", "5/250ms"]) assert.equal(formatRate(parseRate("rate", text)), text)
  })

  it("in other words is refused, with an example", () => {
    for (const wrong of [
      "100 per sec",
      "0/1s",
      "-1/1s",
      "10",
      "10/",
      "1.5/1s",
      "10/0s",
      "",
      10,
      null,
      "99999999999/1s",
      "10/second",
      "10/min",
      "10/10",
    ]) {
      assert.throws(() => parseRate('limit "openai"', wrong), {
        name: "SluiceError",
        code: "invalid_rate",
        message: `limit "openai": expected a rate such as "10/10s", "100/1m" or "3/s", got ${JSON.stringify(wrong)}`,
      })
    }
  })
})

// --until: an instant, or how long from the store's now.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { parseUntil, untilFrom } from "../../../src/queue/until.ts"

const now = new Date("2026-01-28T12:00:00Z")
const until = (text: string) => untilFrom("--until", parseUntil("--until", text), now).toISOString()

describe("until", () => {
  it("is an instant, or a duration from now", () => {
    assert.equal(until("2026-01-28T17:00:00Z"), "2026-01-28T17:00:00.000Z")
    assert.equal(until("1h 30m"), "2026-01-28T13:30:00.000Z")
  })

  it("that is neither is refused with both", () => {
    for (const text of ["tomorrow", "300", "", "2026-01-28", "-1h"]) {
      assert.throws(() => parseUntil("--until", text), {
        code: "invalid_date",
        message: `--until: expected a duration from now such as "30m" or "1h", or a time with its zone such as "2026-01-28T17:00:00Z", got "${text}"`,
      })
    }
  })

  it("that has passed is refused with the store's time", () => {
    assert.throws(() => until("2026-01-28T12:00:00Z"), {
      code: "invalid_date",
      message: "--until: expected a time that is still to come (by the store's clock it is 2026-01-28T12:00:00Z), got 2026-01-28T12:00:00Z",
    })
    assert.throws(() => until("0s"), { message: /got 0$/ })
  })

  it("stays within what a date can hold", () => {
    assert.equal(until("36500000d").slice(0, 3), "+10")
  })
})

// Whose clock: a provider's times are measured from its own Date. Ours counts only where it sends none.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { readQuota } from "../../../src/quota/index.ts"

const nowMs = Date.UTC(2026, 10, 16, 12)

function resetMs(reset: string, date: string | undefined, receiverMs = nowMs): number | null | undefined {
  const headers = { "x-ratelimit-limit": "10", "x-ratelimit-reset": reset, date }
  return readQuota({ status: 200, headers }, receiverMs).quotas[0]?.resetMs
}

const epoch = (atMs: number) => String(atMs / 1_000)

describe("the time until a reset", () => {
  it("is measured from the response's Date, however wrong our clock", () => {
    for (const wrongByMs of [-1e12, -3_600_000, 0, 3_600_000, 1e12]) {
      assert.equal(resetMs(epoch(nowMs + 60_000), "Mon, 16 Nov 2026 12:00:00 GMT", nowMs + wrongByMs), 60_000)
    }
  })

  it("is measured from our clock where there is no Date, or none that can be read", () => {
    assert.equal(resetMs(epoch(nowMs + 60_000), undefined), 60_000)
    assert.equal(resetMs(epoch(nowMs + 60_000), "2026-11-16"), 60_000)
  })

  it("is not known where there is no clock at all", () => assert.equal(resetMs(epoch(nowMs), undefined, Number.NaN), null))

  it("is 0 for a time that is past", () => assert.equal(resetMs(epoch(nowMs - 5_000), undefined), 0))

  it("keeps an hour and a day, and no more than 25 hours", () => {
    assert.equal(resetMs(epoch(nowMs + 3_600_000), undefined), 3_600_000)
    assert.equal(resetMs("86400", undefined), 86_400_000)
    assert.equal(resetMs("90001", undefined), 90_000_000)
    assert.equal(resetMs("999999999", undefined), 90_000_000)
    assert.equal(resetMs(epoch(nowMs + 1e10), undefined), 90_000_000)
  })

  it("is told from an epoch by its size", () => {
    assert.equal(resetMs("1000000000", undefined), 0)
    assert.equal(resetMs(String(nowMs + 250), undefined), 250)
    assert.equal(resetMs(epoch(nowMs + 250), undefined), 250)
  })
})

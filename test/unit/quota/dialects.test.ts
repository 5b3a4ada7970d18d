// Every dialect: what real-looking responses say, with our own clock years off.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { readQuota } from "../../../src/quota/index.ts"
import { samples, sentAtMs } from "./responses.ts"

describe("the dialects of quota", () => {
  for (const { name, status, headers, body, heard } of samples) {
    it(name, () => {
      assert.deepEqual(readQuota({ status, headers, body }, sentAtMs - 1e11), { status, ...heard })
      assert.deepEqual(readQuota({ status, headers: new Headers(headers), body }, sentAtMs + 1e11), { status, ...heard })
    })
  }

  it("of which the first that is spoken is heard", () => {
    const both = { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9", ratelimit: '"default";r=7;t=1' }
    const { quotas } = readQuota({ status: 200, headers: both }, 0)
    assert.deepEqual(
      quotas.map(({ name, remaining }) => [name, remaining]),
      [["default", 7]],
    )
  })

  it("of which Stripe's is spoken in a refusal only", () => {
    const both = { "stripe-should-retry": "true", "x-ratelimit-remaining": "9" }
    assert.equal(readQuota({ status: 200, headers: both }, 0).quotas[0]?.remaining, 9)
  })

  it("of which another is heard where the first is malformed", () => {
    const both = { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9", ratelimit: '"default";r=7;t=1,' }
    assert.equal(readQuota({ status: 200, headers: both }, 0).quotas[0]?.remaining, 9)
  })
})

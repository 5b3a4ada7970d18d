// The forms in which libraries hand over headers: all of them say the same.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type HeadersLike, readQuota } from "../../../src/quota/index.ts"

const remaining = (headers: HeadersLike) => readQuota({ status: 200, headers }, 0).quotas.map((quota) => quota.remaining)

describe("headers", () => {
  it("may be the platform's", () => assert.deepEqual(remaining(new Headers({ "X-RateLimit-Remaining": "3" })), [3]))

  it("may be any object that has a get", () => {
    const headers = {
      values: { "x-ratelimit-remaining": "3" } as Record<string, string>,
      get: (name: string) => headers.values[name] ?? null,
    }
    assert.deepEqual(remaining({ get: headers.get }), [3])
  })

  it("may be a record, in any case", () => {
    assert.deepEqual(remaining({ "x-ratelimit-remaining": "3" }), [3])
    assert.deepEqual(remaining({ "X-RATELIMIT-REMAINING": "3" }), [3])
    assert.deepEqual(remaining({ "X-RateLimit-Remaining": ["3"], other: undefined }), [3])
  })

  it("may be a record with a header of the name get", () => {
    assert.deepEqual(remaining({ get: "1", "x-ratelimit-remaining": "3" }), [3])
  })

  it("of one name on several lines are one list", () => {
    assert.deepEqual(remaining({ ratelimit: ['"a";r=1', '"b";r=2'] }), [1, 2])
    assert.deepEqual(remaining({ RateLimit: '"a";r=1', ratelimit: '"b";r=2' }), [1, 2])
    const headers = new Headers([
      ["ratelimit", '"a";r=1'],
      ["ratelimit", '"b";r=2'],
    ])
    assert.deepEqual(remaining(headers), [1, 2])
  })

  it("that were doubled on the way count once", () => assert.deepEqual(remaining({ "x-ratelimit-remaining": ["3", "3"] }), [3]))

  it("may have spaces and tabs around them", () => {
    assert.deepEqual(remaining({ "x-ratelimit-remaining": " \t3 " }), [3])
    assert.equal(readQuota({ status: 200, headers: { "retry-after": " 5\t" } }, 0).retryAfterMs, 5_000)
  })
})

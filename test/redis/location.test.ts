// URLs of Redis stores: what they mean, what is wrong with them, and that no password shows.

import assert from "node:assert/strict"
import { it } from "node:test"
import { isSluiceError } from "../../src/errors/index.ts"
import { parseLocation, placeOf } from "../../src/stores/redis/location.ts"

const plain = { isCluster: false, isTls: false, username: null, password: null, database: 0, patienceMs: 5_000, prefix: "sluice" }
const at = (host: string, port = 6379) => ({ host, port })

for (const [url, expected] of [
  ["redis://localhost", { ...plain, hosts: [at("localhost")] }],
  ["redis://", { ...plain, hosts: [at("localhost")] }],
  ["redis://cache.internal:6400/3", { ...plain, hosts: [at("cache.internal", 6400)], database: 3 }],
  ["redis://[::1]:7000/", { ...plain, hosts: [at("::1", 7000)] }],
  ["rediss://:p%40ss@host", { ...plain, hosts: [at("host")], isTls: true, password: "p@ss" }],
  [
    "redis://me:50%25%20off:x@host?timeout=250ms",
    { ...plain, hosts: [at("host")], username: "me", password: "50% off:x", patienceMs: 250 },
  ],
  ["redis://a:1,b:2,c", { ...plain, hosts: [at("a", 1), at("b", 2), at("c")], isCluster: true }],
  ["redis://a?prefix=shop", { ...plain, hosts: [at("a")], prefix: "shop" }],
  ["redis://a?cluster=true", { ...plain, hosts: [at("a")], isCluster: true }],
] as const) {
  it(`${url} is understood`, () => assert.deepEqual(parseLocation(url), expected))
}

for (const [url, code, says] of [
  ["redis://me:s3cret@host:port", "unknown_store", /hosts as "host"/],
  ["redis://me:s3cret@host:99999", "unknown_store", /hosts as "host"/],
  ["redis://me:s3/cret@host", "unknown_store", /%40/],
  ["redis://me:s3@cret@host/0/1", "unknown_store", /database/],
  ["redis://me:s3cret@a,b/1", "unknown_store", /database 0/],
  ["redis://me:s3cret@a,b?cluster=false", "unknown_store", /one host/],
  ["redis://me:s3cret@a?cluster=yes", "invalid_option", /true or false/],
  ["redis://me:s3cret@a?clutser=true", "invalid_option", /did you mean "cluster"/],
  ["redis://me:s3cret@a?timeout=soon", "invalid_duration", /timeout/],
  ["redis://me:s3cret@a?timeout=1h", "invalid_option", /1ms to 10m/],
  ["redis://me:s3cret@a?prefix={x}", "invalid_name", /prefix/],
  ["redis:me:s3cret@a", "unknown_store", /redis:\/\//],
] as const) {
  it(`${url} is refused with ${code}`, () => {
    assert.throws(
      () => parseLocation(url),
      (error) => {
        assert.ok(isSluiceError(error))
        assert.equal(error.code, code)
        assert.match(error.message, says)
        assert.doesNotMatch(error.message, /s3|cret/)
        return true
      },
    )
  })
}

it("a place is told without credentials", () => {
  assert.equal(placeOf(parseLocation("redis://me:s3cret@a:1,[::1]")), "redis a:1,[::1]:6379")
})

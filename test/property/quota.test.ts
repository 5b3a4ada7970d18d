// What holds for every response: it is read without throwing, within the caps, and by what it says alone, not by how its headers
// are spelt or ordered, nor by our clock where it has its own.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type Heard, mostCount, mostQuotas, mostResetMs, mostRetryAfterMs, mostWindowMs, readQuota, waitMs } from "../../src/quota/index.ts"
import { samples, sentAtMs } from "../unit/quota/responses.ts"
import { runs } from "./runs.ts"

const names = [...new Set(samples.flatMap(({ headers }) => Object.keys(headers).map((name) => name.toLowerCase())))]
const values = [...new Set(samples.flatMap(({ headers }) => Object.values(headers)))]

const numeral = fc.oneof(
  fc.nat(100).map(String),
  fc.bigInt(-(10n ** 20n), 10n ** 20n).map(String),
  fc.double().map(String),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value.toFixed(3)),
)
const value = fc.oneof(fc.constantFrom(...values), numeral, fc.string({ unit: "binary", maxLength: 40, size: "max" }))
const status = fc.oneof(fc.constantFrom(200, 403, 429, 503, 529), fc.integer({ min: 100, max: 599 }))
const amount = fc.oneof(fc.double(), fc.nat(2_000), fc.constantFrom(0, -1, 1e300), fc.string())
const body = fc.oneof(
  fc.jsonValue(),
  fc.record({ retry_after: amount, global: fc.boolean() }),
  fc.record({
    errors: fc.array(fc.record({ extensions: fc.record({ code: fc.constantFrom("THROTTLED", "OTHER") }) }), { maxLength: 20, size: "max" }),
    extensions: fc.record({
      cost: fc.record({
        requestedQueryCost: amount,
        throttleStatus: fc.record({ maximumAvailable: amount, currentlyAvailable: amount, restoreRate: amount }),
      }),
    }),
  }),
)
const headers = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 20, size: "max" })
  .map((pairs) => Object.fromEntries(pairs))
const clock = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.double())
const sample = fc.constantFrom(...samples)

function isWhole(value: number | null, most: number, least = 0): boolean {
  return value === null || (Number.isInteger(value) && !Object.is(value, -0) && value >= least && value <= most)
}

function assertWithinCaps(heard: Heard): void {
  const { isRefused, reason, retryAfterMs, quotas } = heard
  assert.equal(reason !== null, isRefused)
  assert.ok(isWhole(retryAfterMs, mostRetryAfterMs), `retryAfterMs ${retryAfterMs}`)
  assert.ok(isWhole(waitMs(heard), mostResetMs), `waits ${waitMs(heard)}`)
  assert.ok(quotas.length <= mostQuotas)
  for (const { name, limit, remaining, resetMs, windowMs, bucket } of quotas) {
    assert.match(name, /^[\x20-\x7e]{1,128}$/)
    assert.ok(bucket === null || /^[\x20-\x7e]{1,128}$/.test(bucket))
    assert.ok(limit !== null || remaining !== null)
    assert.ok(isWhole(limit, mostCount) && isWhole(remaining, mostCount), `${remaining} of ${limit}`)
    assert.ok(isWhole(resetMs, mostResetMs), `resetMs ${resetMs}`)
    assert.ok(isWhole(windowMs, mostWindowMs, 1), `windowMs ${windowMs}`)
  }
}

describe("property: what is heard of a quota", () => {
  it("is within the caps, whatever a response says", () => {
    fc.assert(
      fc.property(status, headers, body, clock, (code, given, parsed, nowMs) => {
        assertWithinCaps(readQuota({ status: code, headers: given, body: parsed }, nowMs))
      }),
      { numRuns: runs(2_000) },
    )
  })

  it("does not depend on the case or the order of headers", () => {
    const spelt = fc
      .tuple(
        status,
        fc.oneof(
          headers,
          sample.map((one) => one.headers),
        ),
        body,
      )
      .chain(([code, given, parsed]) => {
        const pairs = Object.entries(given)
        const size = { minLength: pairs.length, maxLength: pairs.length, size: "max" } as const
        return fc.record({
          code: fc.constant(code),
          parsed: fc.constant(parsed),
          pairs: fc.constant(pairs),
          shuffled: fc.shuffledSubarray(pairs, { minLength: pairs.length }),
          // Bit by bit: which letters of a name are capitals.
          capitals: fc.array(fc.maxSafeNat(), size),
        })
      })
    fc.assert(
      fc.property(spelt, ({ code, parsed, pairs, shuffled, capitals }) => {
        const respelt = shuffled.map(([name, text], i) => [recased(name, capitals[i] ?? 0), text])
        assert.deepEqual(
          readQuota({ status: code, headers: Object.fromEntries(respelt), body: parsed }, sentAtMs),
          readQuota({ status: code, headers: Object.fromEntries(pairs), body: parsed }, sentAtMs),
        )
      }),
      { numRuns: runs(500) },
    )
  })

  it("does not depend on headers that say nothing of it", () => {
    const unrelated = fc.dictionary(
      fc.oneof(
        fc.constantFrom("etag", "server", "content-type", "x-request-id", "set-cookie", "x-ratelimit", "age", "ratelimit-", "__proto__"),
        fc
          .string({ unit: "binary", maxLength: 100, size: "max" })
          .filter((name) => !/^(get|date)$/i.test(name) && !/retry|limit|stripe/i.test(name)),
      ),
      fc.oneof(value, fc.array(value)),
      { maxKeys: 10 },
    )
    fc.assert(
      fc.property(sample, unrelated, fc.boolean(), ({ status: code, headers: given, body: parsed, heard }, more, isFirst) => {
        const all = isFirst ? { ...more, ...given } : { ...given, ...more }
        assert.deepEqual(readQuota({ status: code, headers: all, body: parsed }, 0), { status: code, ...heard })
      }),
      { numRuns: runs(500) },
    )
  })

  it("does not depend on our clock where the response has a Date", () => {
    fc.assert(
      fc.property(sample, clock, ({ status: code, headers: given, body: parsed, heard }, nowMs) => {
        assert.deepEqual(readQuota({ status: code, headers: given, body: parsed }, nowMs), { status: code, ...heard })
      }),
      { numRuns: runs(300) },
    )
  })

  it("is the same numbers in every dialect", () => {
    const count = fc.nat(mostCount)
    const seconds = fc.nat(mostResetMs / 1_000)
    fc.assert(
      fc.property(
        count.filter((limit) => limit > 0),
        count,
        seconds,
        (limit, remaining, left) => {
          const epoch = String(sentAtMs / 1_000 + left)
          const rfc3339 = new Date(sentAtMs + left * 1_000).toISOString()
          const go = `${Math.floor(left / 3_600)}h${Math.floor(left / 60) % 60}m${left % 60}s`
          const three = (prefix: string, reset: string) => ({
            [`${prefix}limit`]: `${limit}`,
            [`${prefix}remaining`]: `${remaining}`,
            [`${prefix}reset`]: reset,
          })
          const tellings: readonly Readonly<Record<string, string>>[] = [
            { "ratelimit-policy": `"a";q=${limit}`, ratelimit: `"a";r=${remaining};t=${left}` },
            three("ratelimit-", `${left}`),
            { ratelimit: `limit=${limit}, remaining=${remaining}, reset=${left}` },
            three("x-ratelimit-", epoch),
            three("x-ratelimit-", `${left}`),
            three("x-ratelimit-", String(sentAtMs + left * 1_000)),
            three("x-rate-limit-", epoch),
            { ...three("x-ratelimit-", "0"), "x-ratelimit-reset-after": `${left}.000` },
            three("anthropic-ratelimit-requests-", rfc3339),
            {
              "x-ratelimit-limit-requests": `${limit}`,
              "x-ratelimit-remaining-requests": `${remaining}`,
              "x-ratelimit-reset-requests": go,
            },
          ]
          for (const telling of tellings) {
            const { quotas } = readQuota({ status: 200, headers: telling }, sentAtMs)
            assert.deepEqual(
              quotas.map((quota) => [quota.limit, quota.remaining, quota.resetMs]),
              [[limit, remaining, left * 1_000]],
              JSON.stringify(telling),
            )
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

function recased(name: string, capitals: number): string {
  return [...name]
    .map((letter, i) => (Math.floor(capitals / 2 ** (i % 50)) % 2 === 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join("")
}

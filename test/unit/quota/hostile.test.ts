// Responses that lie, break or attack: what is no plain number is not heard, what is too much is capped, and nothing throws.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  type Heard,
  mostCount,
  mostQuotas,
  mostResetMs,
  mostRetryAfterMs,
  mostWindowMs,
  type ProviderResponse,
  readQuota,
} from "../../../src/quota/index.ts"

const nowMs = Date.UTC(2026, 10, 16, 12)

function heard(headers: ProviderResponse["headers"], body?: unknown, status = 429): Heard {
  return readQuota({ status, headers, body }, nowMs)
}

const nothing: Omit<Heard, "status"> = { isRefused: true, reason: "rate", scope: null, retryAfterMs: null, quotas: [] }

const noNumbers: readonly string[] = [
  ...["", " ", "-1", "+5", "NaN", "Infinity", "-Infinity", "null", "0x10", "0b11", "1e3", "1E3", "1_000", ".5", "5.", "1.2.3", "five"],
  ...["٣", "３", "5\u0000", "\u00075", "5\u001b[31m", "5\n6", "5\r\nRetry-After: 1", "5\u2028", "\u009b5", "5 5", "5%", "`5`", "(5)"],
  ...["9".repeat(16), "9".repeat(400), `0.${"3".repeat(19)}`, "5".repeat(4_097), "1".repeat(1_000_000), `5${" ".repeat(1_000_000)}`],
]

describe("what is no plain number", () => {
  for (const text of noNumbers) {
    const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 8)}... of ${text.length}` : text)
    it(`is not heard in any header: ${shown}`, () => {
      for (const prefix of ["x-ratelimit-", "ratelimit-", "x-rate-limit-", "anthropic-ratelimit-tokens-"]) {
        const headers = { [`${prefix}limit`]: text, [`${prefix}remaining`]: text, [`${prefix}reset`]: text }
        assert.deepEqual(heard(headers), { status: 429, ...nothing })
        const { limit, remaining, resetMs } = heard({ ...headers, [`${prefix}limit`]: "7" }).quotas[0] ?? {}
        assert.deepEqual({ limit, remaining, resetMs }, { limit: 7, remaining: null, resetMs: null })
      }
      for (const name of ["retry-after", "retry-after-ms", "x-ms-retry-after-ms"]) {
        assert.equal(heard({ [name]: text }).retryAfterMs, null)
        assert.equal(heard({ [name]: text }, undefined, 503).isRefused, false)
      }
      const openai = { "x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": text, "x-ratelimit-remaining-tokens": text }
      assert.deepEqual(
        heard(openai).quotas.map(({ remaining, resetMs }) => [remaining, resetMs]),
        [[7, null]],
      )
      assert.deepEqual(heard({ "x-ratelimit-limit-requests": text, "x-shopify-shop-api-call-limit": `${text}/40` }).quotas, [])
      assert.deepEqual(heard({ ratelimit: `"a";r=${text};t=${text}`, "ratelimit-policy": `"a";q=${text};w=${text}` }).quotas, [])
      assert.equal(
        heard({ "x-ratelimit-global": "true", "x-ratelimit-reset-after": text, "x-ratelimit-limit": "1" }).quotas[0]?.resetMs,
        null,
      )
    })
  }

  it("is not heard in a body", () => {
    for (const value of ["5", -1, Number.NaN, Number.POSITIVE_INFINITY, 1e15, 1e300, null, true, {}, [5], 5n]) {
      assert.equal(heard({ "x-ratelimit-global": "true" }, { retry_after: value }).retryAfterMs, null)
      const throttleStatus = { maximumAvailable: value, currentlyAvailable: value, restoreRate: value }
      assert.deepEqual(heard({}, { extensions: { cost: { throttleStatus } } }).quotas, [])
    }
  })

  it("is not heard as a Go duration", () => {
    for (const text of ["6m0", "m", "6x", "-6m", "6m 0s", "6 m", "1e3s", "6m0s!", "0x1s", `${"9".repeat(16)}s`, "1s".repeat(5_000)]) {
      const headers = { "x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": text }
      assert.equal(heard(headers).quotas[0]?.resetMs, null, text)
    }
  })

  it("is heard as a Go duration in every unit that Go prints", () => {
    const units: readonly (readonly [string, number])[] = [
      ["0s", 0],
      ["1ns", 1],
      ["500µs", 1],
      ["2500us", 3],
      ["1500Âµs", 2],
      ["12ms", 12],
      ["1.5s", 1_500],
      ["7.66s", 7_660],
      ["2m59.56s", 179_560],
      ["1h2m3s", 3_723_000],
      ["24h0m0s", 86_400_000],
      ["999h0m0s", mostResetMs],
    ]
    for (const [text, ms] of units) {
      assert.equal(heard({ "x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": text }).quotas[0]?.resetMs, ms, text)
    }
  })
})

describe("what is too much", () => {
  it("is capped", () => {
    const most = "9".repeat(15)
    const headers = { "x-ratelimit-limit": most, "x-ratelimit-remaining": most, "x-ratelimit-reset": most, "retry-after": most }
    const { retryAfterMs, quotas } = heard(headers)
    assert.equal(retryAfterMs, mostRetryAfterMs)
    assert.deepEqual(
      quotas.map(({ limit, remaining, resetMs }) => [limit, remaining, resetMs]),
      [[mostCount, mostCount, mostResetMs]],
    )
    assert.equal(heard({ "x-ratelimit-global": "true" }, { retry_after: 1e14 }).retryAfterMs, mostRetryAfterMs)
  })

  it("is capped in a body", () => {
    const cost = { requestedQueryCost: 1e12, throttleStatus: { maximumAvailable: 1e12, currentlyAvailable: 0.5, restoreRate: 1 } }
    const { retryAfterMs, quotas } = heard({}, { errors: [{ extensions: { code: "THROTTLED" } }], extensions: { cost } })
    assert.equal(retryAfterMs, mostRetryAfterMs)
    assert.deepEqual(quotas, [{ name: "points", limit: mostCount, remaining: 0, resetMs: mostResetMs, windowMs: null, bucket: null }])
  })

  it("is dropped where it is a window: a shorter one would be a faster rate", () => {
    const windowMs = (w: string) => heard({ "ratelimit-policy": `"a";q=1;w=${w}` }).quotas[0]?.windowMs
    assert.equal(windowMs("31622400"), mostWindowMs)
    assert.equal(windowMs("31622401"), null)
    assert.equal(windowMs("999999999999999"), null)
    assert.equal(windowMs("0"), null)
    assert.equal(heard({ "ratelimit-limit": "9", "ratelimit-policy": "9;w=999999999999999" }).quotas[0]?.windowMs, null)
    assert.equal(heard({ "ratelimit-limit": "9", "ratelimit-policy": "9;w=-1" }).quotas[0]?.windowMs, null)
  })

  it("is a bucket that never fills, of which no reset is known", () => {
    const throttleStatus = { maximumAvailable: 10, currentlyAvailable: 1, restoreRate: 0 }
    const body = { errors: [{ extensions: { code: "THROTTLED" } }], extensions: { cost: { requestedQueryCost: 5, throttleStatus } } }
    const { retryAfterMs, quotas } = heard({}, body)
    assert.deepEqual([retryAfterMs, quotas[0]?.resetMs, quotas[0]?.windowMs], [null, null, null])
  })

  it("is a ninth quota; those come first of which it is told what is left", () => {
    const items = (count: number, more: string) => Array.from({ length: count }, (_, i) => `"p${i}"${more}`).join(", ")
    const { quotas } = heard({ "ratelimit-policy": items(20, ";q=5"), ratelimit: '"p19";r=1, "other";r=2' })
    assert.equal(quotas.length, mostQuotas)
    assert.deepEqual(
      quotas.slice(0, 3).map(({ name }) => name),
      ["p19", "other", "p0"],
    )
  })

  it("is a list of 10,000 items, in a line or in as many", () => {
    const items = Array.from({ length: 10_000 }, (_, i) => `"p${i}";r=1;t=1`)
    assert.deepEqual(heard({ ratelimit: items.join(", ") }).quotas, [])
    assert.deepEqual(heard({ ratelimit: items }).quotas, [])
    assert.deepEqual(heard({ "x-ratelimit-limit": Array.from({ length: 10_000 }, () => "5") }).quotas, [])
    assert.equal(heard({}, { errors: Array.from({ length: 10_000 }, () => ({})) }).isRefused, true)
  })

  it("is a value longer than 4 KiB, and not its beginning", () => {
    const item = '"a";r=1;c="'
    const ofLength = (length: number) => `${item}${"x".repeat(length - item.length - 1)}"`
    assert.equal(heard({ ratelimit: ofLength(4_096) }).quotas.length, 1)
    assert.equal(heard({ ratelimit: ofLength(4_097) }).quotas.length, 0)
    assert.equal(heard({ get: () => ofLength(4_097) }).quotas.length, 0)
    assert.equal(heard({ ratelimit: ['"a";r=1', ofLength(4_090)] }).quotas.length, 0)
  })
})

describe("a malformed structured field", () => {
  const malformed: readonly string[] = [
    ...[
      '"a";r=1,',
      ',"a";r=1',
      '"a";r=1 "b";r=2',
      '"a;r=1',
      '"a" ;r=1',
      '"a";r=',
      '"a";R=1',
      '"a";=1',
      "a b;r=1",
      '("a");r=1',
      '"a";r=1;;',
    ],
    ...[
      '"\\a";r=1',
      '"é";r=1',
      '"a";r=1;x=(1)',
      '"a";r=1;x=@1',
      '"a";r=1;x=:a',
      '"a";r=1;x=?2',
      '"a";r=1, -',
      "=;r=1",
      '"a";r=01234567890123456',
    ],
  ]
  for (const text of malformed) {
    it(`is ignored as a whole: ${text}`, () => {
      assert.deepEqual(heard({ ratelimit: text }).quotas, [])
      assert.deepEqual(heard({ "ratelimit-policy": text.replaceAll("r=", "q=") }).quotas, [])
    })
  }

  const odd: readonly (readonly [string, readonly (number | null)[]])[] = [
    ['"a";r=1;r=2', [2]],
    ['"a";r=1, "a";r=2', [1]],
    ["a;r=1", [1]],
    ["*a:/b;r=1", [1]],
    ['"a";r=1.5', []],
    ['"a";r=1;R=1', []],
    ['"a";r=-1', []],
    ['"a";r=-0', [0]],
    ['"a";r="1"', []],
    ['"a";r', []],
    ['"a";t=5', []],
    ["5;r=1", []],
    ["?1;r=1", []],
    ['"";r=1', []],
    [`"${"a".repeat(128)}";r=1`, [1]],
    [`"${"a".repeat(129)}";r=1`, []],
    ['"a";r=1\t,\t"b";r=2', [1, 2]],
  ]
  for (const [text, remaining] of odd) {
    it(`is not ${text.slice(0, 40)}`, () => {
      assert.deepEqual(
        heard({ ratelimit: text }).quotas.map((quota) => quota.remaining),
        remaining,
      )
    })
  }
})

describe("names that providers make up", () => {
  it("are not heard where they could not be shown", () => {
    for (const name of ["é", "a".repeat(129), "漢字"]) {
      assert.equal(heard({ "x-ratelimit-bucket": name, "x-ratelimit-limit": "1" }).quotas[0]?.bucket ?? null, null)
      assert.equal(
        heard({ "x-ratelimit-resource": name, "x-ratelimit-limit": "1", "x-ratelimit-reset": "1800000000" }).quotas[0]?.bucket,
        null,
      )
    }
  })

  it("do not reach into objects", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      assert.equal(heard({ ratelimit: `"${name}";r=1` }).quotas[0]?.name, name)
      assert.deepEqual(heard(JSON.parse(`{"${name}": "5"}`)), { status: 429, ...nothing })
    }
    assert.equal(heard({}, Object.create({ errors: [{ extensions: { code: "THROTTLED" } }] }), 200).isRefused, false)
  })
})

describe("objects that throw", () => {
  const thrower = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no")
      },
      ownKeys: () => {
        throw new Error("no")
      },
      getOwnPropertyDescriptor: () => {
        throw new Error("no")
      },
    },
  )

  it("say nothing", () => {
    assert.deepEqual(heard(thrower), { status: 429, ...nothing })
    assert.deepEqual(heard({}, thrower), { status: 429, ...nothing })
    const get = () => {
      throw new TypeError("no such header")
    }
    assert.deepEqual(heard({ get }), { status: 429, ...nothing })
    for (const headers of [null, undefined, 5, "x"]) assert.deepEqual(heard(headers as never), { status: 429, ...nothing })
  })

  it("do not keep the headers from being heard", () => {
    assert.equal(heard({ "x-ratelimit-remaining": "3", "retry-after": "2" }, thrower).retryAfterMs, 2_000)
    assert.equal(heard({ "x-ratelimit-remaining": "3" }, thrower).quotas[0]?.remaining, 3)
  })
})

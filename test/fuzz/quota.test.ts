// Whatever comes in place of a response, reading it ends, without throwing, and says nothing that was not read.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type HeadersLike, mostQuotas, mostResetMs, mostRetryAfterMs, readQuota } from "../../src/quota/index.ts"
import { runs } from "../property/runs.ts"
import { samples } from "../unit/quota/responses.ts"
import { hostileText, hostileValue, long, mutated } from "./corpus.ts"
import { inTime } from "./refusal.ts"

const pairs = samples.flatMap(({ headers }) => Object.entries(headers))
const pair = fc.constantFrom(...pairs)
const value = fc.oneof(
  { weight: 4, arbitrary: mutated(pair.map(([, text]) => text)) },
  { weight: 2, arbitrary: hostileValue },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        hostileValue,
        pair.map(([, text]) => text),
      ),
    ),
  },
)
const name = fc.oneof({ weight: 6, arbitrary: pair.map(([key]) => key) }, { weight: 1, arbitrary: hostileText })
const record = fc.array(fc.tuple(name, value), { maxLength: 12, size: "max" }).map((all) => Object.fromEntries(all))
const sampleBody = fc.constantFrom(...samples.flatMap(({ body }) => (body === undefined ? [] : [JSON.stringify(body)])))
const body = fc.oneof(mutated(sampleBody).map(parsedOrText), hostileValue)
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function holds(status: number, headers: unknown, parsed: unknown): void {
  const { retryAfterMs, quotas } = inTime(() => readQuota({ status, headers: headers as HeadersLike, body: parsed }, 1.8e12))
  assert.ok(retryAfterMs === null || (retryAfterMs >= 0 && retryAfterMs <= mostRetryAfterMs))
  assert.ok(quotas.length <= mostQuotas)
  for (const { name: called, bucket, resetMs } of quotas) {
    assert.doesNotMatch(called + (bucket ?? ""), controls)
    assert.ok(resetMs === null || (resetMs >= 0 && resetMs <= mostResetMs))
  }
}

describe("fuzz: the quota of a response", () => {
  const status = fc.constantFrom(200, 403, 429, 503, 529)

  it("is read from damaged headers and bodies", () => {
    fc.assert(fc.property(status, record, body, holds), { numRuns: runs(600) })
  })

  it("is read from anything in place of headers", () => {
    const get = value.map((given) => ({ get: () => given }))
    fc.assert(fc.property(status, fc.oneof(hostileValue, get), body, holds), { numRuns: runs(300) })
  })

  it("is read from long values in their time", () => {
    const piece = fc.oneof(
      hostileText,
      pair.map(([, text]) => text),
      fc.constantFrom(" ", "1", '"', "\\", ",", ";", ";a", ", ", "1h", "=", ":", "\t"),
    )
    fc.assert(
      fc.property(pair, long(piece), ([key, text], { piece: one, times }) => {
        for (const length of [4_000, one.length * times]) {
          const filler = one.repeat(times).slice(0, length)
          for (const tried of [filler, text + filler, filler + text, `"${filler}"`, `"a";${filler}`]) holds(429, { [key]: tried }, null)
        }
      }),
      { numRuns: runs(30) },
    )
  })
})

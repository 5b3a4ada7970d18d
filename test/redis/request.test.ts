// A request without nulls is the same request: nothing but properties that are null goes away, whatever stands in its texts.

import assert from "node:assert/strict"
import { it } from "node:test"
import fc from "fast-check"
import type { SettleRequest } from "../../src/store/exchange-contract.ts"
import { toText, toWire } from "../../src/stores/redis/request.ts"
import { isId, type SentExchange, wholeExchange } from "../../src/stores/redis/script/sent-settle.ts"

/** Texts that look like what is dropped, and names as the contract has them. */
const nasty = fc.array(
  fc.constantFrom('"', "\\", ",", "{", "}", ":", "null", "name", '"name":null', ',"a":null', '{"b":null}', " ", "\n", "é", "🦆", "\ud800"),
)
const text = fc.oneof(
  nasty.map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
)
const name = fc.stringMatching(/^[a-zA-Z_]\w{0,8}$/).filter((one) => one !== "__proto__")

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.array(tie("value")),
    fc.dictionary(name, tie("value"), { noNullPrototype: true }),
  ),
}))

function withoutNulls(found: unknown): unknown {
  if (Array.isArray(found)) return found.map(withoutNulls)
  if (typeof found !== "object" || found === null) return found
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, part]) => part !== null)
      .map(([key, part]) => [key, withoutNulls(part)]),
  )
}

it("drops the properties that are null, and nothing else", () => {
  fc.assert(
    fc.property(value, (request) => {
      assert.deepEqual(JSON.parse(toText(request)), JSON.parse(JSON.stringify(withoutNulls(request))))
    }),
    { numRuns: 5_000 },
  )
})

it("leaves whole what people have named, however it is spelt; null may go or stay there", () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(fc.constant(null), text, fc.integer()), { noNullPrototype: true }), (named) => {
      const sent = withoutNulls(JSON.parse(toText({ named, last: null })))
      assert.deepEqual(sent, JSON.parse(JSON.stringify(withoutNulls({ named }))))
    }),
    { numRuns: 2_000 },
  )
})

for (const [given, expected] of [
  [{ a: null }, "{}"],
  [{ a: null, b: null }, "{}"],
  [{ a: null, b: 1 }, '{"b":1}'],
  [{ a: 1, b: null }, '{"a":1}'],
  [{ a: 1, b: null, c: null, d: 2, e: null }, '{"a":1,"d":2}'],
  [{ a: { b: null }, c: [{ d: null }, { e: 1, f: null }] }, '{"a":{},"c":[{},{"e":1}]}'],
  [{ a: '{"b":null,"c":null}' }, JSON.stringify({ a: '{"b":null,"c":null}' })],
] as const) {
  it(`${JSON.stringify(given)} is sent as ${expected}`, () => assert.equal(toText(given), expected))
}

const ageMs = fc.constantFrom(null, 0, 7)
const settles: fc.Arbitrary<SettleRequest[]> = fc.array(
  fc.record(
    {
      id: fc.string(),
      fence: fc.integer({ min: 1, max: 2 }),
      outcome: fc.constantFrom({ kind: "completed", output: null }, { kind: "completed", output: "1" }, { kind: "released" }),
      spent: fc.constantFrom([], [{ limit: "a", actual: 1 }]),
      sentAgoMs: ageMs,
      respondedAgoMs: ageMs,
      rttMs: ageMs,
      heard: fc.constant([]),
    },
    { requiredKeys: ["id", "fence", "outcome", "spent", "sentAgoMs", "respondedAgoMs", "rttMs"] },
  ) as fc.Arbitrary<SettleRequest>,
)

it("settles are the same settles when they have come, with and without the names of their parts", () => {
  fc.assert(
    fc.property(settles, (asked) => {
      const request = { workerId: "w", settles: asked, heartbeats: [], leaseMs: 1, claim: null }
      const come = wholeExchange(JSON.parse(toWire("exchange", request)) as SentExchange)
      assert.deepEqual(withoutNulls(come), JSON.parse(JSON.stringify(withoutNulls(request))))
    }),
    { numRuns: 2_000 },
  )
})

it("a run that went well and has nothing more to tell is its id", () => {
  const settle = {
    id: "a",
    fence: 1,
    outcome: { kind: "completed", output: null },
    spent: [],
    sentAgoMs: null,
    respondedAgoMs: null,
    rttMs: null,
  }
  const { settles: sent } = JSON.parse(toWire("exchange", { settles: [settle] })) as SentExchange
  assert.deepEqual(sent, ["a"])
  assert.ok(sent.every(isId))
})

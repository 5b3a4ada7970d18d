// A request without nulls is the same request: nothing but properties that are null goes away, whatever stands in its texts.

import assert from "node:assert/strict"
import { it } from "node:test"
import fc from "fast-check"
import { toText } from "../../src/stores/redis/request.ts"

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

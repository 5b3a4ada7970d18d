// What handlers log: said as far as JSON can say it, and never thrown over.

import { deepEqual, equal, match } from "node:assert/strict"
import { describe, it } from "node:test"
import { logFields, logText } from "../../../src/units/log-fields.ts"

const cycle: Record<string, unknown> = { name: "a" }
cycle.self = cycle
const unreadable = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error("trap")
    },
  },
)

describe("fields of a log line", () => {
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ["what JSON has", { a: 1, b: [true, null, "x"], c: { d: 2 } }, { a: 1, b: [true, null, "x"], c: { d: 2 } }],
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an error in the place of fields", new Error("boom"), { error: "boom" }],
    ["an error among them", { error: new TypeError("boom"), bare: new RangeError() }, { error: "boom", bare: "RangeError" }],
    ["a bigint", { id: 12345678901234567890n }, { id: "12345678901234567890" }],
    ["numbers that JSON has not", { a: Number.NaN, b: Number.POSITIVE_INFINITY }, { a: "NaN", b: "Infinity" }],
    ["a cycle", cycle, { name: "a", self: "what it is part of" }],
    ["a Date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["what says itself what it is", { url: new URL("http://x/") }, { url: "http://x/" }],
    ["a symbol and a function", { a: Symbol("x"), b: () => 1 }, { a: "a symbol", b: "a function" }],
    ["undefined", { a: undefined, b: [undefined] }, { b: [null] }],
    ["text in their place", "text", { value: "text" }],
    ["a list in their place", [1], { value: [1] }],
    ["what cannot be read", unreadable, { value: "something that cannot be read" }],
  ]
  for (const [name, given, said] of fields) it(name, () => deepEqual(logFields(given), said))

  it("one that cannot be read leaves the others", () => {
    const given = {
      a: 1,
      get b() {
        throw new Error("no")
      },
    }
    deepEqual(logFields(given), { a: 1, b: "something that cannot be read" })
  })

  it("are cut where they are too deep", () => {
    let deep: unknown = 1
    for (let i = 0; i < 10_000; i++) deep = { deep }
    equal(JSON.stringify(logFields({ deep })).includes("an object"), true)
  })
})

describe("a log line of more than anybody reads", () => {
  it("ends, where what is logged refers to each other on more ways than there is memory for", () => {
    const tags = Array.from({ length: 30 }, (_, i) => ({ tag: i, posts: [] as unknown[] }))
    const posts = tags.map((_, i) => ({ post: i, tags: [...tags] }))
    for (const tag of tags) tag.posts = [...posts]
    const text = JSON.stringify(logFields({ post: posts[0] }))
    equal(text.length < 300_000, true, `${text.length} characters`)
    match(text, /"tag":0.*more/)
  })

  it("says how much it leaves out", () => {
    const { many } = logFields({ many: Array(1_000_000).fill(0) }) as { many: unknown[] }
    deepEqual([many.length, many.at(-1)], [9_999, "990002 more"])
    const wide = logFields(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])))
    deepEqual([Object.keys(wide).length, wide["…"]], [10_000, "10001 more"])
  })
})

describe("the message of a log line", () => {
  const messages: readonly (readonly [unknown, string])[] = [
    ["text", "text"],
    [new Error("boom"), "boom"],
    [{ a: 1 }, '{"a":1}'],
    [undefined, "undefined"],
    [5n, "5"],
    [Symbol("x"), "a symbol"],
  ]
  for (const [given, said] of messages) it(`is text: ${said}`, () => equal(logText(given), said))
})

// Inputs: stored exactly or refused, never bent.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import type { ErrorCode } from "../../../src/index.ts"
import { openQueue, refuses } from "./kit.ts"

const cyclic: Record<string, unknown> = { a: 1 }
cyclic.self = { again: cyclic }
const ring: unknown[] = []
ring.push(ring)
class Money {
  readonly amount = 5
}

const refused: readonly (readonly [string, unknown, string])[] = [
  ["undefined", undefined, "input: expected a JSON value, got undefined"],
  ["a function", () => 1, "input: expected a JSON value, got a function"],
  ["a function inside", { a: [() => 1] }, "input.a[0]: expected a JSON value, got a function"],
  ["a symbol", { a: Symbol("x") }, "input.a: expected a JSON value, got a symbol"],
  ["a bigint", { a: 10n }, "input.a: expected a JSON value, got 10n"],
  ["NaN", { a: Number.NaN }, "input.a: expected a finite number, got NaN"],
  ["Infinity", [1, Number.NEGATIVE_INFINITY], "input[1]: expected a finite number, got -Infinity"],
  ["undefined in an array", [undefined], "input[0]: expected a JSON value, got undefined"],
  ["a hole in an array", new Array(1), "input[0]: expected a JSON value, got undefined"],
  [
    "a Date",
    { at: new Date("2026-01-28T12:00:00Z") },
    "input.at: expected a plain object (a Date would not come back as one; convert it first), got 2026-01-28T12:00:00.000Z",
  ],
  ["a Map", new Map([[1, 2]]), "input: expected a plain object (a Map would not come back as one; convert it first), got an object"],
  ["a Set", { a: new Set() }, "input.a: expected a plain object (a Set would not come back as one; convert it first), got an object"],
  [
    "an instance",
    { a: new Money() },
    "input.a: expected a plain object (a Money would not come back as one; convert it first), got an object",
  ],
  ["a Buffer", Buffer.from("x"), "input: expected a plain object (a Buffer would not come back as one; convert it first), got an object"],
  [
    "something with toJSON",
    { toJSON: () => 1 },
    "input: expected a plain object (a Object would not come back as one; convert it first), got an object",
  ],
  ["a lone surrogate", { a: "\ud800" }, 'input.a: expected well-formed Unicode, got "text with a lone surrogate"'],
  ["a lone surrogate in a key", { "\udfff": 1 }, 'input key: expected well-formed Unicode, got "text with a lone surrogate"'],
  ["a NUL", ["a\u0000b"], 'input[0]: expected text without NUL, got "text with a NUL character"'],
  ["a NUL in a key", { "\u0000": 1 }, 'input key: expected text without NUL, got "text with a NUL character"'],
  [
    "an own __proto__",
    JSON.parse('{"a": {"__proto__": {"admin": true}}}'),
    "input.a.__proto__: expected no property of that name, got an object",
  ],
]

describe("submit refuses an input that would not come back as it is", () => {
  for (const [name, input, message] of refused) {
    it(name, async () => {
      const queue = await openQueue()
      const refusal = { code: "invalid_input" as ErrorCode, message }
      await refuses(queue, () => queue.submit("mail", input), refusal)
      await refuses(queue, () => queue.submitMany("mail", [{ fine: true }, input]), refusal)
      await refuses(queue, () => queue.submit("mail", input, { idempotencyKey: "key" }), refusal)
    })
  }

  for (const [name, input] of [
    ["an object that contains itself", cyclic],
    ["an array that contains itself", ring],
  ] as const) {
    it(name, async () => {
      const queue = await openQueue()
      await rejects(queue.submit("mail", input), { code: "invalid_input", message: /expected at most 200 levels/ })
      equal((await queue.counts()).pending, 0)
    })
  }

  it("and pollutes no prototype", () => {
    equal(({} as { admin?: unknown }).admin, undefined)
  })
})

describe("submit stores exactly", () => {
  const inputs: readonly unknown[] = [
    null,
    false,
    0,
    -0.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    "",
    'ü € 😀 \u2028 \\ " \u007f \uffff',
    [],
    {},
    [[], {}, [[[]]]],
    { "": 1, " ": 2, constructor: 3, toString: 4, ключ: 5, "1": 6 },
    { deep: { list: [1, "2", null, { x: [] }] } },
  ]
  for (const input of inputs) {
    it(JSON.stringify(input), async () => {
      const queue = await openQueue()
      const { id } = await queue.submit("mail", input)
      const task = await queue.get(id)
      deepEqual(task?.input, input)
    })
  }

  it("an object without a prototype", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit("mail", Object.assign(Object.create(null), { a: 1 }))
    deepEqual((await queue.get(id))?.input, { a: 1 })
  })

  it("a property that is undefined as absent", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit("mail", { a: 1, b: undefined })
    deepEqual(Object.keys((await queue.get(id))?.input as object), ["a"])
  })

  it("200 levels", async () => {
    const queue = await openQueue()
    let input: unknown = "bottom"
    for (let level = 0; level < 200; level++) input = [input]
    const { id } = await queue.submit("mail", input)
    deepEqual((await queue.get(id))?.input, input)
  })
})

describe("the size of an input", () => {
  const refusal = (limit: string, size: string) => ({
    code: "input_too_large" as const,
    message: `input: expected at most ${limit} of JSON, got ${size}; store it elsewhere and pass a reference, or raise maxInputBytes`,
  })

  it("is at most 256 KiB of JSON, counted in bytes", async () => {
    const queue = await openQueue()
    const limit = 256 * 1_024
    await queue.submit("mail", "x".repeat(limit - 2))
    await refuses(queue, () => queue.submit("mail", "x".repeat(limit - 1)), refusal("256.0 KiB", "256.0 KiB"))
    await queue.submit("mail", "€".repeat((limit - 2) / 3))
    await refuses(queue, () => queue.submit("mail", "€".repeat(100_000)), refusal("256.0 KiB", "293.0 KiB"))
    await refuses(queue, () => queue.submit("mail", "x".repeat(64 * 1_024 * 1_024)), refusal("256.0 KiB", "64.0 MiB"))
  })

  it("can be set, up and down", async () => {
    const small = await openQueue({ maxInputBytes: "1KiB" })
    await refuses(small, () => small.submit("mail", "x".repeat(1_024)), refusal("1.0 KiB", "1.0 KiB"))
    const large = await openQueue({ maxInputBytes: "1MiB" })
    ok(await large.submit("mail", "x".repeat(1_000_000)))
  })
})

// Whatever is handed to a parser, it answers with a value that keeps its promises, or refuses with a message for people. It
// never throws anything else, and never takes for ever.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type ErrorCode, shown } from "../../src/errors/index.ts"
import { formatCursor, nearest, parseCursor, parseDuration, parseName, readOptions, toJson, wholeNumber } from "../../src/units/index.ts"
import { runs } from "../property/runs.ts"
import { hostileText, hostileValue, long, mutated } from "./corpus.ts"
import { parsers } from "./parsers.ts"
import { assertReadable, inTime, valueOrRefusal } from "./refusal.ts"

describe("fuzz: what is parsed", () => {
  for (const [name, { parse, codes, valid, holds }] of Object.entries(parsers)) {
    it(`${name}: a value that keeps its promises, or a refusal`, () => {
      const given = fc.oneof(
        { weight: 3, arbitrary: mutated(valid) },
        { weight: 1, arbitrary: valid },
        { weight: 2, arbitrary: hostileValue },
      )
      fc.assert(
        fc.property(given, (value) => {
          const answer = valueOrRefusal(() => parse(value), codes)
          if ("value" in answer) holds(answer.value, value)
        }),
        { numRuns: runs(300) },
      )
    })

    it(`${name}: a long text is read or refused in its time`, () => {
      const piece = fc.oneof(hostileText, valid, fc.constantFrom(" ", "1", "a", "1 ", " a", "/", "9s", ".", "\n"))
      fc.assert(
        fc.property(long(piece), fc.tuple(valid, hostileText), ({ piece: one, times }, [start, end]) => {
          const text = one.repeat(times)
          for (const tried of [text, start + text, text + end, start + text + end]) inTime(() => valueOrRefusal(() => parse(tried), codes))
        }),
        { numRuns: runs(15) },
      )
    })
  }
})

describe("fuzz: what is handed over as a value", () => {
  it("JSON: written as it is, or refused with its path", () => {
    const value = fc.oneof(
      fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true, withDate: true, withMap: true, key: hostileText }),
      fc.array(hostileValue, { maxLength: 3 }),
      fc.dictionary(hostileText, hostileValue),
      mutated(fc.constant('{"toJSON": 1, "constructor": {"name": {"toString": 1}}}')).map(parsedOrText),
    )
    fc.assert(
      fc.property(value, (given) => {
        const answer = valueOrRefusal(() => toJson("input", given, 100_000), ["invalid_input", "input_too_large"])
        if ("value" in answer) assert.equal(answer.value, JSON.stringify(given))
      }),
      { numRuns: runs(400) },
    )
  })

  it("options: read by their readers, or refused", () => {
    const readers = { ttl: parseDuration, maxRetries: wholeNumber(0, 1_000), tag: parseName }
    const key = fc.oneof(mutated(fc.constantFrom(...Object.keys(readers))), fc.constantFrom(...Object.keys(readers)), hostileText)
    const codes: readonly ErrorCode[] = ["invalid_option", "invalid_duration", "invalid_name"]
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(key, hostileValue, { maxKeys: 3 }), hostileValue), (given) => {
        const answer = valueOrRefusal(() => readOptions("submit", given, readers), codes)
        if ("value" in answer) for (const name of Object.keys(answer.value)) assert.ok(name in readers, name)
      }),
      { numRuns: runs(400) },
    )
  })

  it("anything at all can be shown on one line", () => {
    fc.assert(
      fc.property(hostileValue, (value) => assertReadable(`got ${shown(value)}`)),
      { numRuns: runs(400) },
    )
  })

  it("a suggestion for a long word is looked for in its time", () => {
    fc.assert(
      fc.property(long(hostileText), ({ piece, times }) => {
        inTime(() => assert.equal(nearest(`status${piece.repeat(times)}`, piece === "" ? [] : ["status", "statuses", "store"]), null))
      }),
      { numRuns: runs(20) },
    )
  })
})

describe("fuzz: cursors", () => {
  const cursor = fc.oneof(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).map((seq) => ({ kind: "before", value: String(seq) })),
    hostileText.map((key) => ({ kind: "after", value: key.toWellFormed() })),
  )

  it("are read back as they were written", () => {
    fc.assert(
      fc.property(cursor, ({ kind, value }) => assert.equal(parseCursor(kind)("cursor", formatCursor(kind, value)), value)),
      { numRuns: runs(300) },
    )
  })

  it("that were altered on the way, or are none, are refused and never misread", () => {
    const given = fc.tuple(cursor, fc.constantFrom("before", "after")).chain(([{ kind, value }, other]) => {
      const text = formatCursor(kind, value)
      return fc.record({
        kind: fc.constantFrom(kind, other),
        text: fc.constant(text),
        given: fc.oneof(mutated(fc.constant(text)), hostileValue),
      })
    })
    fc.assert(
      fc.property(given, ({ kind, text, given: tried }) => {
        const answer = valueOrRefusal(() => parseCursor(kind)("cursor", tried), ["invalid_cursor"])
        if ("value" in answer) assert.equal(tried, text)
      }),
      { numRuns: runs(400) },
    )
  })
})

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

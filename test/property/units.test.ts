// What is parsed and printed means the same both ways, for any value and any script.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { describeEntry } from "../../src/task/index.ts"
import {
  canonicalJson,
  formatDuration,
  formatInstant,
  formatSize,
  nearest,
  parseDuration,
  parseInstant,
  parseJson,
  parseKey,
  parseSeconds,
  parseSize,
  toJson,
} from "../../src/units/index.ts"

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const unit = fc.constantFrom(...(Object.keys(unitMs) as (keyof typeof unitMs)[]))
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\u0000"))
/** JSON has no negative zero: it is written as 0. */
const json = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }).filter((value) => {
  const written = JSON.stringify(value)
  return !/\\u0000|"__proto__"|"toJSON"/.test(written) && !hasNegativeZero(value)
})

function hasNegativeZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasNegativeZero)
  return Object.is(value, -0)
}

function shuffled(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(shuffled)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, shuffled(item)]),
  )
}

describe("units", () => {
  it("a duration of parts is the sum of its parts, with or without spaces", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(10_000), unit), { minLength: 1, maxLength: 4 }), fc.constantFrom("", " "), (parts, space) => {
        const written = parts.map(([count, name]) => `${count}${space}${name}`).join(space)
        assert.equal(
          parseDuration("delay", written),
          parts.reduce((sum, [count, name]) => sum + count * unitMs[name], 0),
        )
      }),
    )
  })

  it("decimal seconds come to the millisecond that was written", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (ms) => {
        assert.equal(parseDuration("delay", `${(ms / 1_000).toFixed(3)}s`), ms)
        assert.equal(parseSeconds("delay", ms / 1_000), ms)
      }),
    )
  })

  it("a printed duration is read back short of what was printed by less than its smallest unit", () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000), (ms) => {
        const readMs = parseDuration("delay", formatDuration(ms))
        const leastMs = ms < 1_000 ? 1 : ms < unitMs.h ? unitMs.s : ms < unitMs.d ? unitMs.m : unitMs.h
        assert.ok(readMs <= ms && ms - readMs < leastMs, `${ms} was printed as ${formatDuration(ms)}`)
      }),
    )
  })

  it("instants are read back as they were printed", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: lastMs }), (ms) => assert.equal(parseInstant("at", formatInstant(ms)), ms)))
  })

  it("an instant means the same in every zone", () => {
    fc.assert(
      fc.property(fc.integer({ min: unitMs.d, max: lastMs - unitMs.d }), fc.integer({ min: -720, max: 840 }), (ms, minutes) => {
        const sign = minutes < 0 ? "-" : "+"
        const two = (n: number) => String(Math.floor(n)).padStart(2, "0")
        const zone = `${sign}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
        const local = new Date(ms + minutes * unitMs.m).toISOString().replace("Z", zone)
        assert.equal(parseInstant("at", local), ms)
      }),
    )
  })

  it("sizes are whole numbers of bytes, however they are written", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4_000 }),
        fc.constantFrom(["B", 0], ["KiB", 1], ["MiB", 2], ["GiB", 3]),
        (count, [name, power]) => {
          const bytes = count * 1_024 ** Number(power)
          assert.equal(parseSize("max", `${count}${name}`), bytes)
          assert.equal(parseSize("max", bytes), bytes)
          assert.match(formatSize(bytes), /^\d+(\.\d)? (B|KiB|MiB|GiB)$/)
        },
      ),
    )
  })

  it("JSON comes back as it went in, in every script", () => {
    fc.assert(fc.property(json, (value) => assert.deepEqual(parseJson("input", toJson("input", value, 10_000_000)), value)))
    fc.assert(fc.property(text, (value) => assert.equal(parseJson("input", toJson("input", value, 10_000_000)), value)))
  })

  it("canonical JSON does not depend on the order of properties, and on nothing else", () => {
    fc.assert(
      fc.property(json, json, (value, other) => {
        assert.equal(canonicalJson(shuffled(value)), canonicalJson(value))
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
        assert.equal(canonicalJson(value) === canonicalJson(other), isDeepEqual(value, other))
      }),
    )
  })

  it("a key is taken as it is, or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (value) => {
        const control = [...value].some((character) => character < " " || character === "\u007f")
        if (value.length === 0 || value.length > 512 || control) assert.throws(() => parseKey("key", value))
        else assert.equal(parseKey("key", value), value)
      }),
    )
  })

  it("a suggestion is a known word, and a known word suggests itself", () => {
    const known = ["ttl", "tags", "priority", "maxRetries", "expiresAt"]
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (word) => {
        const found = nearest(word, known)
        assert.ok(found === null || known.includes(found))
      }),
    )
    for (const word of known) assert.equal(nearest(word, known), word)
  })

  it("any entry of a history can be told in one line that starts with its version", () => {
    const entry = fc.record(
      {
        version: fc.integer({ min: 1, max: 1_000_000 }),
        atMs: fc.integer({ min: 0, max: lastMs }),
        status: fc.constantFrom("pending" as const, "running" as const, "failed" as const, "expired" as const),
        event: fc.constantFrom("created" as const, "claimed" as const, "retried" as const, "rescheduled" as const, "expired" as const),
        delayMs: fc.nat(),
        count: fc.nat(),
        expiresAtMs: fc.integer({ min: 0, max: lastMs }),
        workerId: fc.string(),
      },
      { requiredKeys: ["version", "atMs", "status", "event"] },
    )
    fc.assert(fc.property(entry, (told) => assert.ok(describeEntry(told).startsWith(`Version ${told.version}: ${told.status}`))))
  })
})

function isDeepEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}

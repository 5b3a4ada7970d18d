// The parsers of src/units: what each may refuse with, what it takes, and what it promises of a value.

import assert from "node:assert/strict"
import fc from "fast-check"
import type { ErrorCode } from "../../src/errors/index.ts"
import {
  formatDuration,
  formatInstant,
  formatRate,
  formatSize,
  oneOf,
  parseDuration,
  parseInstant,
  parseJson,
  parseKey,
  parseName,
  parseRate,
  parseSeconds,
  parseSize,
  wholeNumber,
} from "../../src/units/index.ts"
import { assertReadable } from "./refusal.ts"

export interface Parser<T> {
  readonly parse: (value: unknown) => T
  readonly codes: readonly ErrorCode[]
  readonly valid: fc.Arbitrary<string>
  /** What is promised of a value. */
  readonly holds: (value: T, given: unknown) => void
}

const unit = fc.constantFrom("ms", "s", "m", "h", "d", "w")
const amount = fc.oneof(
  fc.nat(1_000_000).map(String),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map((n) => n.toFixed(3)),
)
const duration = fc.tuple(amount, unit).map((parts) => parts.join(""))
const instant = fc.tuple(
  fc.integer({ min: 0, max: 253_402_300_799_999 }).map((ms) => new Date(ms).toISOString().slice(0, -1)),
  fc.constantFrom("Z", "+00:00", "-23:59", "+0530", "+24:00", "-99:99", "+14:60"),
)

const longestMs = 100_000 * 365 * 86_400_000

function isWholeMs(ms: number, mostMs: number): void {
  assert.ok(Number.isSafeInteger(ms) && ms >= 0 && ms <= mostMs && !Object.is(ms, -0), `${ms}`)
}

export const parsers: Readonly<Record<string, Parser<never>>> = {
  duration: parser({
    parse: (value) => parseDuration("ttl", value),
    codes: ["invalid_duration"],
    valid: fc.array(duration, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" ")),
    holds: (ms) => {
      isWholeMs(ms, longestMs)
      assert.equal(parseDuration("ttl", `${ms}ms`), ms)
      assert.ok(parseDuration("ttl", formatDuration(ms)) <= ms)
    },
  }),
  seconds: parser({
    parse: (value) => parseSeconds("ttlSeconds", value),
    codes: ["invalid_duration"],
    valid: amount,
    holds: (ms, given) => {
      isWholeMs(ms, longestMs)
      assert.ok(ms >= Math.floor((given as number) * 1_000 * (1 - 1e-14)))
    },
  }),
  instant: parser({
    parse: (value) => parseInstant("at", value),
    codes: ["invalid_date"],
    valid: instant.map((parts) => parts.join("")),
    holds: (ms, given) => {
      assert.ok(Number.isSafeInteger(ms) && Math.abs(ms) <= 8.64e15, `${ms}`)
      if (ms >= 0 && ms <= 253_402_300_799_999) assert.equal(parseInstant("at", formatInstant(ms)), ms)
      if (typeof given === "string") assert.equal(ms, asWritten(given), given)
    },
  }),
  size: parser({
    parse: (value) => parseSize("max", value),
    codes: ["invalid_size"],
    valid: fc.tuple(fc.nat(5_000), fc.constantFrom("B", "KiB", "MiB", "GiB")).map((parts) => parts.join("")),
    holds: (bytes) => {
      assert.ok(Number.isSafeInteger(bytes) && bytes > 0, `${bytes}`)
      assert.equal(parseSize("max", `${bytes}B`), bytes)
      assertReadable(formatSize(bytes))
    },
  }),
  rate: parser({
    parse: (value) => parseRate("rate", value),
    codes: ["invalid_rate", "invalid_duration"],
    valid: fc.tuple(fc.nat(1_000), fc.constantFrom("/", " / "), fc.oneof(duration, unit)).map((parts) => parts.join("")),
    holds: ({ limit, perMs }) => {
      assert.ok(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000_000, `${limit}`)
      isWholeMs(perMs, longestMs)
      assert.ok(perMs >= 1)
      assert.equal(parseRate("rate", formatRate({ limit, perMs })).limit, limit)
    },
  }),
  name: parser({
    parse: (value) => parseName("type", value),
    codes: ["invalid_name"],
    valid: fc.constantFrom("mail", "call_api", "a.b:c-d", "A".repeat(128)),
    holds: (name, given) => {
      assert.equal(name, given)
      // Safe as it is in a path, a URL and a key of any store.
      assert.ok(/^[\w.:-]{1,128}$/.test(name) && encodeURIComponent(name).replaceAll("%3A", ":") === name && name !== "..", name)
    },
  }),
  key: parser({
    parse: (value) => parseKey("key", value),
    codes: ["invalid_name"],
    valid: fc.constantFrom("order-7", "host 1/x=3", "漢字", "k".repeat(512)),
    holds: (key, given) => {
      assert.equal(key, given)
      assert.ok(key.isWellFormed() && key.length <= 512 && Buffer.from(key).toString() === key)
    },
  }),
  "whole number": parser({
    parse: (value) => wholeNumber(-5, 1_000)("n", value),
    codes: ["invalid_option"],
    valid: fc.integer().map(String),
    holds: (n) => assert.ok(Number.isInteger(n) && n >= -5 && n <= 1_000),
  }),
  word: parser({
    parse: (value) => oneOf("pending", "running", "failed")("status", value),
    codes: ["invalid_option"],
    valid: fc.constantFrom("pending", "running", "failed"),
    holds: (word) => assert.ok(["pending", "running", "failed"].includes(word)),
  }),
  "JSON text": parser({
    parse: (value) => parseJson("--input", typeof value === "string" ? value : "no text"),
    codes: ["invalid_input"],
    valid: fc.json(),
    holds: (value, given) => assert.deepEqual(value, JSON.parse(given as string)),
  }),
}

/** One type for all of them in the table; each is checked against its own. */
function parser<T>(one: Parser<T>): Parser<never> {
  return one as unknown as Parser<never>
}

/** What the fields say, counted by hand: no field may be bent into another. */
function asWritten(text: string): number {
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] =
    /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})$/.exec(text) ?? []
  const [sign, hours = "0", minutes = "0"] = [zone[0] === "-" ? -1 : 1, zone.slice(1, 3) || "0", zone.slice(-2).replace("Z", "0")]
  const ranges = [
    [Number(month), 1, 12],
    [Number(hour), 0, 24],
    [Number(minute), 0, 59],
    [Number(second), 0, 59],
    [Number(hours), 0, 23],
    [Number(minutes), 0, 59],
  ] as const
  for (const [field, least, most] of ranges) assert.ok(field >= least && field <= most, `${text} was taken for a time`)
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"))
  return (
    date.getTime() +
    ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 +
    ms -
    sign * (Number(hours) * 60 + Number(minutes)) * 60_000
  )
}

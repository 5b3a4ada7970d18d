// Hostile input, in one place for everything that reads what people, scripts and other machines send: texts and values that
// have broken parsers, and ways to damage what is valid. Whoever reads something new takes its fuzz from here.

import fc from "fast-check"

const digits = "9".repeat(400)

export const hostileTexts: readonly string[] = [
  ...["", " ", "\t", "\n", "\r\n", "\v\f", "\u00a0", "\u2003", "\u3000", "\ufeff", "\u2028", "\u2029"],
  ...["\u0000", "a\u0000b", "\u0007", "\u007f", "\u0080", "\u009b31m", "\u001b[31mred\u001b[0m", "\u001b]0;title\u0007", "\u001b[2J"],
  ...["\ud800", "\udc00", "a\udbffb", "\ud83d\ude80", "e\u0301", "\u{1f468}\u200d\u{1f469}", "Z\u0351\u036b\u0343", "ﬀ", "İ", "ß", "漢字"],
  ...["\u202egnp.exe", "\u2066x\u2069", "\u200f", "\u200b", "\ufffd", "\uffff", "\u{10ffff}"],
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "toJSON", "length", "then"],
  ...["null", "undefined", "NaN", "Infinity", "-Infinity", "true", "false", "[]", "{}", "[object Object]"],
  ...["0", "-0", "+0", "00", "0x10", "0b1", "1_000", "1,000", "1.", ".5", "1e3", "1e309", "1e-400", "-1", "٣", "３", digits, `-${digits}`],
  ...["9007199254740991", "9007199254740993", "9223372036854775807", "18446744073709551616", "2147483648", "4294967296"],
  ...["../../../../etc/passwd", "..", ".", "/", "//", "\\", "C:\\con", "~", "file:///etc/passwd", "%2e%2e%2f", "%00", "%", "%zz", "%c0%ae"],
  ...["' OR 1=1 --", '"; DROP TABLE tasks; --', "?1", "$columns", ":name", "%s%n", "*", "a%", "_"],
  ...["redis.call('FLUSHALL')", "{tag}", "}{", "\x24{7*7}", "{{7*7}}", "`id`", "$(id)", "; id", "| id", "a b", "-", "--", "---", "=", "@"],
  ...["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;", "<!--", "]]>", "javascript:alert(1)"],
  ...['"', "'", '\\"', "\\u0000", "\\x", '{"a":', '{"__proto__":{"admin":true}}', '{"a":1,"a":2}', "[1,]", "1 2", '"\ud800"', "nul"],
  ...["a".repeat(5_000), " ".repeat(5_000), "[".repeat(5_000), '{"a":'.repeat(2_000), "1s".repeat(2_000), "漢".repeat(2_000)],
]

export const hostileNumbers: readonly number[] = [
  ...[0, -0, 1, -1, 0.1, -0.5, 1e-7, 5e-324, 1e21, 1e308, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN],
  ...[2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 8.64e15, 8.64e15 + 1, -8.64e15, 1.7976931348623157e308],
]

/** What a caller in JavaScript may hand over where a text, a number or an object is expected. */
export const hostileValues: readonly unknown[] = [
  ...hostileTexts,
  ...hostileNumbers,
  ...[null, undefined, true, false, 10n, 10n ** 400n, Symbol("x"), () => 1, new Date(Number.NaN), new Date(8.64e15), new Date(0)],
  ...[[], [1], [[]], {}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__": 1}'), new Map(), new Set(), /x/, new Error("x")],
  ...[new String("5s"), new Number(5), Buffer.from("5s"), new Uint8Array(3), { toString: () => "5s" }, { valueOf: () => 5 }],
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 80, size: "max" }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(...hostileTexts)).map((two) => two.join("")) },
)

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 1, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.anything() },
)

/** A piece many times over: what a careless regular expression takes for ever over. Kept apart, so that a finding is short to read. */
export function long(piece: fc.Arbitrary<string>): fc.Arbitrary<{ readonly piece: string; readonly times: number }> {
  return fc.record({ piece: piece.map((text) => text.slice(0, 4)), times: fc.constantFrom(1_000, 30_000) })
}

/** Something valid with one thing, or a few, wrong with it. */
export function mutated(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.record({ how: fc.constantFrom(...mutations), at: fc.nat(), with: fc.nat(), text: hostileText })
  return fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) => {
    return changes.reduce((changed, { how, at, with: n, text: other }) => how(changed, at % (changed.length + 1), n, other), text)
  })
}

type Mutation = (text: string, at: number, n: number, other: string) => string

const mutations: readonly Mutation[] = [
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at, at + 1).repeat(2) + text.slice(at + 1),
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at) + text.slice(0, at),
  (text, at, n) => flipped(text, at, n),
  (text, at, n) => text.slice(0, at) + String.fromCharCode(n % 0x250) + text.slice(at),
  (text, at, _n, other) => text.slice(0, at) + other + text.slice(at),
  (text, at) => text.slice(0, at) + text.slice(at, at + 1).toUpperCase() + text.slice(at + 1),
]

/** One bit of one character the other way. */
export function flipped(text: string, at: number, bit: number): string {
  if (text === "") return text
  const i = at % text.length
  return text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ (1 << (bit % 7))) + text.slice(i + 1)
}

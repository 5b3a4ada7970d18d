// --limit of sluice simulate: "vendor-api: 10/10s, concurrency=5, keys=50", or the name of a limit, or of one of its gates, that the
// store knows. What is said beside a name without a rate or a concurrency (keys, cost) is about the one of the store.

import { SluiceError, shown } from "../errors/index.ts"
import { type AnyLimit, defineLimit, type LimitUse, readKeys } from "../queue/index.ts"
import { nearest, oneOf, parseName, parseRate, wholeNumber } from "../units/index.ts"
import { asDuration, asNumber } from "./flags.ts"
import { parseTarget } from "./target.ts"

type Use = LimitUse<AnyLimit | string>

interface Said {
  readonly rate: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly keys?: number | readonly number[]
  readonly cost?: number
}

const providers = oneOf("unknown", "sliding", "fixed", "bucket")
const words = ["rate", "concurrency", "provider", "burst", "slack", "guard", "keys", "cost"] as const
type Word = (typeof words)[number]

export function parseSimulated(name: string, text: string): Use {
  if (/^\s*\d+\s*\//.test(text))
    throw invalid(`${name}: expected a name in front of the rate, such as "vendor-api: 10/10s", got ${shown(text)}`)
  if (text.trimEnd().endsWith(":"))
    throw invalid(`${name}: expected a rate behind the name, such as "vendor-api: 10/10s", got ${shown(text)}`)
  const colon = text.indexOf(":")
  const slash = text.indexOf("/")
  // A name may have colons of its own, and a rate has a slash: "vendor:eu" and "vendor/host:80" are names, "vendor:10/s" is none.
  if (colon < 0 || isName(text) || (slash >= 0 && slash < colon)) return named(name, text.trim())
  const end = text.lastIndexOf(":")
  const limit = parseName(name, text.slice(0, end).trim())
  const where = `${name} ${limit}`
  const { rate, options, ...use } = saidOf(where, text.slice(end + 1))
  if (rate.length === 0 && options.concurrency === undefined) {
    const [left] = Object.keys(options)
    if (left !== undefined) throw invalid(`${where}: expected a rate such as 10/10s beside ${left}, got none`)
    return { limit, ...use }
  }
  return { limit: defineLimit(limit, { ...options, ...(rate.length > 0 ? { rate } : {}) }), ...use }
}

function isName(text: string): boolean {
  return /^[\w.:-]+$/.test(text)
}

function named(name: string, text: string): Use {
  const { limit, key } = parseTarget(name, text)
  return key === "" ? { limit } : { limit, keys: { [key]: 1 } }
}

function saidOf(where: string, text: string): Said {
  const said: { rate: string[]; options: Record<string, unknown>; keys?: number | readonly number[]; cost?: number } = {
    rate: [],
    options: {},
  }
  for (const part of text.split(",").map((one) => one.trim())) {
    const [word, value] = wordOf(where, part)
    if (word === "rate") {
      parseRate(where, value)
      said.rate.push(value)
    } else if (
      said.options[word] !== undefined ||
      (word === "keys" && said.keys !== undefined) ||
      (word === "cost" && said.cost !== undefined)
    )
      throw invalid(`${where}: expected ${word} once, got it twice`)
    else if (word === "keys") said.keys = keysOf(`${where}: keys`, value)
    else if (word === "cost") said.cost = wholeNumber(1, Number.MAX_SAFE_INTEGER)(`${where}: cost`, asNumber(value))
    else said.options[word] = optionOf(`${where}: ${word}`, word, value)
  }
  return said
}

/** A rate needs no word in front of it. */
function wordOf(where: string, part: string): [Word, string] {
  const equals = part.indexOf("=")
  if (equals < 0 && part.includes("/")) return ["rate", part]
  const word = part.slice(0, Math.max(0, equals)).trim()
  const found = words.find((one) => one === word)
  if (found) return [found, part.slice(equals + 1).trim()]
  const near = nearest(word, words)
  throw invalid(
    `${where}: expected a rate such as 10/10s, or ${words.slice(1).join("=, ")}=, got ${shown(part)}${near ? `; did you mean ${near}=?` : ""}`,
  )
}

function optionOf(where: string, word: Word, value: string): unknown {
  if (word === "concurrency") return wholeNumber(1, 1_000_000)(where, asNumber(value))
  if (word === "burst") return wholeNumber(1, 1_000_000_000)(where, asNumber(value))
  return word === "provider" ? providers(where, value) : asDuration(value)
}

/** "50", or how often each is met: "5+3+1". */
function keysOf(where: string, value: string): number | readonly number[] {
  const parts = value.split("+").map((one) => asNumber(one.trim()))
  const wrong = parts.find((one) => typeof one !== "number")
  if (wrong !== undefined)
    throw invalid(`${where}: expected a number of keys, or how often each is met, such as 50 or 5+3+1, got ${shown(value)}`)
  const numbers = parts as number[]
  const keys = numbers.length === 1 ? (numbers[0] ?? 1) : numbers
  readKeys(where, keys)
  return keys
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}

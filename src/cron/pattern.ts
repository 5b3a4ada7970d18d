// A cron pattern: which local times it names. Reading and matching are croner's; it is asked in a zone without changes of clocks, so that
// what those mean is decided in one place (instants.ts).

import { Cron, CronPattern } from "croner"
import { SluiceError, shown } from "../errors/index.ts"
import { nearest } from "../units/index.ts"

export interface Pattern {
  /** As it was given, with single spaces. */
  readonly text: string
  /** Every hour of the day is named: such a pattern says how often, not at which time of the day. */
  readonly isEveryHour: boolean
  /** The first local time that it names after this one; null where none comes. */
  next(localMs: number): number | null
}

const mostCharacters = 256
const nicknames = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]
const example = '"0 9 * * 1-5" (9:00 on weekdays)'

const seconds = { name: "seconds", expected: "0 to 59" }
const fiveFields = [
  { name: "minutes", expected: "0 to 59" },
  { name: "hours", expected: "0 to 23" },
  { name: "days of the month", expected: "1 to 31, or L for the last" },
  { name: "months", expected: "1 to 12, or JAN to DEC" },
  { name: "days of the week", expected: "0 to 7 or SUN to SAT, with #2 for the second and L for the last of a month" },
]

/** To read one takes as long as a hundred steps from instant to instant. */
const patterns = new Map<string, Pattern>()
const mostPatterns = 1_000

export function parseCron(where: string, given: unknown): Pattern {
  const known = patterns.get(given as string)
  if (known) return known
  const pattern = read(where, given)
  if (patterns.size >= mostPatterns) patterns.clear()
  patterns.set(pattern.text, pattern)
  return pattern
}

function read(where: string, given: unknown): Pattern {
  if (typeof given !== "string" || given.length > mostCharacters) throw invalid(where, `a cron expression such as ${example}`, given)
  const text = given.trim().replace(/\s+/g, " ")
  if (text.startsWith("@")) checkNickname(where, text)
  else checkFields(where, text)
  const { hour } = fieldsOf(where, text)
  const cron = new Cron(text, { utcOffset: 0, mode: "5-or-6-parts" })
  const next = (localMs: number) => cron.nextRun(new Date(localMs))?.getTime() ?? null
  const pattern = { text, isEveryHour: hour.every((isNamed) => isNamed), next }
  // A leap year is never further away than eight years, and croner looks ahead for centuries.
  if (next(0) === null) throw invalid(where, "a date that comes at some time", text)
  return pattern
}

function checkNickname(where: string, text: string): void {
  if (nicknames.includes(text.toLowerCase())) return
  const near = nearest(text, nicknames)
  throw invalid(where, `one of ${nicknames.join(", ")}, or five fields such as ${example}`, text, near ? `; did you mean "${near}"?` : "")
}

/** Each field by itself, so that it can be told which one is wrong. */
function checkFields(where: string, text: string): void {
  const parts = text.split(" ")
  if (parts.length !== 5 && parts.length !== 6)
    throw invalid(where, `five fields (minutes, hours, days, months, days of the week) or six (seconds first), such as ${example}`, text)
  const fields = parts.length === 5 ? fiveFields : [seconds, ...fiveFields]
  for (const [i, { name, expected }] of fields.entries()) {
    const alone = fields.map((_field, at) => (at === i ? (parts[at] ?? "") : "*")).join(" ")
    if (isReadable(alone)) continue
    const ways = `${expected}; a list 1,2, a range 1-5, a step */2 or 1-5/2`
    throw invalid(where, `${name} as its ${ordinal(i + 1)} field (${ways})`, parts[i], ` in ${shown(text)}`)
  }
}

function isReadable(text: string): boolean {
  try {
    new CronPattern(text, undefined, { mode: "5-or-6-parts" })
    return true
  } catch {
    return false
  }
}

/** What each field by itself does not show is not expected to be wrong; if it is, croner says what. */
function fieldsOf(where: string, text: string): CronPattern {
  try {
    return new CronPattern(text, undefined, { mode: "5-or-6-parts" })
  } catch (cause) {
    throw invalid(where, `a cron expression such as ${example}`, text, ` (${(cause as Error).message})`)
  }
}

function ordinal(n: number): string {
  return ["first", "second", "third", "fourth", "fifth", "sixth"][n - 1] ?? `${n}th`
}

function invalid(where: string, expected: string, got: unknown, more = ""): SluiceError {
  return new SluiceError("invalid_cron", `${where}: expected ${expected}, got ${shown(got)}${more}`)
}
